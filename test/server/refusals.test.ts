// A secret in every wrong place: no refusal repeats it, no log line and no row has it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ApiCall, call } from "../support/api";
import type { KeyName } from "./stage";
import { databaseOf, dump, type Stage, startStage } from "./stage";

const CANARY = "c4nary-s3cr3t-0123456789";
const PROVIDERS = "/v1/admin/auth_providers";
const OAUTH2 = {
  client_id: "c",
  client_secret: CANARY,
  authorize_request: { endpoint: "https://idp.example/authorize" },
  token_request: { endpoint: "https://idp.example/token" },
};
const JSON_BODY = JSON.stringify({ id: "x", oauth2: OAUTH2 });

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ environment: { RUNTIME_HTTP_BODY_LIMIT: "100000" } });
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Row extends Omit<ApiCall, "key"> {
  as?: KeyName;
}
const post = (path: string, body: unknown): Row => ({ method: "POST", path, as: "admin", body });
const create = (body: unknown): Row => post(PROVIDERS, body);
const raw = (text: string, type = "application/json"): Row => ({
  method: "POST",
  path: PROVIDERS,
  as: "admin",
  raw: text,
  headers: { "content-type": type },
});
const patch = (id: string, body: unknown): Row => ({
  method: "PATCH",
  path: `${PROVIDERS}/${id}`,
  as: "admin",
  body,
});
const execute = (body: object): Row => ({ ...post("/v1/tools/execute", body), as: "run" });

const REFUSED: [string, Row, number][] = [
  ["a secret next to a missing id", create({ oauth2: OAUTH2 }), 400],
  ["a secret next to an id that is taken", create({ id: "slack", oauth2: OAUTH2 }), 400],
  ["a secret next to the record's other fields", create({ id: "x", client_secret: CANARY, oauth2: {} }), 400],
  ["a secret as the whole of oauth2", create({ id: "x", oauth2: CANARY }), 400],
  ["a secret as the whole body", create(CANARY), 400],
  ["a secret in a list", create([{ client_secret: CANARY }]), 400],
  [
    "a secret that is too long",
    create({ id: "x", oauth2: { ...OAUTH2, client_secret: CANARY.repeat(50) } }),
    400,
  ],
  [
    "a secret as the client's id, in an object",
    create({ id: "x", oauth2: { ...OAUTH2, client_id: { id: CANARY } } }),
    400,
  ],
  [
    "a secret as an endpoint",
    create({ id: "x", oauth2: { ...OAUTH2, token_request: { endpoint: CANARY } } }),
    400,
  ],
  ["a secret as a request", create({ id: "x", oauth2: { ...OAUTH2, token_request: CANARY } }), 400],
  [
    "a secret as a method",
    create({
      id: "x",
      oauth2: { ...OAUTH2, token_request: { endpoint: "https://a.example", method: CANARY } },
    }),
    400,
  ],
  ["a secret as a status", create({ id: "x", status: CANARY, oauth2: OAUTH2 }), 400],
  ["a secret in cut JSON", raw(JSON_BODY.slice(0, -5)), 400],
  ["a secret in JSON of another kind", raw(JSON_BODY.replaceAll('"', "'")), 400],
  ["a secret with a NUL after it", raw(JSON_BODY.replace(CANARY, `${CANARY}\\u0000`)), 400],
  ["a secret in a form", raw(`client_secret=${CANARY}`, "application/x-www-form-urlencoded"), 415],
  ["a secret in text", raw(JSON_BODY, "text/plain"), 415],
  ["a secret in a body that is too large", raw(JSON_BODY + " ".repeat(100_000)), 413],
  ["a secret without a credential", { method: "POST", path: PROVIDERS, raw: JSON_BODY }, 401],
  ["a secret with a key of another role", { ...raw(JSON_BODY), as: "run" }, 403],
  ["a secret for a path that is not there", { ...raw(JSON_BODY), path: "/v1/admin/providers" }, 404],
  ["a secret by a method that is not there", { ...raw(JSON_BODY), method: "PUT" }, 404],
  ["a secret for a provider that is not there", patch("none", { oauth2: { client_secret: CANARY } }), 404],
  ["a secret next to another id", patch("slack", { id: "other", oauth2: { client_secret: CANARY } }), 400],
  [
    "a secret next to a broken endpoint",
    patch("slack", { oauth2: { client_secret: CANARY, token_request: { endpoint: "/x" } } }),
    400,
  ],
  [
    "a secret in the query",
    { method: "GET", path: `/v1/auth/status?client_secret=${CANARY}&wait=x`, as: "run" },
    400,
  ],
  ["a secret as a page size", { method: "GET", path: `/v1/tools?limit=${CANARY}`, as: "run" }, 400],
  ["a secret as a filter", { method: "GET", path: `/v1/tools?filter=${CANARY}`, as: "run" }, 400],
  ["a secret as a format", { method: "GET", path: `/v1/tools?include_format=${CANARY}`, as: "run" }, 400],
  [
    "a secret as a credential",
    { method: "GET", path: "/v1/tools", headers: { authorization: `Bearer ${CANARY}` } },
    401,
  ],
  [
    "a secret as the password of a credential",
    { method: "GET", path: "/v1/tools", headers: { authorization: `Basic ${btoa(`x:${CANARY}`)}` } },
    401,
  ],
  ["a stored secret under another name", post("/v1/admin/secrets/A", { secret: CANARY }), 400],
  ["a stored secret in an object", post("/v1/admin/secrets/A", { value: { value: CANARY } }), 400],
  [
    "a stored secret next to a bad description",
    post("/v1/admin/secrets/A", { value: CANARY, description: 5 }),
    400,
  ],
  ["a stored secret under a bad key", post("/v1/admin/secrets/a-b", { value: CANARY }), 400],
  [
    "a secret as the input of a tool",
    execute({ tool_name: "Chat.WhoAmI", user_id: "alice", input: CANARY }),
    400,
  ],
  ["a secret as a user, in a list", execute({ tool_name: "Chat.WhoAmI", user_id: [CANARY] }), 400],
  ["a secret as a time", execute({ tool_name: "Chat.WhoAmI", user_id: "alice", run_at: CANARY }), 400],
  [
    "a secret as input for a user who has not consented",
    execute({
      tool_name: "Chat.SendMessage",
      user_id: "alice",
      input: { message: CANARY, channel_name: "general" },
    }),
    403,
  ],
  [
    "a secret in an Idempotency-Key with spaces",
    { ...execute({ tool_name: "Chat.WhoAmI", user_id: "a" }), headers: { "idempotency-key": `${CANARY} x` } },
    400,
  ],
  [
    "a secret as the password of next_uri",
    {
      ...post("/v1/tools/authorize", {
        tool_name: "Chat.WhoAmI",
        user_id: "a",
        next_uri: `https://u:${CANARY}@app.example/`,
      }),
      as: "run",
    },
    400,
  ],
  [
    "a secret as an auth requirement",
    { ...post("/v1/auth/authorize", { auth_requirement: CANARY, user_id: "a" }), as: "run" },
    400,
  ],
];

test.each(REFUSED)("%s is refused without it", async (_what, { as, ...request }, status) => {
  const answer = await call(stage.site.url, {
    ...request,
    key: as === undefined ? undefined : stage.keys[as],
  });
  expect({ status: answer.status, text: answer.text }).toEqual({ status, text: answer.text });
  expect(answer.text).not.toContain(CANARY);
  expect(JSON.stringify([...answer.headers])).not.toContain(CANARY);
});

describe("a secret on a page", () => {
  test.each([
    ["as a code", "GET", `/api/v1/oauth/x/callback?state=s&code=${CANARY}`],
    ["as a state", "GET", `/api/v1/oauth/x/callback?state=${CANARY}&code=c`],
    ["as an error", "GET", `/api/v1/oauth/x/callback?state=s&error=${CANARY}&error_description=${CANARY}`],
    ["as an address", "GET", `/authorize/${CANARY}`],
    ["as a proof", "POST", "/authorize/x"],
  ])("%s is not repeated", async (_what, method, path) => {
    const body = method === "POST" ? { body: new URLSearchParams({ check: CANARY, answer: CANARY }) } : {};
    const headers = { cookie: `runtime_consent=${CANARY}` };
    const response = await fetch(stage.site.url + path, { method, headers, ...body });
    expect(response.status).toBeWithin(400, 500);
    expect(await response.text()).not.toContain(CANARY);
  });
});

test("none of them reached the log or the database", () => {
  const log = stage.site.logLines.join("\n");
  const state = JSON.stringify(dump(databaseOf(stage.site)));
  expect(log).toContain('"status":400');
  for (const form of [CANARY, btoa(`x:${CANARY}`), encodeURIComponent(CANARY)]) {
    expect(log).not.toContain(form);
    expect(state).not.toContain(form);
  }
});

test("the same search finds a value that may be shown", async () => {
  const body = { id: "seen", description: `shown ${CANARY}`, oauth2: { ...OAUTH2, client_secret: "other" } };
  const answer = await call(stage.site.url, { method: "POST", path: PROVIDERS, key: stage.keys.admin, body });
  expect(answer.text).toContain(CANARY);
  expect(JSON.stringify(dump(databaseOf(stage.site)))).toContain(CANARY);
});
