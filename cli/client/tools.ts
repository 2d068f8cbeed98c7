// Tools, on the data folder and over HTTP.
import type { Authorization } from "../../src/authorization";
import type { Page } from "../../src/base";
import type { AuthorizeTool, ExecuteTool, Execution, ToolRecord } from "../../src/tools";
import { operation } from "./client";
import { path } from "./http";

export interface ToolsFilter {
  toolkit?: string;
  query?: string;
  user_id?: string;
  include_all_versions?: boolean;
  limit?: number;
  offset?: number;
}

export const listTools = operation<[filter: ToolsFilter], Page<ToolRecord>>({
  direct: ({ runtime, principal }, filter) => runtime.tools.listings.list(principal, filter),
  remote: (server, filter) => server.get("/v1/tools", { ...filter }),
});

export const getTool = operation<
  [name: string, query: { user_id?: string; include_format?: string[] }],
  ToolRecord
>({
  direct: ({ runtime, principal }, name, query) => runtime.tools.listings.get(principal, name, query),
  remote: (server, name, query) => server.get(path("/v1/tools/", name), query),
});

export const authorizeTool = operation<[request: AuthorizeTool], Authorization>({
  direct: async ({ served, principal, checked }, request) => {
    const { AuthorizeToolRequest } = await import("../../src/tools/schema");
    return (await served()).tools.authorize(principal, checked(AuthorizeToolRequest, request));
  },
  remote: (server, request) => server.send("POST", "/v1/tools/authorize", request),
});

export const executeTool = operation<[request: ExecuteTool], Execution>({
  direct: async ({ served, principal, checked }, request) => {
    const { ExecuteToolRequest } = await import("../../src/tools/schema");
    return (await served()).tools.execute(principal, checked(ExecuteToolRequest, request), { entry: "cli" });
  },
  remote: (server, request) => server.send("POST", "/v1/tools/execute", request),
});
