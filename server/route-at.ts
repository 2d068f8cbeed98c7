// Which route a path means, without the router: for what the router leaves over (another method of an address that it
// knows, `HEAD`, an address that only one of two patterns serves with this method), for the refusal of a method (`Allow`,
// RFC 9110, section 10.2.1), and for browsers that ask before they send.
import type { Incoming, Route } from "./route";

export interface RouteAt {
  route: Route;
  params: Incoming["params"];
}

/** The route of a method at a path; of two that fit, the one that names more of it. HEAD is served like GET. */
export function routeAt(routes: readonly Route[], method: string, path: string): RouteAt | undefined {
  const wanted = method === "HEAD" ? "GET" : method;
  const given = path.split("/");
  const [route] = routes
    .filter((each) => each.method === wanted && fits(each.path, path))
    .sort((a, b) => variables(a.path) - variables(b.path));
  if (route === undefined) return undefined;
  const names = route.path.split("/").entries();
  const params = [...names].flatMap(([index, part]) =>
    part.startsWith(":") ? [[part.slice(1), decoded(given[index] ?? "")] as const] : [],
  );
  return { route, params: Object.fromEntries(params) };
}

/** The methods that some route takes at this path, HEAD beside GET; empty when there is no such path. */
export function allowedMethods(routes: readonly Route[], path: string): string[] {
  const methods = routes.filter((route) => fits(route.path, path)).map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])))];
}

// `:name` stands for one part of the path, whatever it holds.
function fits(pattern: string, path: string): boolean {
  const parts = pattern.split("/");
  const given = path.split("/");
  return (
    parts.length === given.length &&
    parts.every((part, index) => (part.startsWith(":") ? given[index] !== "" : part === given[index]))
  );
}

function variables(pattern: string): number {
  return pattern.split("/:").length;
}

// As the router does it: a broken escape becomes U+FFFD, which no id of ours has.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return "\uFFFD";
  }
}
