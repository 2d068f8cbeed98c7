// Schemas of scheduled runs.
import { type Static, Type } from "typebox";
import { pagingQuery } from "../../base/schema";
import { ExecutionOutputRecord } from "../schema";

export const RUN_STATUSES = ["pending", "running", "completed", "failed", "cancelled"] as const;

const time = Type.String({ format: "date-time" });

export const ScheduledToolsQuery = Type.Object({ ...pagingQuery });

const fields = {
  id: Type.String(),
  tool_name: Type.String(),
  toolkit_name: Type.String(),
  toolkit_version: Type.String(),
  user_id: Type.String(),
  execution_type: Type.Enum(["scheduled"]),
  execution_status: Type.Enum([...RUN_STATUSES]),
  created_at: time,
  run_at: time,
  started_at: Type.Optional(time),
  finished_at: Type.Optional(time),
  updated_at: time,
};

export const ToolExecution = Type.Object(fields);

export const ToolExecutionAttempt = Type.Object({
  id: Type.String(),
  success: Type.Boolean(),
  started_at: time,
  finished_at: Type.Optional(time),
  output: Type.Optional(ExecutionOutputRecord),
  system_error_message: Type.Optional(
    Type.String({ description: "Why the attempt ended without an answer of the tool." }),
  ),
});

export const ToolExecutionDetail = Type.Object({
  ...fields,
  input: Type.Record(Type.String(), Type.Unknown()),
  attempts: Type.Array(ToolExecutionAttempt),
});

export type ScheduledToolsFilter = Static<typeof ScheduledToolsQuery>;
export type ToolExecution = Static<typeof ToolExecution>;
export type ToolExecutionAttempt = Static<typeof ToolExecutionAttempt>;
export type ToolExecutionDetail = Static<typeof ToolExecutionDetail>;
