// Tools: their list, their requirements, and calls.
import { AuthorizationResponse } from "../../src/authorization/schema";
import { pageOf } from "../../src/base/schema";
import {
  AuthorizeToolRequest,
  ExecuteToolRequest,
  ExecuteToolResponse,
  ToolQuery,
  ToolRequirementsRequest,
  ToolRequirementsResponse,
  ToolResponse,
  ToolsQuery,
} from "../../src/tools/schema";
import { operation } from "./operation";

const tag = "Tools";

export const toolOperations = [
  operation("GET", "/v1/tools", {
    id: "tools-list",
    credential: ["admin", "run", "read"],
    tag,
    summary: "List tools",
    query: ToolsQuery,
    success: { status: 200, schema: pageOf(ToolResponse) },
    errors: [400, 401, 403, 415, 500],
    etag: "text",
    handle: ({ runtime, principal, query }) => runtime.tools.listings.listing(principal, query),
  }),
  operation("GET", "/v1/tools/{name}", {
    id: "tool-get",
    credential: ["admin", "run", "read"],
    tag,
    summary: "Get one tool",
    query: ToolQuery,
    success: { status: 200, schema: ToolResponse },
    errors: [400, 401, 403, 415, 500],
    tool: ({ path }) => ({ name: path("name") }),
    handle: ({ runtime, principal, path, query }) =>
      runtime.tools.listings.get(principal, path("name"), query),
  }),
  operation("POST", "/v1/tools/requirements", {
    id: "tool-requirements",
    credential: ["admin", "run"],
    tag,
    summary: "Get which requirements of tools are missing for a user",
    body: ToolRequirementsRequest,
    success: { status: 200, schema: ToolRequirementsResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.tools.requirements(principal, body),
  }),
  operation("POST", "/v1/tools/authorize", {
    id: "tool-authorize",
    credential: ["admin", "run"],
    tag,
    summary: "Start the consent for exactly the scopes of a tool",
    body: AuthorizeToolRequest,
    success: { status: 200, schema: AuthorizationResponse },
    errors: [400, 401, 403, 413, 415, 500],
    remembersAnswer: true,
    tool: ({ body }) => ({ name: body.tool_name, version: body.tool_version }),
    handle: ({ runtime, principal, body }) => runtime.tools.authorize(principal, body),
  }),
  operation("POST", "/v1/tools/execute", {
    id: "tool-execute",
    credential: ["admin", "run"],
    tag,
    summary: "Run a tool for a user",
    body: ExecuteToolRequest,
    success: { status: 200, schema: ExecuteToolResponse },
    errors: [400, 401, 403, 413, 415, 500],
    takesIdempotencyKey: true,
    slow: true,
    tool: ({ body }) => ({ name: body.tool_name, version: body.tool_version }),
    handle: async ({ runtime, principal, body, idempotencyKey, departure }) => {
      using signal = departure();
      return await runtime.tools.execute(principal, body, { idempotencyKey, signal });
    },
  }),
];
