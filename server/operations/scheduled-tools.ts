// Scheduled runs (`run_at` of tool-execute).
import { pageOf } from "../../src/base/schema";
import { ScheduledToolsQuery, ToolExecution, ToolExecutionDetail } from "../../src/tools/schedule/schema";
import { operation } from "./operation";

const tag = "Tools";

export const scheduledToolOperations = [
  operation("GET", "/v1/scheduled_tools", {
    id: "scheduled-tools-list",
    credential: ["admin", "run", "read"],
    tag,
    summary: "List scheduled runs, newest first",
    query: ScheduledToolsQuery,
    success: { status: 200, schema: pageOf(ToolExecution) },
    errors: [400, 401, 403, 415, 500],
    handle: ({ runtime, principal, query }) => runtime.tools.scheduled.list(principal, query),
  }),
  operation("GET", "/v1/scheduled_tools/{id}", {
    id: "scheduled-tool-get",
    credential: ["admin", "run", "read"],
    tag,
    summary: "Get one scheduled run with its attempts",
    success: { status: 200, schema: ToolExecutionDetail },
    errors: [400, 401, 403, 415, 500],
    handle: ({ runtime, principal, path }) => runtime.tools.scheduled.get(principal, path("id")),
  }),
  operation("POST", "/v1/scheduled_tools/{id}/cancel", {
    id: "scheduled-tool-cancel",
    extension: true,
    credential: ["admin", "run"],
    tag,
    summary: "Cancel a scheduled run that has not begun",
    success: { status: 200, schema: ToolExecutionDetail },
    errors: [401, 403, 404, 409, 415, 500],
    handle: ({ runtime, principal, path }) => runtime.tools.scheduled.cancel(principal, path("id")),
  }),
];
