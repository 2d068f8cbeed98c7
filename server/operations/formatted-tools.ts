// Tools in the forms that model vendors and MCP clients take.
import { pageOf } from "../../src/base";
import { ArbitraryObject, FormattedToolQuery, FormattedToolsQuery } from "../../src/tools";
import { operation } from "./operation";

const tag = "Tools";

export const formattedToolOperations = [
  operation({
    id: "tools-list-formatted",
    method: "GET",
    path: "/v1/formatted_tools",
    tag,
    summary: "List tools as a model wants them",
    credential: ["admin", "run", "read"],
    query: FormattedToolsQuery,
    success: { status: 200, schema: pageOf(ArbitraryObject) },
    errors: [400, 401, 403, 415, 500],
    etag: true,
    handle: ({ runtime, principal, query }) => runtime.tools.listings.formattedListing(principal, query),
  }),
  operation({
    id: "tool-spec-formatted",
    method: "GET",
    path: "/v1/formatted_tools/{name}",
    tag,
    summary: "Get one tool as a model wants it",
    credential: ["admin", "run", "read"],
    query: FormattedToolQuery,
    success: { status: 200, schema: ArbitraryObject },
    errors: [400, 401, 403, 415, 500],
    etag: true,
    tool: ({ path }) => ({ name: path("name") }),
    handle: ({ runtime, principal, path, query }) =>
      runtime.tools.listings.formattedGet(principal, path("name"), query),
  }),
];
