// Hooks in the execution log and the log: the hook, its decision, its duration, and no secret.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { at } from "../support/api";
import { bytesOf, found } from "../support/canaries";
import { execute, type Hooked, hooked } from "./hooked";

let stage: Hooked;
beforeAll(async () => {
  stage = await hooked();
});
afterAll(() => stage[Symbol.asyncDispose]());

const newest = async () => at((await stage.admin.get("/v1/admin/executions?limit=1")).body, "items.0");

test("the execution log has each decision, in order, with its hook and duration", async () => {
  const first = await stage.plugin({ priority: 0 });
  const second = await stage.plugin({ points: ["pre", "post"], priority: 1, failure_mode: "fail_open" });
  stage.project.respond = ({ path }) => {
    if (path === "access") return {};
    const count = stage.project.count(path);
    if (path === "pre")
      return count === 1 ? { code: "OK", override: { inputs: { text: "x" } } } : "no answer";
    return count === 1 ? { code: "OK" } : { code: "CHECK_FAILED", error_message: "CANARY-MESSAGE" };
  };

  const { answer } = await execute(stage, "Test.Echo", { text: "CANARY-INPUT" });

  const entry = await newest();
  expect(entry).toMatchObject({
    id: at(answer.body, "id"),
    execution_id: at(answer.body, "execution_id"),
    status: "failed",
    error_kind: "CONTEXT_DENIED",
  });
  const ms = expect.any(Number);
  expect(at(entry, "hooks")).toEqual([
    { hook_id: first.hooks.access, hook_point: "tool.access", decision: "ok", duration_ms: ms },
    { hook_id: first.hooks.pre, hook_point: "tool.pre", decision: "override", duration_ms: ms },
    {
      hook_id: second.hooks.pre,
      hook_point: "tool.pre",
      decision: "failed",
      reason: expect.stringMatching(/; fail_open$/),
      duration_ms: ms,
    },
    { hook_id: first.hooks.post, hook_point: "tool.post", decision: "ok", duration_ms: ms },
    { hook_id: second.hooks.post, hook_point: "tool.post", decision: "denied", duration_ms: ms },
  ]);
  const lines = stage.deployment.logLines.filter((line) => line.includes('"hook decided"'));
  expect(lines.map((line) => at(JSON.parse(line), "decision"))).toEqual([
    "ok",
    "override",
    "failed",
    "ok",
    "denied",
  ]);
  expect(at(JSON.parse(lines[2] ?? ""), "level")).toBe("warn");
  expect(lines[2]).toContain(second.hooks.pre ?? "none");
});

test("logs and the file of the execution log contain no inputs, results and credentials", async () => {
  const canaries = {
    token: "CANARY-TOKEN",
    input: "CANARY-INPUT",
    changed: "CANARY-CHANGED-INPUT",
    output: "CANARY-OUTPUT",
    replaced: "CANARY-REPLACED-OUTPUT",
    secret: "CANARY-SECRET",
    message: "CANARY-MESSAGE",
  };
  await stage.plugin({ priority: 10, webhook: { auth: { type: "bearer", token: canaries.token } } });
  stage.deployment.test.act = async () => canaries.output;
  stage.project.respond = ({ path }) =>
    path === "access"
      ? {}
      : path === "pre"
        ? {
            code: "OK",
            override: { inputs: { text: canaries.changed }, secrets: [{ TEST_WORD: canaries.secret }] },
          }
        : { code: "OK", override: { output: canaries.replaced } };
  const { value } = await execute(stage, "Test.Act", { text: canaries.input });
  expect(value).toBe(canaries.replaced);
  stage.project.respond = () => ({ code: "CHECK_FAILED", error_message: canaries.message });
  await execute(stage, "Test.Act", { text: canaries.input });
  await newest();

  expect(stage.deployment.logLines.length).toBeGreaterThan(5);
  expect(found(canaries, stage.deployment.logLines.join("\n"))).toEqual([]);
  expect(found(canaries, bytesOf(stage.deployment.folder))).toEqual([]);
});
