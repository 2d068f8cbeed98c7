// The routes of programs: the operations under all their addresses, and MCP. Those of browsers are in `pages/index.ts`.
import { lateAnswer } from "./answer";
import { mcpRoutes } from "./mcp";
import { type Area, loadOperation, type RoutedOperation, ROUTING } from "./operations";
import type { Answer, Means, Route } from "./route";

const ADMIN = "/v1/admin";
const SCOPE = "/v1/orgs/:org_id/projects/:project_id";

/** `means`: what requests share; it is asked for with the first that needs it. */
export function routesWith(means: () => Promise<Means>): Route[] {
  return [
    ...Object.entries(ROUTING).flatMap(([area, operations]) =>
      // Its keys are the areas.
      operations.flatMap((operation) => routesOf(area as Area, operation, means)),
    ),
    ...mcpRoutes(means),
  ];
}

/** Where an operation is served: as the table says, and under the aliases that older clients use. */
function routesOf(area: Area, operation: RoutedOperation, means: () => Promise<Means>): Route[] {
  const { method, alias, path, alsoAt = [], credential } = operation;
  const own = path.replaceAll("{", ":").replaceAll("}", "");
  const scoped = SCOPE + own.slice((own.startsWith(ADMIN) ? ADMIN : "/v1").length);
  // An address that names the project is its own alias.
  const alone = credential === "public" || path.includes("{project_id}");
  const paths = alone ? [own] : [own, scoped, ...alsoAt];
  const methods = alias === undefined ? [method] : [method, alias];
  const answer = lateAnswer(() => loadRunner(area, operation.id, means));
  return paths.flatMap((each) => methods.map((verb): Route => ({ method: verb, path: each, answer })));
}

/** What runs an operation, with its area. */
async function loadRunner(area: Area, id: string, means: () => Promise<Means>): Promise<Answer> {
  const [operation, { dispatch }, shared] = await Promise.all([
    loadOperation(area, id),
    import("./dispatch"),
    means(),
  ]);
  return (runtime, context, requestId) => {
    // Long polls and tool runs outlast the idle limit; they have limits of their own.
    if (operation.slow) context.server?.timeout(context.request, 0);
    return dispatch(runtime, operation, context, shared, requestId);
  };
}
