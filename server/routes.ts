// Every route: the operations under all their addresses, the pages for browsers, the files for discovery.
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import { identifying } from "./answer";
import { dispatch, type Incoming, type Means } from "./dispatch";
import { mcpRoutes } from "./mcp";
import {
  type Area,
  loadOperation,
  type Method,
  type Operation,
  type RoutedOperation,
  ROUTING,
} from "./operations";

export interface Context {
  request: Request;
  /** Parameters of the path, decoded by the router; none on routes without. */
  params: Incoming["params"];
  server: { timeout(request: Request, seconds: number): void } | null;
}
/** Answers a request with its request id on the answer. */
export type Answer = (runtime: Runtime, context: Context, requestId: string) => Awaitable<Response>;

export interface Route {
  method: Method;
  /** As the router reads it: `/authorize/:token`. */
  path: string;
  answer: Answer;
}

export function routesWith(means: Means): Route[] {
  return [
    ...Object.entries(ROUTING).flatMap(([area, operations]) =>
      // Its keys are the areas.
      operations.flatMap((operation) => routesOf(area as Area, operation, means)),
    ),
    ...mcpRoutes(means),
    ...PAGES.map((route) => ({ ...route, answer: identifying(route.answer) })),
  ];
}

const get = (path: string, answer: Answer): Route => ({ method: "GET", path, answer });
const post = (path: string, answer: Answer): Route => ({ method: "POST", path, answer });

// Loaded when they are asked for, like the operations.
const consent = () => import("./pages/consent");
const docs = () => import("./pages/docs");
const catalog = () => import("./pages/docs-catalog");
const picker = () => import("./pages/picker");

const PAGES: readonly Route[] = [
  get("/authorize/:token", async (runtime, { request, params }) =>
    (await consent()).openConsent(runtime, request, params["token"] ?? ""),
  ),
  post("/authorize/:token", async (runtime, { request, params }) =>
    (await consent()).confirmConsent(runtime, request, params["token"] ?? ""),
  ),
  get("/api/v1/oauth/:external_id/callback", async (runtime, { request, params }) =>
    (await consent()).callback(runtime, request, params["external_id"] ?? ""),
  ),
  get("/api/v1/auth/callback", async (runtime, { request }) =>
    (await consent()).signInCallback(runtime, request),
  ),
  get("/google/drive_picker", async (runtime, { request }) => (await picker()).openPicker(runtime, request)),
  get("/google/drive_picker.js", async () => (await picker()).pickerScript()),
  get("/openapi.json", async (runtime, { request }) => (await docs()).openDescription(runtime, request)),
  get("/v1/swagger/ui", async () => (await docs()).openDocs()),
  get("/v1/swagger/ui/:file", async (_runtime, { params }) => (await docs()).docsFile(params["file"] ?? "")),
  get("/.well-known/api-catalog", async (runtime) => (await catalog()).apiCatalog(runtime)),
  get("/llms.txt", async (runtime) => (await catalog()).llmsText(runtime)),
];

/** Where an operation is served: as the table says, and under the aliases that older clients use. */
function routesOf(area: Area, operation: RoutedOperation, means: Means): Route[] {
  const { method, alias, path, alsoAt = [], credential } = operation;
  const own = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const scoped = own.replace(/^\/v1(?:\/admin)?/, "/v1/orgs/:org_id/projects/:project_id");
  // An address that names the project is its own alias.
  const alone = credential === "public" || path.includes("{project_id}");
  const paths = alone ? [own] : [own, scoped, ...alsoAt];
  const methods = alias === undefined ? [method] : [method, alias];
  const answer = runLoaded(area, operation.id, means);
  return paths.flatMap((each) => methods.map((verb): Route => ({ method: verb, path: each, answer })));
}

/** The first request to an operation waits until its area is loaded. */
function runLoaded(area: Area, id: string, means: Means): Answer {
  let loaded: Operation | undefined;
  return (runtime, context, requestId) => {
    if (loaded !== undefined) return runOperation(loaded, means, runtime, context, requestId);
    return loadOperation(area, id).then((operation) => {
      loaded = operation;
      return runOperation(operation, means, runtime, context, requestId);
    });
  };
}

function runOperation(
  operation: Operation,
  means: Means,
  runtime: Runtime,
  context: Context,
  requestId: string,
): Awaitable<Response> {
  // Long polls and tool runs outlast the idle limit; they have limits of their own.
  if (operation.slow) context.server?.timeout(context.request, 0);
  return dispatch(runtime, operation, context, means, requestId);
}
