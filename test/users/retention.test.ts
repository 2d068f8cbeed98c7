// How long consents and scheduled runs are kept, by their settings.
import { expect, test } from "bun:test";
import { query } from "../../src/store";
import { agent, deploy, type Deployment } from "../tools/deployment";
import { ended, schedule } from "../tools/schedule/scheduling";

const DAY_MS = 24 * 3600_000;
const FLOWS = query<{ count: number }>("SELECT COUNT(*) AS count FROM authorizations");

/** How many consents are stored after one a day for this many days; each has other scopes. */
async function consentsAfter(days: number, environment: Record<string, string> = {}): Promise<number> {
  await using deployment = await deploy({ environment });
  await deployment.addProvider();
  const { runtime, clock } = deployment;
  for (let day = 0; day < days; day++) {
    const auth_requirement = { id: "idp", oauth2: { scopes: [`scope-${day}`] } };
    await runtime.authorization.authorize(agent(), { auth_requirement, user_id: "alice" });
    clock.move(DAY_MS + 1000);
  }
  return (await runtime.core.store.get(FLOWS))?.count ?? 0;
}

test("consents are kept for a week after their expiry, for a set number of days, or forever", async () => {
  const week = await consentsAfter(14);
  const two = await consentsAfter(14, { RUNTIME_CONSENTS_KEEP_DAYS: "2" });
  const forever = await consentsAfter(14, { RUNTIME_CONSENTS_KEEP_DAYS: "0" });

  expect(week).toBeLessThan(14);
  expect(two).toBeLessThan(week);
  expect(forever).toBe(14);
});

/** Scheduled runs that are left when another one is added 20 days after one has ended. */
async function runsAfter(environment: Record<string, string>): Promise<number> {
  await using deployment: Deployment = await deploy({ environment });
  const { runtime, clock } = deployment;
  const worker = runtime.tools.startWorker();
  await ended(runtime, await schedule(runtime));
  await worker.stop();
  const later = () => schedule(runtime, { at: new Date(clock.now() + 300 * DAY_MS).toISOString() });
  // A server that has been idle for so long first waits a day: its clock may be wrong.
  clock.move(20 * DAY_MS);
  await later();
  clock.move(2 * DAY_MS);
  await later();
  return (await runtime.tools.scheduled.list(agent(), {})).total_count;
}

test("scheduled runs have a time of their own, otherwise that of the execution log", async () => {
  expect(await runsAfter({})).toBe(3);
  expect(await runsAfter({ RUNTIME_SCHEDULED_KEEP_DAYS: "10" })).toBe(2);
  expect(await runsAfter({ RUNTIME_EXECUTIONS_KEEP_DAYS: "10" })).toBe(2);
  expect(await runsAfter({ RUNTIME_EXECUTIONS_KEEP_DAYS: "10", RUNTIME_SCHEDULED_KEEP_DAYS: "0" })).toBe(3);
});
