// A small world for generated requests: two projects with the same things in them, everything of each marked by a word
// of its own, and every kind of credential.
import { expect } from "bun:test";
import { extensions } from "../../catalogs";
import { createApp } from "../../server/app";
import { createLog, Redacted, systemClock } from "../../src/base";
import type { PersonRole } from "../../src/identity";
import { createEgress } from "../../src/egress";
import { openSqlite } from "../../src/store";
import { completion, speak, startModelServer, type Turn } from "../sandbox/models/chat-server";
import { type Platforms, startPlatforms } from "../sandbox/platforms";
import { issued } from "../interop/oidc/forge";
import { startOpenIdProvider } from "../interop/oidc/provider";
import { api, type ApiAnswer, type ApiCall, at, call, type Through } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import { Leaks } from "./leaks";
import { ProjectWorkers, secretOf } from "./project-workers";

/** Whom the examples of the records name. */
export const USER = "alice@example.com";

/** The models that they name. */
export const MODEL = "gpt-4o";
const EMBEDDING_MODEL = "text-embedding-3-small";

/** All tools there are, by qualified name. */
export const TOOL_NAMES = extensions.catalogs.flatMap(({ toolkit, tools }) =>
  tools.map(({ name }) => `${toolkit.name}.${name}`),
);

/** Those of the two workers that each project has. */
export const WORKER_TOOL_NAMES = ["Peer", "Web"].flatMap((toolkit) =>
  ["Send", "WhoAmI"].map((name) => `${toolkit}.${name}`),
);

export const CREDENTIALS = [
  "no credential",
  "a malformed one",
  "a revoked key",
  "a key of another project",
  "a read key",
  "a run key",
  "a user token",
  "a verify key",
  "a metrics key",
  "an admin key",
] as const;
/** User tokens of people with a role. They name other users than the requests do, so they only show what is refused. */
export const PEOPLE = [
  "a token of an approver",
  "a token of an auditor",
  "a token of an administrator",
] as const;
export type Credential = (typeof CREDENTIALS)[number] | (typeof PEOPLE)[number];

export interface Project {
  readonly id: string;
  readonly organization: string;
  /** Stands in the names and descriptions of all that is made here. */
  readonly mark: string;
  readonly admin: string;
  /** Its workers of the ids `peer` (MCP) and `web` (HTTP). */
  readonly workers: ProjectWorkers;
}

export interface World extends AsyncDisposable {
  readonly site: Site;
  readonly own: Project;
  readonly other: Project;
  readonly credentials: Readonly<Record<Credential, string | undefined>>;
  /** Lines of the log, at level debug. */
  readonly logLines: readonly string[];
  /** Sends a request past the network. The answer is checked against the API description, and for what is not the caller's. */
  send(request: ApiCall): Promise<ApiAnswer>;
  /** Stores a grant of a new user as a consent would; the id of the connection. */
  connect(project: Project): Promise<string>;
  /** 1, 2, 3, … */
  count(): number;
}

/** `running`: stand-ins that run already; absent: in this process. */
export async function startWorld(running?: Platforms): Promise<World> {
  const provider = await startOpenIdProvider();
  const logLines: string[] = [];
  const log = createLog({ level: "debug", clock: systemClock, write: (line) => logLines.push(line) });
  const platforms = running ?? (await startPlatforms());
  const models = await startModelServer(model);
  const vectors = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => Response.json(VECTOR) });
  const site = await startSite({
    chat: platforms.chat,
    environment: {
      ...platforms.environment,
      RUNTIME_LOG_ACCESS: "true",
      RUNTIME_AUTH_URL: provider.address,
      RUNTIME_AUTH_CLIENT_ID: "people",
      RUNTIME_SIGN_IN: "none",
      // Every operation is called with credentials that are refused.
      RUNTIME_LIMITS_BAD_CREDENTIALS: "0",
    },
    parts: {
      log,
      // Generated addresses lead nowhere: no test calls out.
      egress: createEgress({
        allow: ["loopback"],
        timeoutMs: 5_000,
        maxBytes: 1_000_000,
        log,
        resolve: nowhere,
      }),
      openStore: (store) => openSqlite({ ...store, durability: "normal" }),
    },
  });
  const stopping = new AbortController();
  const app = createApp(site.runtime, stopping.signal);
  const through: Through = async (url, init) => app.fetch(new Request(url, withLength(init)));
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.identity.createProject(operator, "other", "Other", undefined, "https://other.example");
  const project = async (id: string, foreign: string): Promise<Project> => {
    const admin = await site.key("admin", undefined, id);
    await populate(site, platforms, id);
    const mark = `mark0${id}0${crypto.randomUUID().slice(0, 8)}`;
    const workers = new ProjectWorkers(mark, secretOf(id), secretOf(foreign));
    await workers.create(site, id);
    const entry = { id: "local", models: [MODEL], openai: { base_url: models.url, api_key: "a key" } };
    const embeddings = {
      id: "vectors",
      models: [EMBEDDING_MODEL],
      openai: { base_url: `${vectors.url.origin}/v1`, api_key: "a key" },
    };
    for (const one of [entry, embeddings])
      await site.runtime.models.create(await site.runtime.identity.operator(id), one);
    await consent(site, admin);
    // People can be invited. The consents of the world came before.
    const principal = await site.runtime.identity.operator(id);
    const sign_in = id === "default" ? "oidc" : "passkey";
    await site.runtime.identity.projects.update(principal, id, { sign_in });
    return { id, organization: "default", mark, admin, workers };
  };
  const own = await project("default", "other");
  const other = await project("other", "default");
  const person = async (role: PersonRole): Promise<string> => {
    await site.runtime.invitations.invite(operator, { user_id: `the ${role}`, role });
    return issued(provider, site.url, { sub: `the ${role}` });
  };
  const credentials = {
    "a token of an approver": await person("approver"),
    "a token of an auditor": await person("auditor"),
    "a token of an administrator": await person("admin"),
    "no credential": undefined,
    "a malformed one": "rt_this-is-no-key",
    "a revoked key": await revokedKey(site),
    "a key of another project": other.admin,
    "a read key": await site.key("read"),
    "a run key": await site.key("run"),
    "a verify key": await site.key("verify"),
    "a metrics key": await site.key("metrics"),
    "a user token": issued(provider, site.url, { sub: USER }),
    "an admin key": own.admin,
  };
  const valid: (string | undefined)[] = [
    credentials["a read key"],
    credentials["a run key"],
    credentials["a user token"],
    credentials["a verify key"],
    credentials["a metrics key"],
    own.admin,
  ];
  const leaks = new Leaks([own, other], ["default", "other"].map(secretOf));
  const projectOf = (key: string | undefined): Project | undefined =>
    key === other.admin ? other : valid.includes(key) ? own : undefined;
  let count = 0;
  return {
    site,
    own,
    other,
    credentials,
    logLines,
    send: async (given) => {
      // What a key writes bears the mark of its own project.
      const body = JSON.stringify(given.body)?.replaceAll(own.mark, other.mark);
      const rewritten = given.key === other.admin && body !== undefined;
      const request = rewritten ? { ...given, body: JSON.parse(body) } : given;
      const answer = await call("http://localhost", request, through);
      expect(leaks.of(projectOf(request.key), request, answer)).toEqual([]);
      expect([own, other].map(({ workers }) => workers.foreign)).toEqual([0, 0]);
      return answer;
    },
    connect: (of) => connect(site, of, `user ${++count}`),
    count: () => ++count,
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await site[Symbol.asyncDispose]();
      for (const { workers } of [own, other]) await workers[Symbol.asyncDispose]();
      await models[Symbol.asyncDispose]();
      await vectors.stop(true);
      await platforms[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

async function revokedKey({ runtime: { identity } }: Site): Promise<string> {
  const operator = await identity.operator("default");
  const { id, key = "" } = await identity.createKey(operator, { name: "revoked", role: "admin" });
  await identity.deleteKey(operator, id);
  return key;
}

/** A model that calls the first tool that it is offered, and says hello when it has seen what came of it. */
const model: Turn = ({ messages, tools, stream }, reply) => {
  const [tool] = messages.at(-1)?.role === "tool" ? [] : (tools ?? []);
  const said =
    tool === undefined ? { content: "Hello." } : { calls: [{ name: tool.function.name, arguments: "{}" }] };
  return stream === true ? speak(reply, said) : reply.json(200, completion(said));
};

const VECTOR = {
  object: "list",
  model: EMBEDDING_MODEL,
  data: [{ object: "embedding", index: 0, embedding: [0.25, -0.5] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
};

const nowhere = (host: string): Promise<string[]> =>
  host === "localhost" ? Promise.resolve(["127.0.0.1"]) : Promise.reject(new Error("there is no such host"));

// What a server reads of the wire stands in no request that was made by hand.
function withLength(init: RequestInit): RequestInit {
  const { body } = init;
  if (body === undefined || body === null) return init;
  const headers = new Headers(init.headers);
  headers.set(
    "content-length",
    String(Buffer.byteLength(typeof body === "string" ? body : Buffer.from(body as Uint8Array))),
  );
  return { ...init, headers };
}

/** Every provider with its platform's stand-in, and the secrets that tools need. */
async function populate(
  { runtime }: Site,
  { providers, secrets }: Platforms,
  project: string,
): Promise<void> {
  const operator = await runtime.identity.operator(project);
  for (const one of providers) await runtime.providers.create(operator, one);
  for (const [key, value] of Object.entries(secrets)) await runtime.secrets.upsert(operator, key, { value });
}

/** The user of the examples links the accounts of alice, for all that tools want. */
async function consent(site: Site, admin: string): Promise<void> {
  const wish = { tool_names: TOOL_NAMES, user_id: USER, authorize: true };
  const { body } = await api(site.url, admin).post("/v1/tools/requirements", wish);
  for (const item of Object.values(Object(at(body, "authorization.items"))))
    await new Browser().consent(String(at(item, "url")), "alice");
}

async function connect({ runtime }: Site, { id, mark }: Project, user: string): Promise<string> {
  const provider = await runtime.providers.find(id, "slack");
  if (provider === undefined) throw new Error("the chat provider is gone");
  const scopes = ["users:read"];
  const accessToken = new Redacted(`token of ${user}`);
  const grant = { accessToken, refreshToken: undefined, expiresIn: undefined, scopes, facts: {} };
  let connection = "";
  // oxlint-disable-next-line require-yield -- nothing more is written with it
  await runtime.connections.store(id, `${user} ${mark}`, provider, grant, scopes, function* (made) {
    connection = made;
  });
  return connection;
}
