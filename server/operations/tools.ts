// Tools: which exist, what they need, and running them.
import { AuthorizationResponse } from "../../src/authorization";
import { pageOf } from "../../src/base";
import {
  AuthorizeToolRequest,
  ExecuteToolRequest,
  ExecuteToolResponse,
  ToolQuery,
  ToolRequirementsRequest,
  ToolRequirementsResponse,
  ToolResponse,
  ToolsQuery,
} from "../../src/tools";
import { operation } from "./operation";

const tag = "Tools";

export const toolOperations = [
  operation({
    id: "tools-list",
    method: "GET",
    path: "/v1/tools",
    tag,
    summary: "List tools",
    credential: ["admin", "run", "read"],
    query: ToolsQuery,
    success: { status: 200, schema: pageOf(ToolResponse) },
    errors: [400, 401, 403, 415, 500],
    etag: true,
    handle: ({ runtime, principal, query }) => runtime.tools.listings.listing(principal, query),
  }),
  operation({
    id: "tool-get",
    method: "GET",
    path: "/v1/tools/{name}",
    tag,
    summary: "Get one tool",
    credential: ["admin", "run", "read"],
    query: ToolQuery,
    success: { status: 200, schema: ToolResponse },
    errors: [400, 401, 403, 415, 500],
    tool: ({ path }) => ({ name: path("name") }),
    handle: ({ runtime, principal, path, query }) =>
      runtime.tools.listings.get(principal, path("name"), query),
  }),
  operation({
    id: "tool-requirements",
    method: "POST",
    path: "/v1/tools/requirements",
    tag,
    summary: "Ask what tools need that a user still owes",
    credential: ["admin", "run"],
    body: ToolRequirementsRequest,
    success: { status: 200, schema: ToolRequirementsResponse },
    errors: [400, 401, 403, 413, 415, 500],
    handle: ({ runtime, principal, body }) => runtime.tools.requirements(principal, body),
  }),
  operation({
    id: "tool-authorize",
    method: "POST",
    path: "/v1/tools/authorize",
    tag,
    summary: "Start the consent for exactly the scopes of a tool",
    credential: ["admin", "run"],
    body: AuthorizeToolRequest,
    success: { status: 200, schema: AuthorizationResponse },
    errors: [400, 401, 403, 413, 415, 500],
    remembersAnswer: true,
    tool: ({ body }) => ({ name: body.tool_name, version: body.tool_version }),
    handle: ({ runtime, principal, body }) => runtime.tools.authorize(principal, body),
  }),
  operation({
    id: "tool-execute",
    method: "POST",
    path: "/v1/tools/execute",
    tag,
    summary: "Run a tool for a user",
    credential: ["admin", "run"],
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
