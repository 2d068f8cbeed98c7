// Hooks of scheduled runs: called when the run is scheduled, and again when it runs.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { until } from "../connections/executing";
import { at } from "../support/api";
import { type Hooked, hooked } from "./hooked";

const HOUR_MS = 3600_000;
const HIDE = { deny: { Test: { tools: { Act: [] } } } };

let stage: Hooked;
beforeEach(async () => {
  stage = await hooked();
});
afterEach(() => stage[Symbol.asyncDispose]());

function ask() {
  const run_at = new Date(stage.deployment.clock.now() + HOUR_MS).toISOString();
  const request = { tool_name: "Test.Act", user_id: "alice", input: { text: "a" }, run_at };
  return stage.agent.post("/v1/tools/execute", request);
}

/** The run after it is due. */
async function afterItsTime(id: unknown): Promise<unknown> {
  const path = `/v1/scheduled_tools/${String(id)}`;
  stage.deployment.clock.move(HOUR_MS);
  await until(async () => at((await stage.agent.get(path)).body, "finished_at") !== undefined);
  return (await stage.agent.get(path)).body;
}

test("a hidden tool cannot be scheduled", async () => {
  await stage.plugin({ points: ["access"] });
  stage.project.respond = () => HIDE;

  const answer = await ask();

  expect([answer.status, at(answer.body, "name")]).toEqual([400, "tool_not_found"]);
  expect(at((await stage.agent.get("/v1/scheduled_tools")).body, "total_count")).toBe(0);
});

test("a failing hook is reported immediately, and nothing is scheduled", async () => {
  await stage.plugin({ points: ["access"] });
  stage.project.respond = (_asked, response) => void response.writeHead(500).end();

  const { body } = await ask();

  expect(at(body, "output.error.kind")).toBe("CONTEXT_CHECK_FAILED");
  expect([at(body, "execution_type"), at(body, "status")]).toEqual(["scheduled", "failed"]);
  expect(at((await stage.agent.get("/v1/scheduled_tools")).body, "total_count")).toBe(0);
});

test("a tool that is hidden when the run is due does not run", async () => {
  const { body } = await ask();
  await stage.plugin({ points: ["access"] });
  stage.project.respond = () => HIDE;

  const run = await afterItsTime(at(body, "id"));

  expect(at(run, "execution_status")).toBe("failed");
  expect(at(run, "attempts.0.system_error_message")).toContain("There is no tool");
  expect(stage.deployment.test.runs).toBe(0);
});

test("a denied run fails without running the tool", async () => {
  await stage.plugin({ points: ["pre"] });
  const { body } = await ask();
  expect(stage.project.count("pre")).toBe(0);
  stage.project.respond = () => ({ code: "CHECK_FAILED", error_message: "not at night" });

  const run = await afterItsTime(at(body, "id"));

  expect(at(run, "attempts.0.output.error")).toMatchObject({ kind: "CONTEXT_DENIED", can_retry: false });
  expect(at(run, "attempts.0.output.error.message")).toContain("not at night");
  expect([at(run, "execution_status"), stage.deployment.test.runs]).toEqual(["failed", 0]);
});

test("changed inputs and outputs are used and stored", async () => {
  stage.deployment.test.act = async (input) => ({ told: input["text"] });
  await stage.plugin({ points: ["pre", "post"] });
  stage.project.respond = ({ path, body }) =>
    path === "pre"
      ? { code: "OK", override: { inputs: { text: "b" } } }
      : { code: "OK", override: { output: { ...Object(body["output"]), seen: true } } };
  const { body } = await ask();

  const run = await afterItsTime(at(body, "id"));

  expect(at(run, "input")).toEqual({ text: "a" });
  expect(at(run, "attempts.0.output.value")).toEqual({ told: "b", seen: true });
});
