// What Bun's router does not serve: pages and files for browsers, another method or spelling of an address, and what is not
// there. Elysia finds the route; it parses and validates nothing. It reads the source of its callbacks to decide what to
// prepare for them; ours are bound functions, whose source nobody can read. All of this is loaded with the first such
// request: it takes as long as a third of the whole start.
import { Elysia } from "elysia";
import { routeNotFound } from "../src/errors";
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import { errorAnswer, identifying } from "./answer";
import type { Cors } from "./cors";
import { pagesOf } from "./pages";
import { requestUrl } from "./request-url";
import { allowedMethods, routeAt } from "./route-at";
import type { Answer, Context, Route } from "./route";
import { serve, type Site } from "./site";

const NO_PARAMS = {};

/** What Elysia hands to its callbacks, as far as we use it. */
interface Found {
  request: Request;
  params?: Context["params"];
}

/** Answers what the router of `routes` leaves over. `server`: undefined while nobody listens. */
export function restOf(
  site: Site,
  runtime: Runtime,
  routes: readonly Route[],
  server: () => Context["server"],
): (request: Request) => Awaitable<Response> {
  const app = new Elysia({
    strictPath: true,
    nativeStaticResponse: false,
    // Elysia looks for the path after the 11th character of the address otherwise, where short host names have ended.
    handler: { standardHostname: false },
  });
  const pages = pagesOf(runtime).map((page) => ({ ...page, answer: identifying(page.answer) }));
  for (const { method, path, answer } of pages) {
    const handle = ({ request, params = NO_PARAMS }: Found): Awaitable<Response> =>
      serve(site, { request, params, server: server() }, answer);
    app.route(method, path, handle.bind(undefined));
  }
  const all = [...routes, ...pages];
  const otherwise = ({ request }: Found): Awaitable<Response> => {
    const found = routeAt(all, request.method, requestUrl(request).pathname);
    return found === undefined
      ? serve(site, { request, params: NO_PARAMS, server: server() }, nothingAt(all, site.cors))
      : serve(site, { request, params: found.params, server: server() }, found.route.answer);
  };
  app.all("/*", otherwise.bind(undefined));
  return (request) => app.fetch(request);
}

/** What is no route: a browser's question about one, another method of one, or no path of ours at all. */
function nothingAt(routes: readonly Route[], cors: Cors | undefined): Answer {
  return identifying((_runtime, { request }) => {
    const methods = allowedMethods(routes, requestUrl(request).pathname);
    if (methods.length > 0 && cors?.asks(request) === true) return cors.preflight(request, methods);
    const answer = errorAnswer(routeNotFound("requested route is not found or method is not allowed"));
    if (methods.length > 0) answer.headers.set("allow", methods.join(", "));
    return answer;
  });
}
