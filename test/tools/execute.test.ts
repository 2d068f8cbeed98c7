// Execution: what a run answers, how each way to fail is told, and what it takes before anything runs.
import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import type { Principal } from "../../src/identity";
import { refusal, until } from "../connections/executing";
import { agent, deploy, type Deployment, idpRecord, operator } from "./deployment";
import { testOnSqlite } from "../support/on-sqlite";

function run({ runtime }: Deployment, tool_name: string, more: object = {}, principal: Principal = agent()) {
  return runtime.tools.execute(principal, { tool_name, user_id: "alice", ...more });
}

describe("a run", () => {
  test("returns what the tool returned", async () => {
    await using deployment = await deploy();
    const execution = await run(deployment, "Test.Echo", { input: { text: "hello" } });
    const { id, execution_id, duration, finished_at, ...rest } = execution;

    expect(rest).toEqual({
      execution_type: "immediate",
      status: "completed",
      success: true,
      output: { value: { text: "hello" } },
    });
    expect([id.slice(0, 3), execution_id.slice(0, 3)]).toEqual(["te_", "tc_"]);
    expect(duration).toBeGreaterThanOrEqual(0);
    expect(Date.parse(finished_at ?? "")).toBeGreaterThan(Date.now() - 60_000);
  });

  test.each([
    ["null", null],
    ["false", false],
    ["0", 0],
    ["an empty text", ""],
    ["a list", [1, 2]],
  ])("may return %s", async (_name, value) => {
    await using deployment = await deploy();
    deployment.test.act = async () => value;

    expect((await run(deployment, "Test.Act")).output).toEqual({ value });
  });

  test("contains the log lines of the tool, also if it fails", async () => {
    await using deployment = await deploy();
    deployment.test.act = async (_input, context) => {
      context.log("info", "first");
      context.log("warning", "second", "detail");
      throw new Error("broken");
    };

    expect((await run(deployment, "Test.Act")).output?.logs).toEqual([
      { level: "info", message: "first" },
      { level: "warning", message: "second", subtype: "detail" },
    ]);
  });

  test("of a deprecated tool says so and works", async () => {
    await using deployment = await deploy();

    expect((await run(deployment, "Test.Old", { input: { text: "x" } })).output).toEqual({
      value: { text: "x" },
      logs: [
        {
          level: "warning",
          subtype: "deprecation",
          message: "Old is deprecated and will be removed. Use Test.Echo instead.",
        },
      ],
    });
  });

  test("gives the tool the user's facts and scopes, the client's id, secrets by name, and no token", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await deployment.addProvider();
    const connectionId = await deployment.give("alice", { facts: { account: "A1" } });
    deployment.test.act = async (_input, context) => ({
      grant: context.grant,
      provider: context.provider,
      publicUrl: context.publicUrl,
      secrets: context.secrets,
      all: Bun.inspect(context, { depth: 10 }),
    });
    const { value } = (await run(deployment, "Test.ActFor")).output ?? {};

    expect(value).toMatchObject({
      grant: { connectionId, scopes: ["a", "b"], facts: { account: "A1" } },
      provider: { id: "idp", clientId: "client" },
      publicUrl: runtime.core.publicUrl(),
      secrets: {},
    });
    expect(JSON.stringify(value)).not.toContain("access-of-alice");
    expect(JSON.stringify(value)).not.toContain("refresh-of-alice");
  });

  testOnSqlite("is in the execution log, failed ones with their kind", async () => {
    await using deployment = await deploy();
    const { id } = await run(deployment, "Test.Echo");
    deployment.test.act = async () => Promise.reject(new Error("broken"));
    await run(deployment, "Test.Act", {}, agent(["alice"]));
    await until(() => executions(deployment).length === 2);
    const shown = { project_id: "default", user_id: "alice", actor: "key:key_agent" };

    expect(executions(deployment)).toEqual([
      { ...shown, id, tool: "Test.Echo@1.2.3", status: "completed", error_kind: null },
      {
        ...shown,
        id: expect.any(String) as never,
        tool: "Test.Act@1.2.3",
        status: "failed",
        error_kind: "TOOL_RUNTIME_FATAL",
      },
    ]);
  });
});

interface ExecutionRow {
  id: string;
  project_id: string;
  user_id: string;
  actor: string;
  tool: string;
  status: string;
  error_kind: string | null;
}

function executions({ folder }: Deployment): ExecutionRow[] {
  const database = new Database(`${folder}/.local/share/runtime/executions.db`, { readonly: true });
  const rows = database
    .query<ExecutionRow, []>(
      "SELECT id, project_id, user_id, actor, tool, status, error_kind FROM executions ORDER BY rowid",
    )
    .all();
  database.close();
  return rows;
}

describe("nothing runs", () => {
  const refused: [string, string, object, Principal, number, string, string][] = [
    ["of an unknown tool", "Test.Nothing", {}, agent(), 400, "tool_not_found", "There is no tool"],
    ["of a name without a toolkit", "Echo", {}, agent(), 400, "malformed_request", "Toolkit.Tool"],
    ["of another version", "Test.Echo", { tool_version: "9" }, agent(), 400, "tool_not_found", "no version"],
    [
      "without a user",
      "Test.Act",
      { user_id: undefined },
      agent(),
      400,
      "malformed_request",
      "user_id is required",
    ],
    ["for a user that the key is not pinned to", "Test.Act", {}, agent(["bob"]), 403, "forbidden", "pinned"],
    [
      "for another user than the token's",
      "Test.Act",
      {},
      { kind: "user", projectId: "default", userId: "bob" },
      403,
      "forbidden",
      "differs",
    ],
    [
      "at a time that is none",
      "Test.Act",
      { run_at: "tomorrow" },
      agent(),
      400,
      "invalid_parameter",
      "run_at",
    ],
    [
      "without a provider",
      "Test.ActFor",
      {},
      agent(),
      400,
      "tool_requirements_not_met",
      'no auth provider "idp" is configured',
    ],
    [
      "without a client, for the client's tools",
      "Test.Client",
      {},
      agent(),
      400,
      "tool_requirements_not_met",
      "idp",
    ],
  ];
  test.each(refused)("%s", async (_name, tool, more, principal, status, name, message) => {
    await using deployment = await deploy();
    const error = await refusal(run(deployment, tool, more, principal));

    expect([error.status, error.name]).toEqual([status, name as never]);
    expect(error.message).toContain(message);
    expect(deployment.test.runs).toBe(0);
  });

  test("while the provider is inactive", async () => {
    await using deployment = await deploy();
    await deployment.addProvider({ status: "inactive" });
    const error = await refusal(run(deployment, "Test.ActFor"));

    expect([error.status, error.name]).toEqual([400, "tool_requirements_not_met"]);
    expect(error.message).toContain('the auth provider "idp" is inactive');
  });

  test("before the user has consented: 403, with the scopes and the text that clients look for", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice", { scopes: ["a"] });
    const error = await refusal(run(deployment, "Test.ActFor"));

    expect([error.status, error.name]).toEqual([403, "tool_requirements_not_met"]);
    expect(error.message).toContain("authorization required");
    expect(error.message).toContain("(b)");
    expect(deployment.test.runs).toBe(0);
  });

  test("without a secret: 400, naming the secret", async () => {
    await using deployment = await deploy();
    const { runtime, platform } = deployment;
    await deployment.addProvider();
    await deployment.give("alice");
    await runtime.secrets.upsert(operator(), "TEST_ADDRESS", { value: platform.url });
    const error = await refusal(run(deployment, "Test.Elsewhere"));

    expect([error.status, error.name, error.message]).toEqual([
      400,
      "tool_requirements_not_met",
      "secret not found: TEST_WORD. An administrator sets it: runtime secrets set TEST_WORD",
    ]);
  });
});

describe("only declared requirements are needed:", () => {
  test("no grant for tools of the client", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();

    expect((await run(deployment, "Test.Client")).output?.value).toEqual({
      provider: { id: "idp", clientId: "client" },
      grant: null,
    });
  });

  test("nothing at all for an input that waives the requirements", async () => {
    await using deployment = await deploy();

    expect((await run(deployment, "Test.Mode", { input: { mode: "explain" } })).output?.value).toEqual({
      grant: null,
    });
    expect((await refusal(run(deployment, "Test.Mode", { input: { mode: "do" } }))).status).toBe(400);
  });

  test("secrets in any case, which then count as used", async () => {
    await using deployment = await deploy();
    const { runtime, platform, idp } = deployment;
    await runtime.providers.create(operator(), idpRecord(idp));
    await deployment.give("alice");
    await runtime.secrets.upsert(operator(), "test_address", { value: platform.url });
    await runtime.secrets.upsert(operator(), "Test_Word", { value: "open sesame" });

    expect((await run(deployment, "Test.Elsewhere")).output?.value).toMatchObject({
      word: "open sesame",
      names: ["TEST_ADDRESS", "TEST_WORD"],
    });
    const used = async (): Promise<boolean> =>
      (await runtime.secrets.list(operator())).items.every(
        ({ last_accessed_at }) => last_accessed_at !== undefined,
      );
    await until(used);
  });
});
