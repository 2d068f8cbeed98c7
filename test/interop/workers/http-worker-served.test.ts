// The worker in Python behind a whole deployment: as an administrator creates it and as agents run its tools.
import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { JsonObject } from "../../../src/base";
import { api, type ApiAnswer } from "../../support/api";
import { found } from "../../support/canaries";
import { testWith } from "../../support/require";
import { type Site, startSite } from "../../support/site";
import { startTokenEndpoint, type TokenEndpoint } from "../../support/token-endpoint";
import { give, idpRecord } from "../../tools/deployment";
import { SECRET } from "../../workers/http/driver";
import { hasPythonWorker, type PythonWorker, runPythonWorker } from "./http-worker";

const present = hasPythonWorker();
const test = testWith("python3-fastapi, python3-uvicorn or python3-jwt (Debian)", present);

let site: Site;
let idp: TokenEndpoint;
let python: PythonWorker & AsyncDisposable;
let admin: ReturnType<typeof api>;
let agent: ReturnType<typeof api>;

beforeAll(async () => {
  if (!present) return;
  site = await startSite({ environment: { RUNTIME_LOG_LEVEL: "debug" } });
  idp = startTokenEndpoint();
  python = await runPythonWorker();
  admin = api(site.url, await site.key("admin"));
  agent = api(site.url, await site.key("run"));
  await admin.post("/v1/admin/auth_providers", { ...idpRecord(idp), id: "known" });
  const http = { uri: python.uri, secret: SECRET, timeout: 10, retry: 1 };
  const created = await admin.post("/v1/workers", { id: "peer", http });
  expect(created.status).toBe(201);
});

afterAll(async () => {
  await python?.[Symbol.asyncDispose]();
  await idp?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

interface Output {
  value?: unknown;
  error?: JsonObject;
  logs?: JsonObject[];
}

function run(tool_name: string, more: object = {}): Promise<ApiAnswer> {
  return agent.post("/v1/tools/execute", { tool_name: `Peer.${tool_name}`, user_id: "alice", ...more });
}

async function outputOf(answer: ApiAnswer | Promise<ApiAnswer>): Promise<Output> {
  const { status, body } = await answer;
  expect(status).toBe(200);
  return (body as { output?: Output }).output ?? {};
}

describe("the record", () => {
  test("shows what is left out, and no secret", async () => {
    const { body, text } = await admin.get("/v1/workers/peer");
    expect(body).toMatchObject({
      type: "http",
      skipped: [{ name: "Peer.Coordinator", reason: expect.stringContaining("metadata") }],
    });
    expect(text).not.toContain(SECRET);
  });

  test("is healthy", async () => {
    expect((await admin.get("/v1/workers/peer/health")).body).toMatchObject({ healthy: true });
  });
});

describe("its tools", () => {
  test("have the types of the public API", async () => {
    const { body } = await agent.get("/v1/tools/Peer.Everything");
    expect(body).toMatchObject({
      input: {
        parameters: [
          {
            name: "text",
            required: true,
            inferrable: false,
            value_schema: { val_type: "string", enum: ["one word", "other"] },
          },
          { name: "flag", required: false, inferrable: true, value_schema: { val_type: "boolean" } },
          { name: "ratio", value_schema: { val_type: "number" } },
          { name: "words", value_schema: { val_type: "array", inner_val_type: "string", enum: ["a", "b"] } },
          { name: "free", value_schema: { val_type: "json" } },
          { name: "item", value_schema: { val_type: "json" } },
          { name: "maybe", value_schema: { val_type: "string" } },
        ],
      },
    });
  });

  test("that are deprecated say so in their records", async () => {
    expect((await agent.get("/v1/tools/Peer.SimpleDeprecated")).body).toMatchObject({
      deprecation_message: "Use Simple in its place.",
    });
  });

  test("run in the version that is asked for", async () => {
    expect(await outputOf(run("Simple", { input: { inp: "x" } }))).toEqual({ value: "x" });
    expect(await outputOf(run("Simple", { input: { inp: "x" }, tool_version: "0.9.0" }))).toEqual({
      value: "0.9.0: x",
    });
  });

  test("keep every digit, in both directions", async () => {
    expect((await outputOf(run("Object"))).value).toMatchObject({ id: "9007199254740993123" });
    const input = { text: "other", free: { deep: [1, "2", null] }, ratio: 0.25, words: ["a"] };
    expect((await outputOf(run("Everything", { input }))).value).toEqual(input);
  });

  test("refuse an input that does not fit before the worker is asked", async () => {
    const before = (await python.seen()).length;
    const { error } = await outputOf(run("Everything", { input: { text: "neither", more: 1 } }));
    expect(error?.["kind"]).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect((await python.seen()).length).toBe(before);
  });

  test("say that they are deprecated once", async () => {
    const { logs } = await outputOf(run("SimpleDeprecated", { input: { inp: "x" } }));
    expect(logs).toEqual([{ level: "warning", subtype: "deprecation", message: "Use Simple in its place." }]);
  });

  test("report errors as built-in tools do, without the worker's stack", async () => {
    const { error } = await outputOf(run("Retry"));
    expect(error).toEqual({
      kind: "TOOL_RUNTIME_RETRY",
      message: "[TOOL_RUNTIME_RETRY] ToolError during execution of tool 'Peer.Retry': no such city",
      developer_message: "[TOOL_RUNTIME_RETRY] RetryableToolError during execution of tool 'Retry': code 17",
      additional_prompt_content: "Cities are Oslo and Bergen.",
      can_retry: true,
      retry_after_ms: 1000,
    });
    const { error: own } = await outputOf(run("Retry", { include_error_stacktrace: true }));
    expect(own?.["stacktrace"]).not.toContain("tools.py");
  });

  test("need the secrets that they name", async () => {
    const missing = await run("Secret");
    expect([missing.status, missing.text]).toEqual([400, expect.stringContaining("API_KEY")]);

    for (const key of ["API_KEY", "SECOND_KEY"])
      await admin.post(`/v1/admin/secrets/${key}`, { value: `${key}-CANARY` });

    expect(await outputOf(run("Secret"))).toEqual({ value: "read" });
    expect((await python.seen()).at(-1)?.context["secrets"]).toEqual([
      { key: "API_KEY", value: "API_KEY-CANARY" },
      { key: "SECOND_KEY", value: "SECOND_KEY-CANARY" },
    ]);
  });
});

describe("a user's grant", () => {
  test("is required, and each user's call has the user's own token", async () => {
    const before = await run("WhoAmI");
    expect(before.status).toBe(403);

    for (const user of ["alice", "bob"])
      await give(site.runtime, user, {
        provider: "known",
        access: `CANARY-of-${user}`,
        scopes: ["read", "write"],
        facts: { name: user },
      });

    expect(await outputOf(run("WhoAmI"))).toEqual({ value: "alice" });
    expect(await outputOf(run("WhoAmI", { user_id: "bob" }))).toEqual({ value: "bob" });
    const contexts = (await python.seen()).slice(-2).map(({ context }) => context);
    expect(contexts).toEqual(
      ["alice", "bob"].map((user) => ({
        authorization: { token: `CANARY-of-${user}`, user_info: { name: user } },
        metadata: [{ key: "client_id", value: "client" }],
        user_id: user,
      })),
    );
  });

  test("is refreshed when the platform refuses its token, and the call repeated", async () => {
    await give(site.runtime, "carol", {
      provider: "known",
      access: "expired",
      scopes: ["read", "write"],
      facts: { name: "carol" },
    });
    idp.queue({ body: { access_token: "CANARY-renewed", token_type: "bearer", expires_in: 3600 } });

    expect(await outputOf(run("WhoAmI", { user_id: "carol" }))).toEqual({ value: "carol" });
    expect((await python.seen()).at(-1)?.context["authorization"]).toMatchObject({ token: "CANARY-renewed" });
  });

  test("that cannot be refreshed ends, with a new consent", async () => {
    await give(site.runtime, "dave", { provider: "known", access: "expired", scopes: ["read", "write"] });
    idp.queue({ status: 400, body: { error: "invalid_grant" } });

    const { error } = await outputOf(run("WhoAmI", { user_id: "dave" }));

    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR", status_code: 401, can_retry: false });
    expect((await run("WhoAmI", { user_id: "dave" })).status).toBe(403);
  });
});

test("tokens and secrets are in no answer of the worker's records, and in no log line", async () => {
  const answers = await Promise.all(
    ["/v1/workers", "/v1/workers/peer", "/v1/workers/peer/health", "/v1/workers/peer/tools"].map(
      async (path) => (await admin.get(path)).text,
    ),
  );
  const told = [...answers, ...site.logLines].join("\n");
  expect(site.logLines.length).toBeGreaterThan(0);
  expect(found({ secret: SECRET, values: "-CANARY", tokens: "CANARY-" }, told)).toEqual([]);
});

test("a worker that must not receive tokens offers no tool that needs one", async () => {
  await admin.patch("/v1/workers/peer", { send_tokens: false });
  const refused = await admin.post("/v1/workers/peer/refresh");
  expect(refused.body).toMatchObject({
    skipped: expect.arrayContaining([
      { name: "Peer.WhoAmI", reason: expect.stringContaining("must not receive tokens") },
    ]),
  });
});
