// A project that is deleted and created again under its id while the body of a request to the earlier one is on its way.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { api } from "../support/api";
import { databaseOf, dump, type Stage, startStage } from "./stage";

const ID = "again";
const CALL = { tool_name: "Chat.WhoAmI", user_id: "alice" };

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** Resolves when the next request was authenticated. */
function authenticated(): Promise<void> {
  const { identity } = stage.site.runtime;
  const { promise, resolve } = Promise.withResolvers<void>();
  const authenticate = identity.authenticate.bind(identity);
  identity.authenticate = async (...args) => {
    identity.authenticate = authenticate;
    const principal = await authenticate(...args);
    resolve();
    return principal;
  };
  return promise;
}

/** Sends the second half of the body after `between`. */
async function sendInHalves(path: string, key: string, body: object, between: () => Promise<void>) {
  const text = JSON.stringify(body);
  const half = Math.floor(text.length / 2);
  const admitted = authenticated();
  const halves = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from(text.slice(0, half)));
      await admitted;
      await between();
      controller.enqueue(Buffer.from(text.slice(half)));
      controller.close();
    },
  });
  const headers = {
    authorization: key,
    "arcade-user-id": "alice",
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  };
  return fetch(stage.site.url + path, { method: "POST", headers, body: halves });
}

const REQUESTS: [string, string, object][] = [
  ["a secret", "/v1/admin/secrets/LATE", { value: "late" }],
  ["a tool call", "/v1/tools/execute", CALL],
  ["a scheduled tool call", "/v1/tools/execute", { ...CALL, run_at: "2999-01-01T00:00:00" }],
  ["a consent", "/v1/tools/authorize", CALL],
  ["an MCP call", "/mcp/again", { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }],
  ["an auth provider", "/v1/admin/auth_providers", { id: "late", oauth2: { client_id: "c" } }],
];

test.each(REQUESTS)("%s is refused, and nothing is stored in the new project", async (_, path, body) => {
  const { site } = stage;
  const { identity } = site.runtime;
  const operator = await identity.operator("default");
  await identity.createProject(operator, ID, "Again");
  const gateway = { name: "Again", slug: "again", auth_type: "arcade_header" } as const;
  await site.runtime.gateways.create(await identity.operator(ID), gateway);
  const key = await site.key("admin", undefined, ID);
  let created: unknown;

  const answer = await sendInHalves(path, key, body, async () => {
    await identity.deleteProject(operator, ID);
    await identity.createProject(operator, ID, "Again");
    created = dump(databaseOf(site));
  });

  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ name: "invalid_authorization" });
  expect(dump(databaseOf(site))).toEqual(created as never);
  const next = await site.key("admin", undefined, ID);
  expect((await api(site.url, next).get("/v1/admin/secrets")).body).toMatchObject({ total_count: 0 });
  await identity.deleteProject(operator, ID);
});

const WRITES: [string, string, object][] = [
  ["a secret", "/v1/admin/secrets/LATE", { value: "late" }],
  ["an API key", "/v1/admin/keys", { name: "late", role: "read" }],
  ["a suspension", "/v1/admin/users/suspend", { user_id: "alice" }],
  [
    "an auth provider",
    "/v1/admin/auth_providers",
    {
      id: "late",
      oauth2: {
        client_id: "c",
        client_secret: "s",
        authorize_request: { endpoint: "http://127.0.0.1:1/authorize" },
        token_request: { endpoint: "http://127.0.0.1:1/token" },
      },
    },
  ],
  [
    "a gateway",
    "/v1/orgs/default/projects/again/gateways",
    { name: "Late", slug: "late", auth_type: "arcade_header" },
  ],
];

test.each(WRITES)("%s that meets the deletion of its project is refused", async (_, path, body) => {
  const { site } = stage;
  const { core, identity } = site.runtime;
  const operator = await identity.operator("default");
  await identity.createProject(operator, ID, "Again");
  const client = api(site.url, await site.key("admin", undefined, ID));
  const write = core.store.write.bind(core.store);
  let isDeleted = false;
  core.store.write = async (...args) => {
    core.store.write = write;
    await identity.deleteProject(operator, ID);
    isDeleted = true;
    return write(...args);
  };

  const answer = await client.post(path, body);

  expect(isDeleted).toBe(true);
  expect([answer.status, answer.body]).toEqual([
    401,
    expect.objectContaining({ name: "invalid_authorization" }),
  ]);
});
