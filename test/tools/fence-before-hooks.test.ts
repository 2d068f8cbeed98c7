// Hooks are requests, too: those of a scheduled run are not called after another process has taken the run over.
import { expect, test } from "bun:test";
import { LeaseLost } from "../../src/store";
import { runGuarded } from "../../src/tools/guarded";

test("hooks are not called for a run that was lost", async () => {
  let calls = 0;
  const guard = { before: async () => ({ called: calls++ }) };
  const by = { fence: () => Promise.reject(new LeaseLost()) };
  const ready = { tool: {}, userId: "alice", projectId: "default" };
  // Only these parts are used before the hooks.
  const parts = { guard, runner: {}, readiness: {} } as never;
  const run = {
    ready,
    inputs: {},
    logs: [],
    by,
    ids: { id: "te", executionId: "tc" },
    decisions: [],
  } as never;

  await expect(runGuarded(parts, run)).rejects.toBeInstanceOf(LeaseLost);
  expect(calls).toBe(0);
});
