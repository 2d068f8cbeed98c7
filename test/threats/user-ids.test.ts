// A user id that looks like another one, or that is stored as another one: refused by name at every entry point.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newTerminal } from "../cli/support/fake-io";
import { issued } from "../interop/oidc/forge";
import { type OpenIdSite, startOpenIdSite } from "../interop/oidc/site";
import { api, at } from "../support/api";
import { databaseOf, dump } from "../server/stage";
import { printFigure } from "./figure";

const BAD: readonly (readonly [string, string])[] = [
  ["only spaces", "   "],
  ["only a no-break space", "\u00A0"],
  ["only a filler that is not displayed", "\u3164"],
  ["a NUL", "alice\u0000"],
  ["a bell", "ali\u0007ce"],
  ["a line break", "alice\nbob"],
  ["a C1 control", "alice\u0085"],
  ["a lone high surrogate", "alice\uD800"],
  ["a lone low surrogate", "\uDC00alice"],
  ["a replacement character", "alice\uFFFD"],
  ["a noncharacter", "alice\uFFFF"],
  ["a right-to-left override", "alice\u202Emoc"],
  ["a directional isolate", "alice\u2066"],
  ["a zero width space", "ali\u200Bce"],
  ["a zero width joiner", "ali\u200Dce"],
  ["a byte order mark inside", "ali\uFEFFce"],
  ["a soft hyphen", "ali\u00ADce"],
  ["a line separator", "alice\u2028"],
  ["a tag character", "alice\u{E0041}"],
  ["a variation selector", "alice\uFE0F"],
  ["257 characters", "a".repeat(257)],
  ["5,000 characters", "a".repeat(5000)],
];
const GOOD = ["alice", "alice@example.com", "Zoë Ångström", "山田太郎", "user|42:ä", "😀", "a".repeat(256)];

let deployment: OpenIdSite;
let admin: string;
beforeAll(async () => {
  deployment = await startOpenIdSite();
  const { runtime, key } = deployment.site;
  const gateway = { name: "keys", slug: "keys", auth_type: "arcade_header" } as const;
  await runtime.gateways.create(await runtime.identity.operator("default"), gateway);
  admin = await key("admin");
});
afterAll(() => deployment[Symbol.asyncDispose]());

const requirement = { id: "slack", oauth2: { scopes: ["users:read"] } };
const model = { model: "m", messages: [{ role: "user", content: "x" }], tools: ["Chat.WhoAmI"] };

/** Bodies as text, because a lone surrogate can only be sent as an escape. */
const BODIES: readonly (readonly [string, string, (id: string) => object])[] = [
  ["POST", "/v1/auth/authorize", (user_id) => ({ auth_requirement: requirement, user_id })],
  ["POST", "/v1/auth/confirm_user", (user_id) => ({ flow_id: "unknown", user_id })],
  [
    "POST",
    "/v1/auth/validate_custom_verifier",
    (user_id) => ({ verifier_url: "http://127.0.0.1:9/", user_id }),
  ],
  ["POST", "/v1/tools/authorize", (user_id) => ({ tool_name: "Chat.WhoAmI", user_id })],
  ["POST", "/v1/tools/requirements", (user_id) => ({ tool_names: ["Chat.WhoAmI"], user_id })],
  ["POST", "/v1/tools/execute", (user_id) => ({ tool_name: "Chat.WhoAmI", user_id })],
  [
    "POST",
    "/v1/tools/execute",
    (user_id) => ({ tool_name: "Chat.WhoAmI", user_id, run_at: "2999-01-01T00:00" }),
  ],
  ["POST", "/v1/chat/completions", (user) => ({ ...model, user, tool_choice: "execute" })],
  [
    "POST",
    "/v1/responses",
    (user) => ({ model: "m", input: "x", tools: ["Chat.WhoAmI"], user, tool_choice: "execute" }),
  ],
  ["POST", "/v1/embeddings", (user) => ({ model: "m", input: "x", user })],
  ["POST", "/v1/admin/keys", (user) => ({ name: "k", users: ["bob", user] })],
];
const QUERIES = [
  "/v1/tools",
  "/v1/tools/Chat.WhoAmI",
  "/v1/formatted_tools",
  "/v1/formatted_tools/Chat.WhoAmI",
  "/v1/admin/user_connections",
  "/v1/admin/executions",
];

const send = (method: string, path: string, body: object) =>
  fetch(deployment.site.url + path, {
    method,
    headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });

let refused = 0;
afterAll(() => {
  const entries = BODIES.length + QUERIES.length + 5;
  printFigure(
    "a user id that looks like another",
    `${BAD.length} ids at ${entries} entry points: ${refused} refused`,
  );
});

describe.each(BAD)("a user id with %s", (_what, id) => {
  test("is refused in every body, and nothing is stored", async () => {
    const before = dump(databaseOf(deployment.site));
    for (const [method, path, body] of BODIES) {
      const answer = await send(method, path, body(id));
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        400,
        expect.stringMatching(/user|surrogate pair|NUL/),
      ]);
      refused += 1;
    }
    expect(dump(databaseOf(deployment.site))).toEqual(before);
  });

  test("is refused in every query", async () => {
    const written = encodeURIComponent(id.isWellFormed() ? id : id.toWellFormed());
    for (const path of QUERIES) {
      const answer = await api(deployment.site.url, admin).get(`${path}?user_id=${written}`);
      expect([path, answer.status, answer.text]).toEqual([path, 400, expect.stringContaining("user_id")]);
      refused += 1;
    }
  });

  test("is refused in a token", async () => {
    const token = issued(deployment.provider, deployment.site.url, { sub: id });
    const { status, body } = await api(deployment.site.url, token).get("/v1/caller");

    expect([status, at(body, "message")]).toEqual([
      401,
      expect.stringMatching(/^The user id in the claim sub of the user token (is|contains)/),
    ]);
    refused += 1;
  });

  test("is refused at the terminal, as an argument, in the environment and by init", async () => {
    const { run } = newTerminal();
    const words = ["tools", "exec", "Chat.WhoAmI", "-o", "json"];
    const flag = await run([...words, "--user", id]);
    const variable = await run(words, { env: { RUNTIME_USER: id } });
    const init = await run(["init", "--user", id]);

    expect([flag.code, variable.code, init.code]).toEqual([1, 1, 2]);
    for (const { stdout, stderr } of [flag, variable, init]) expect(stdout + stderr).toMatch(/user/i);
    refused += 3;
  });
});

// With the account of such a user the catalog of a worker is read.
describe("the user of a worker", () => {
  const ID = "worker:wk";
  const ACTING = BODIES.filter(([, path]) => !/confirm_user|validate_custom_verifier/.test(path));

  test("is refused in every body that names whom a caller acts for", async () => {
    const before = dump(databaseOf(deployment.site));
    for (const [method, path, body] of ACTING) {
      for (const id of [ID, "Worker:wk"]) {
        const answer = await send(method, path, body(id));
        expect([path, answer.status, await answer.text()]).toEqual([
          path,
          400,
          expect.stringContaining("like the users of workers"),
        ]);
        refused += 1;
      }
    }
    expect(dump(databaseOf(deployment.site))).toEqual(before);
  });

  test("is refused in a token and in a header, and an administrator sees its connections", async () => {
    const token = issued(deployment.provider, deployment.site.url, { sub: ID });
    expect((await api(deployment.site.url, token).get("/v1/caller")).status).toBe(401);
    const answer = await fetch(`${deployment.site.url}/mcp/keys`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${admin}`,
        "arcade-user-id": ID,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }),
    });
    expect(answer.status).toBe(401);
    const connections = `/v1/admin/user_connections?user_id=${encodeURIComponent(ID)}`;
    expect((await api(deployment.site.url, admin).get(connections)).status).toBe(200);
    refused += 2;
  });
});

/** What a header can contain: as UTF-8, and without control characters. */
const IN_HEADERS = BAD.filter(([, id]) => id.isWellFormed() && !/\p{Cc}/u.test(id));

test.each(IN_HEADERS)("a user id with %s is refused in the header of a gateway", async (_what, id) => {
  const written = Buffer.from(id).toString("latin1");
  const response = await fetch(`${deployment.site.url}/mcp/keys`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${admin}`,
      "x-user-id": written,
      "content-type": "application/json",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });

  // Spaces at both ends are not part of a header's value, so a blank one is a missing one.
  expect([response.status, await response.text()]).toEqual([401, expect.stringContaining("user")]);
  refused += 1;
});

test.each(GOOD)("%s is a user id", async (user_id) => {
  const answer = await send("POST", "/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id });
  const token = issued(deployment.provider, deployment.site.url, { sub: user_id });
  const caller = await api(deployment.site.url, token).get("/v1/caller");

  expect([answer.status, at(await answer.json(), "user_id")]).toEqual([200, user_id]);
  expect([caller.status, at(caller.body, "user_id")]).toEqual([200, user_id]);
});
