// Asks the running servers of a data folder for the state of their log, or for another one.
import type { LogLevel } from "../src/base";
import { AccessLogResponse, LogLevelResponse } from "../src/log-level";
import type { Runtime } from "../src/runtime";
import { answersOfRunning } from "./ask-servers";

export type ServerLevel = LogLevelResponse & { server: string };
export type ServerAccess = AccessLogResponse & { server: string };

/** The levels of all running servers; with a `level`, after it was set until a time (ms) or a restart. */
export function levelsOfServers(
  runtime: Runtime,
  level: LogLevel | undefined,
  until: number | undefined,
): Promise<ServerLevel[]> {
  const question = { purpose: "log level", method: "PUT", path: "/v1/log_level" } as const;
  const members = present({ level, until });
  return answersOfRunning<LogLevelResponse>(runtime, { ...question, schema: LogLevelResponse }, members);
}

/** Whether the running servers have an access log; with `access`, after it was switched until a time (ms) or a restart. */
export function accessOfServers(
  runtime: Runtime,
  access: boolean | undefined,
  until: number | undefined,
): Promise<ServerAccess[]> {
  const question = { purpose: "access log", method: "PUT", path: "/v1/access_log" } as const;
  const members = present({ access, until });
  return answersOfRunning<AccessLogResponse>(runtime, { ...question, schema: AccessLogResponse }, members);
}

function present(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
