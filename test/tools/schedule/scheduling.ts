// What the tests of scheduled runs share: asking for one, and waiting for how it ends.
import { spyOn } from "bun:test";
import { until } from "../../connections/executing";
import type { Runtime } from "../../../src/runtime";
import type { Principal } from "../../../src/identity";
import type { ToolExecutionDetail } from "../../../src/tools/schedule/schema";
import { type MovableClock, operator } from "../deployment";

/** Long past: as soon as possible. */
export const AT_ONCE = "2020-01-01T00:00:00";

export interface Asked {
  tool?: string;
  input?: { [key: string]: unknown };
  at?: string;
  user?: string;
  principal?: Principal;
}

/** The id of the run. */
export async function schedule(runtime: Runtime, asked: Asked = {}): Promise<string> {
  const { tool = "Test.Act", input = {}, at = AT_ONCE, user = "alice", principal = operator() } = asked;
  const request = { tool_name: tool, user_id: user, input, run_at: at };
  return (await runtime.tools.execute(principal, request)).id;
}

export function look(runtime: Runtime, id: string): Promise<ToolExecutionDetail> {
  return runtime.tools.scheduled.get(operator(), id);
}

/** The run once it has ended. */
export async function ended(runtime: Runtime, id: string): Promise<ToolExecutionDetail> {
  await until(async () => (await look(runtime, id)).finished_at !== undefined);
  return look(runtime, id);
}

/** Returns after workers have paused so many times: between two pauses of one, it has looked for due runs. */
export async function looked(clock: MovableClock, pauses = 2): Promise<void> {
  const sleep = spyOn(clock, "sleep");
  await until(() => sleep.mock.calls.length >= pauses);
  sleep.mockRestore();
}
