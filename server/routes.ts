// Every route: the operations under all their addresses, the pages for browsers, the files for discovery.
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import { identifying } from "./answer";
import { dispatch, type Incoming, type Means } from "./dispatch";
import { mcpRoutes } from "./mcp";
import { type Operation, operations } from "./operations";
import { callback, confirmConsent, openConsent, signInCallback } from "./pages/consent";
import { docsFile, openDescription, openDocs } from "./pages/docs";
import { apiCatalog, llmsText } from "./pages/docs-catalog";
import { openPicker, pickerScript } from "./pages/picker";

export interface Context {
  request: Request;
  /** Parameters of the path, decoded by the router; none on routes without. */
  params: Incoming["params"];
  server: { timeout(request: Request, seconds: number): void } | null;
}
/** Answers a request with its request id on the answer. */
export type Answer = (runtime: Runtime, context: Context, requestId: string) => Awaitable<Response>;

export interface Route {
  method: string;
  /** As the router reads it: `/authorize/:token`. */
  path: string;
  answer: Answer;
}

export function routesWith(means: Means): Route[] {
  return [
    ...operations.flatMap((operation) => routesOf(operation, means)),
    ...mcpRoutes(means),
    ...PAGES.map((route) => ({ ...route, answer: identifying(route.answer) })),
  ];
}

const get = (path: string, answer: Answer): Route => ({ method: "GET", path, answer });
const post = (path: string, answer: Answer): Route => ({ method: "POST", path, answer });

const PAGES: readonly Route[] = [
  get("/authorize/:token", (runtime, { request, params }) =>
    openConsent(runtime, request, params["token"] ?? ""),
  ),
  post("/authorize/:token", (runtime, { request, params }) =>
    confirmConsent(runtime, request, params["token"] ?? ""),
  ),
  get("/api/v1/oauth/:external_id/callback", (runtime, { request, params }) =>
    callback(runtime, request, params["external_id"] ?? ""),
  ),
  get("/api/v1/auth/callback", (runtime, { request }) => signInCallback(runtime, request)),
  get("/google/drive_picker", (runtime, { request }) => openPicker(runtime, request)),
  get("/google/drive_picker.js", () => pickerScript()),
  get("/openapi.json", (runtime, { request }) => openDescription(runtime, request)),
  get("/v1/swagger/ui", () => openDocs()),
  get("/v1/swagger/ui/:file", (_runtime, { params }) => docsFile(params["file"] ?? "")),
  get("/.well-known/api-catalog", (runtime) => apiCatalog(runtime)),
  get("/llms.txt", (runtime) => llmsText(runtime)),
];

/** Where an operation is served: as the table says, and under the aliases that older clients use. */
function routesOf(operation: Operation, means: Means): Route[] {
  const { method, alias, path, alsoAt = [], credential } = operation;
  const own = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const scoped = own.replace(/^\/v1(?:\/admin)?/, "/v1/orgs/:org_id/projects/:project_id");
  // An address that names the project is its own alias.
  const alone = credential === "public" || path.includes("{project_id}");
  const paths = alone ? [own] : [own, scoped, ...alsoAt];
  const methods = alias === undefined ? [method] : [method, alias];
  const answer = runOperation(operation, means);
  return paths.flatMap((each) => methods.map((verb): Route => ({ method: verb, path: each, answer })));
}

function runOperation(operation: Operation, means: Means): Answer {
  return (runtime, context, requestId) => {
    // Long polls and tool runs outlast the idle limit; they have limits of their own.
    if (operation.slow) context.server?.timeout(context.request, 0);
    return dispatch(runtime, operation, context, means, requestId);
  };
}
