// Scheduled runs, on the data folder and over HTTP.
import type { Page } from "../../src/base";
import type { ToolExecution, ToolExecutionDetail } from "../../src/tools";
import { capability } from "./client";
import { path } from "./http";

export interface ScheduledFilter {
  limit?: number;
  offset?: number;
}

export const listScheduled = capability<[filter: ScheduledFilter], Page<ToolExecution>>({
  direct: ({ runtime, principal }, filter) => runtime.tools.scheduled.list(principal, filter),
  remote: (server, filter) => server.get("/v1/scheduled_tools", { ...filter }),
});

export const getScheduled = capability<[id: string], ToolExecutionDetail>({
  direct: ({ runtime, principal }, id) => runtime.tools.scheduled.get(principal, id),
  remote: (server, id) => server.get(path("/v1/scheduled_tools/", id)),
});
