// Tools, on the data folder and over HTTP.
import type { Authorization } from "../../src/authorization";
import type { Page } from "../../src/base";
import type { AuthorizeTool, ExecuteTool, Execution, ToolRecord } from "../../src/tools";
import { capability } from "./client";
import { path } from "./http";

export interface ToolsFilter {
  toolkit?: string;
  user_id?: string;
  include_all_versions?: boolean;
  limit?: number;
  offset?: number;
}

export const listTools = capability<[filter: ToolsFilter], Page<ToolRecord>>({
  direct: ({ runtime, principal }, filter) => runtime.tools.listings.list(principal, filter),
  remote: (server, filter) => server.get("/v1/tools", { ...filter }),
});

export const getTool = capability<[name: string, query: { user_id?: string }], ToolRecord>({
  direct: ({ runtime, principal }, name, query) => runtime.tools.listings.get(principal, name, query),
  remote: (server, name, query) => server.get(path("/v1/tools/", name), query),
});

export const authorizeTool = capability<[request: AuthorizeTool], Authorization>({
  direct: async ({ runtime, principal, checked, server }, request) => {
    const { AuthorizeToolRequest } = await import("../../src/tools/schema");
    await server();
    return runtime.tools.authorize(principal, checked(AuthorizeToolRequest, request));
  },
  remote: (server, request) => server.send("POST", "/v1/tools/authorize", request),
});

export const executeTool = capability<[request: ExecuteTool], Execution>({
  direct: async ({ runtime, principal, checked, server }, request) => {
    const { ExecuteToolRequest } = await import("../../src/tools/schema");
    // Before anything looks at providers: their addresses are made for the server that runs.
    await server();
    return runtime.tools.execute(principal, checked(ExecuteToolRequest, request));
  },
  remote: (server, request) => server.send("POST", "/v1/tools/execute", request),
});
