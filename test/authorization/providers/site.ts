// A deployment with its HTTP server, a provider whose every endpoint is scripted, and a person with a browser.
import { startServer } from "../../../server";
import { findConnection, type ConnectionRow } from "../../../src/connections/repository";
import { api, type ApiAnswer, at } from "../../support/api";
import { Browser } from "../../support/browser";
import type { Answer, TokenAnswer, TokenRequest } from "../../support/token-endpoint";
import { deploy, type Deployment, operator } from "../../tools/deployment";

/** What the provider answers at each of its paths. */
export interface Script {
  /** Parameters of the callback besides `state`. Default: a code. */
  readonly callback?: Readonly<Record<string, string>>;
  readonly token?: Answer;
  readonly refresh?: Answer;
  readonly "user-info"?: Answer;
  readonly introspection?: Answer;
  readonly revoke?: Answer;
}

export type Place = "authorize" | "token" | "refresh" | "user-info" | "introspection" | "revoke";

export interface Flow {
  readonly id: string;
  /** The last page that the browser got. */
  readonly page: Response;
  /** `/v1/auth/status` afterwards. */
  readonly state: ApiAnswer;
}

export interface ProviderSite extends AsyncDisposable {
  readonly deployment: Deployment;
  readonly url: string;
  readonly agent: ReturnType<typeof api>;
  readonly admin: ReturnType<typeof api>;
  script(script: Script): void;
  /** Requests that came to a path of the provider, in order. */
  sent(place: Place): TokenRequest[];
  addProvider(record: object): Promise<ApiAnswer>;
  /** Starts a consent for scopes at `idp` and goes through it to its end. */
  consent(user: string, scopes?: readonly string[]): Promise<Flow>;
  execute(user: string, tool?: string): Promise<ApiAnswer>;
  /** The stored row: lives and refreshability stand in no answer. */
  row(user: string): Promise<ConnectionRow>;
  connections(): Promise<unknown[]>;
}

export async function startProviderSite(environment: Record<string, string> = {}): Promise<ProviderSite> {
  const deployment = await deploy({ environment: { RUNTIME_PORT: "0", ...environment } });
  const { runtime, idp } = deployment;
  const server = await startServer(runtime);
  const key = async (role: "run" | "admin"): Promise<string> =>
    (await runtime.identity.createKey(operator(), { name: role, role })).key ?? "";
  const agent = api(server.address, await key("run"));
  const admin = api(server.address, await key("admin"));
  let current: Script = {};
  idp.otherwise((request) => answerOf(current, request));
  const connections = async (): Promise<unknown[]> => {
    const items = at((await admin.get("/v1/admin/user_connections")).body, "items");
    return Array.isArray(items) ? items : [];
  };
  return {
    deployment,
    url: server.address,
    agent,
    admin,
    script: (script) => void (current = script),
    sent: (place) => idp.requests.filter(({ address }) => placeOf(address) === place),
    addProvider: (record) => admin.post("/v1/admin/auth_providers", record),
    consent: async (user, scopes = ["a", "b"]) => {
      const auth_requirement = { id: "idp", oauth2: { scopes } };
      const { body } = await agent.post("/v1/auth/authorize", { auth_requirement, user_id: user });
      const id = String(at(body, "id"));
      const page = await throughConsent(server.address, String(at(body, "url")));
      return { id, page, state: await agent.get(`/v1/auth/status?id=${id}`) };
    },
    execute: (user, tool = "Test.Call") =>
      agent.post("/v1/tools/execute", { tool_name: tool, user_id: user, input: {} }),
    row: async (user) => {
      const row = await findConnection(runtime.core.store, "default", user, "idp");
      if (row === undefined) throw new Error(`${user} has no connection`);
      return row;
    },
    connections,
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await deployment[Symbol.asyncDispose]();
    },
  };
}

/** Our address, the provider, the callback, and "yes, this is me" when the page asks. */
async function throughConsent(origin: string, url: string): Promise<Response> {
  const browser = new Browser();
  const location = async (response: Response): Promise<string> => {
    const to = response.headers.get("location");
    if (to === null) throw new Error(`no redirect but ${response.status}: ${await response.text()}`);
    return to;
  };
  const callback = await location(await browser.open(await location(await browser.open(url))));
  const page = await browser.open(callback);
  const html = await page.clone().text();
  return html.includes('name="check"') ? browser.answer(page, origin, "yes") : page;
}

function placeOf(address: string): string {
  return (address.split("?")[0] ?? "").slice(1);
}

async function answerOf(script: Script, request: TokenRequest): Promise<TokenAnswer> {
  const place = placeOf(request.address);
  if (place === "authorize") return sentBack(script, request);
  const answer = script[place as Exclude<Place, "authorize">];
  if (answer === undefined) return { status: 404, body: "nothing is scripted here" };
  return typeof answer === "function" ? answer(request) : answer;
}

function sentBack({ callback = { code: "C" } }: Script, { address }: TokenRequest): TokenAnswer {
  const asked = new URL(address, "http://provider").searchParams;
  const to = new URL(asked.get("redirect_uri") ?? "");
  for (const [name, value] of Object.entries({ ...callback, state: asked.get("state") ?? "" })) {
    to.searchParams.set(name, value);
  }
  return { status: 302, headers: { location: to.href } };
}
