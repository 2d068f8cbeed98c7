// Runs tools as an agent does, and reads the results for the tests of connections.
import { type RuntimeError, unavailable } from "../../src/errors";
import type { Runtime } from "../../src/runtime";
import type { Execution } from "../../src/tools";
import { agent, operator } from "../tools/deployment";

/** A call of the platform for the user. */
export function call(runtime: Runtime, userId: string, tool = "Test.Call", projectId = "default") {
  return runtime.tools.execute(agent(null, projectId), { tool_name: tool, user_id: userId });
}

/** The error of work that must fail. */
export async function refusal(work: unknown): Promise<RuntimeError> {
  try {
    await work;
  } catch (error) {
    // Services throw only this class on purpose.
    return error as RuntimeError;
  }
  throw new Error("it was not refused");
}

export function succeeded(executions: readonly Execution[]): number {
  return executions.filter(({ success }) => success).length;
}

export function times<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** The user's connection in the list for administrators. */
export async function connectionOf(runtime: Runtime, userId: string, projectId = "default") {
  const { items } = await runtime.connections.list(operator(projectId), { user_id: userId });
  return items[0];
}

/** The user's requirement for a tool. */
export async function requirementOf(runtime: Runtime, userId: string, tool = "Test.Call") {
  const report = await runtime.tools.requirements(agent(), { tool_names: [tool], user_id: userId });
  return report.authorization.items["idp"];
}

/** Waits, for at most four seconds, until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 800; tries++) {
    if (await holds()) return;
    await Bun.sleep(5);
  }
  throw new Error("it did not come about in four seconds");
}

/** The writes of a runtime fail until it is repaired. */
export function breakWrites({ core: { store } }: Runtime) {
  const write = store.write.bind(store);
  let attempts = 0;
  store.write = async () => {
    attempts++;
    throw unavailable("The database is locked.");
  };
  return {
    attempts: () => attempts,
    repair: () => {
      store.write = write;
    },
  };
}
