// A clock that is set ahead by 100 days and back again: grants work, nothing is deleted too early, keys are not dropped
// while they are used. More: test/base/trusted-time.test.ts, test/store/lease.test.ts and test/simulator.
import { expect, test } from "bun:test";
import { call } from "../connections/executing";
import { RotatingGrants } from "../support/token-endpoint";
import { deploy, operator } from "../tools/deployment";
import { printFigure } from "./figure";

const DAY_MS = 24 * 3600_000;
const JUMPS = [100 * DAY_MS, -100 * DAY_MS, 400 * DAY_MS, -400 * DAY_MS];

test("grants, log entries and keys survive jumps of the clock", async () => {
  await using deployment = await deploy();
  const { runtime, clock } = deployment;
  const grants = new RotatingGrants();
  await deployment.addProvider();
  await deployment.give("alice", grants.issue("alice"));
  deployment.idp.otherwise(grants.answer);
  await runtime.secrets.upsert(operator(), "A", { value: "kept" });
  let succeeded = 0;
  const work = async (): Promise<void> => {
    if ((await call(runtime, "alice")).success) succeeded++;
    await runtime.rotation.rotateDataKey(operator());
    await runtime.rotation.dropRetiredKeys();
    expect(await runtime.secrets.value("default", "A")).toBe("kept");
  };
  await work();
  for (const jump of JUMPS) {
    clock.jump(jump);
    await work();
  }
  const calls = JUMPS.length + 1;
  expect(succeeded).toBe(calls);
  const { items } = await runtime.trail.executions(operator(), { limit: 100 });
  expect(items.length).toBe(calls);
  printFigure(
    "clock",
    `${JUMPS.length} jumps of 100 to 400 days: ${succeeded} of ${calls} calls, 0 log entries deleted`,
  );
});
