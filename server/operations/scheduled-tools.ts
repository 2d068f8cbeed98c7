// Runs that were asked for ahead of time (`run_at` on tool-execute).
import { pageOf } from "../../src/base";
import { ScheduledToolsQuery, ToolExecution, ToolExecutionDetail } from "../../src/tools";
import { operation } from "./operation";

const tag = "Tools";

export const scheduledToolOperations = [
  operation({
    id: "scheduled-tools-list",
    method: "GET",
    path: "/v1/scheduled_tools",
    tag,
    summary: "List scheduled runs, newest first",
    credential: ["admin", "run", "read"],
    query: ScheduledToolsQuery,
    success: { status: 200, schema: pageOf(ToolExecution) },
    errors: [400, 401, 403, 415, 500],
    handle: ({ runtime, principal, query }) => runtime.tools.scheduled.list(principal, query),
  }),
  operation({
    id: "scheduled-tool-get",
    method: "GET",
    path: "/v1/scheduled_tools/{id}",
    tag,
    summary: "Get one scheduled run with its attempts",
    credential: ["admin", "run", "read"],
    success: { status: 200, schema: ToolExecutionDetail },
    errors: [400, 401, 403, 415, 500],
    handle: ({ runtime, principal, path }) => runtime.tools.scheduled.get(principal, path("id")),
  }),
];
