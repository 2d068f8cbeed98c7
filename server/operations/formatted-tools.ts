// Tools in the formats of model vendors and MCP clients.
import { pageOf } from "../../src/base/schema";
import { ArbitraryObject, FormattedToolQuery, FormattedToolsQuery } from "../../src/tools/schema";
import { operation } from "./operation";

const tag = "Tools";

export const formattedToolOperations = [
  operation("GET", "/v1/formatted_tools", {
    id: "tools-list-formatted",
    credential: ["admin", "run", "read"],
    tag,
    summary: "List tools in the format of a model vendor",
    query: FormattedToolsQuery,
    success: { status: 200, schema: pageOf(ArbitraryObject) },
    errors: [400, 401, 403, 415, 500],
    etag: "text",
    handle: ({ runtime, principal, query }) => runtime.tools.listings.formattedListing(principal, query),
  }),
  operation("GET", "/v1/formatted_tools/{name}", {
    id: "tool-spec-formatted",
    credential: ["admin", "run", "read"],
    tag,
    summary: "Get one tool in the format of a model vendor",
    query: FormattedToolQuery,
    success: { status: 200, schema: ArbitraryObject },
    errors: [400, 401, 403, 415, 500],
    etag: "text",
    tool: ({ path }) => ({ name: path("name") }),
    handle: ({ runtime, principal, path, query }) =>
      runtime.tools.listings.formattedGet(principal, path("name"), query),
  }),
];
