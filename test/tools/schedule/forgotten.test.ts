// Scheduled runs that ended long ago give way to new ones; those that still wait do not, however long ago they were asked for.
import { expect, test } from "bun:test";
import { query } from "../../../src/store";
import { agent, deploy, type Deployment, operator } from "../deployment";
import { ended, look, schedule } from "./scheduling";

const DAY_MS = 24 * 3600_000;
const ATTEMPTS = query<{ count: number }>("SELECT COUNT(*) AS count FROM scheduled_attempts");

async function past(environment: Record<string, string> = {}): Promise<Deployment & { waiting: string }> {
  const deployment = await deploy({ environment });
  const { runtime, clock } = deployment;
  const worker = runtime.tools.startWorker();
  const ids = await Promise.all(Array.from({ length: 25 }, () => schedule(runtime)));
  for (const id of ids) await ended(runtime, id);
  await worker.stop();
  // A server that has been idle for so long first waits a day: its clock may be wrong.
  clock.move(89 * DAY_MS);
  const waiting = await schedule(runtime, { at: new Date(clock.now() + 300 * DAY_MS).toISOString() });
  clock.move(2 * DAY_MS);
  return Object.assign(deployment, { waiting });
}

const total = async ({ runtime }: Deployment) =>
  (await runtime.tools.scheduled.list(agent(), {})).total_count;

test("runs are deleted with their attempts 90 days after their end, and no longer counted", async () => {
  await using deployment = await past();
  const { runtime, waiting } = deployment;
  expect(await total(deployment)).toBe(26);

  await schedule(runtime);
  expect(await total(deployment)).toBe(26 + 1 - 20);
  const last = await schedule(runtime);

  expect(await total(deployment)).toBe(3);
  expect((await runtime.core.store.get(ATTEMPTS))?.count).toBe(0);
  expect((await look(runtime, waiting)).execution_status).toBe("pending");
  expect((await look(runtime, last)).execution_status).toBe("pending");
});

test("runs are kept forever if configured", async () => {
  await using deployment = await past({ RUNTIME_EXECUTIONS_KEEP_DAYS: "0" });
  await schedule(deployment.runtime);
  expect(await total(deployment)).toBe(27);
});

test("runs of another project are deleted and no longer counted", async () => {
  await using deployment = await past();
  const { runtime } = deployment;
  await runtime.identity.createProject(operator(), "second", "second");
  const other = agent(null, "second");
  for (let run = 0; run < 2; run++)
    await runtime.tools.execute(other, {
      tool_name: "Test.Act",
      user_id: "alice",
      run_at: new Date(deployment.clock.now() + DAY_MS).toISOString(),
    });

  expect(await total(deployment)).toBe(1);
  expect((await runtime.tools.scheduled.list(other, {})).total_count).toBe(2);
});
