// Which methods a path takes: for the refusal of another one (`Allow`, RFC 9110, section 10.2.1), and for browsers
// that ask before they send. Never on the way of a request that is served.
import type { Route } from "./routes";

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
