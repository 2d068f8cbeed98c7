// The routes of programs: the operations under all their addresses, and MCP. Those of browsers are in `pages/index.ts`.
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
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
  ];
}

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
