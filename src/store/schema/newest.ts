import { executionLogMigrations } from "./execution-log";
import { mainMigrations } from "./main";

/** The newest migration of each database that this version knows. */
export function newestSchema(): { runtime: number; executions: number } {
  return {
    runtime: mainMigrations.at(-1)?.version ?? 0,
    executions: executionLogMigrations.at(-1)?.version ?? 0,
  };
}
