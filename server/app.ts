// Routes. They go to Bun's own router as they are: it finds the route before any script of the framework runs. Elysia
// answers what that router leaves over, and ends the server. It parses and validates nothing. It also reads the source of
// its callbacks to decide what to prepare for them; ours is a bound function, whose source nobody can read.
import { Elysia } from "elysia";
import { type LogFields, Redacted } from "../src/base";
import { newToken, type Random } from "../src/crypto";
import { routeNotFound } from "../src/errors";
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import { errorAnswer, identified, identifying } from "./answer";
import { type Cors, corsOf } from "./cors";
import { collectWhenQuiet } from "./idle";
import { rateLimitOf } from "./rate-limit";
import { requestUrl } from "./request-url";
import { allowedMethods, routeAt } from "./route-at";
import { type Answer, type Context, type Route, routesWith } from "./routes";
import type { Tls } from "./tls";
import { traceIdOf } from "./trace";

interface Site {
  runtime: Runtime;
  nextRequestId(): string;
  /** Counts a request. */
  counted(): void;
  /** Undefined: no browser of another origin may call, and nobody looks where a request comes from. */
  cors: Cors | undefined;
}

/** Bun answers 413 with an empty body by itself: its limit is set out of the way of ours. */
const BUN_BODY_LIMIT = 1024 * 1024 * 1024;
const IDLE_TIMEOUT_S = 90;
const NO_PARAMS = {};

export interface App {
  readonly elysia: Elysia;
  /** Throws what Bun says when the address cannot be had. */
  listen(address: Address): void;
}

export interface Address {
  hostname: string;
  port: number;
  tls: Tls | undefined;
}

/** `stopping` aborts when the server is about to stop. */
export function createApp(runtime: Runtime, stopping: AbortSignal): App {
  const { random, settings, clock } = runtime.core;
  const site: Site = {
    runtime,
    nextRequestId: requestIds(random),
    counted: collectWhenQuiet(stopping),
    cors: corsOf(settings),
  };
  const routes = routesWith({ stopping, rateLimit: rateLimitOf(settings, clock) });
  const elysia = new Elysia({
    strictPath: true,
    nativeStaticResponse: false,
    // Elysia looks for the path after the 11th character of the address otherwise, where short host names have ended.
    handler: { standardHostname: false },
  });
  const rest = ({ request }: Found): Awaitable<Response> => otherwise(site, routes, request, elysia.server);
  elysia.all("/*", rest.bind(undefined));
  return { elysia, listen: (address) => listen(elysia, routerOf(site, routes), address) };
}

// Elysia's own way to listen writes a handler for the whole application, lays the routes twice and collects garbage, all
// before the first request is answered.
function listen(elysia: Elysia, routes: Router, { hostname, port, tls }: Address): void {
  elysia.server = Bun.serve({
    hostname,
    port,
    ...(tls === undefined ? {} : { tls: { cert: tls.cert, key: tls.key } }),
    idleTimeout: IDLE_TIMEOUT_S,
    maxRequestBodySize: BUN_BODY_LIMIT,
    reusePort: false,
    // Pages with source text in them, for who works on the server.
    development: false,
    routes,
    fetch: (request) => elysia.fetch(request),
  });
}

/** What Elysia hands to its callbacks, as far as we use it. */
interface Found {
  request: Request;
}

/** Routes as Bun reads them: by path, then by method. */
type Router = Record<string, Partial<Record<Bun.Serve.HTTPMethod, Handler>>>;
type Handler = (request: Bun.BunRequest, server: Context["server"]) => Awaitable<Response>;

function routerOf(site: Site, routes: readonly Route[]): Router {
  const router: Router = {};
  for (const { method, path, answer } of routes) {
    const methods = (router[path] ??= {});
    methods[method] = path.includes(":")
      ? (request, server) => serve(site, { request, params: request.params, server }, answer)
      : (request, server) => serve(site, { request, params: NO_PARAMS, server }, answer);
  }
  return router;
}

/** What the router leaves over: a route under another spelling, or none. */
function otherwise(
  site: Site,
  routes: readonly Route[],
  request: Request,
  server: Context["server"],
): Awaitable<Response> {
  const found = routeAt(routes, request.method, requestUrl(request).pathname);
  return found === undefined
    ? serve(site, { request, params: NO_PARAMS, server }, nothingAt(routes, site.cors))
    : serve(site, { request, params: found.params, server }, found.route.answer);
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

/** Runs one request: request id, log line, and an answer even when something of ours breaks. */
function serve(site: Site, context: Context, answer: Answer): Awaitable<Response> {
  const requestId = site.nextRequestId();
  site.counted();
  const { log, clock } = site.runtime.core;
  const served: Served = { site, request: context.request, requestId, started: log.debugs ? clock.now() : 0 };
  try {
    const response = answer(site.runtime, context, requestId);
    if (!(response instanceof Promise)) return finished(served, response);
    return response.then(
      (known) => finished(served, known),
      (error: unknown) => failed(served, error),
    );
  } catch (error) {
    return failed(served, error);
  }
}

interface Served {
  site: Site;
  request: Request;
  requestId: string;
  /** ms; 0 where nobody will ask. */
  started: number;
}

function failed(served: Served, error: unknown): Response {
  const response = identified(errorAnswer(error), served.requestId);
  if (response.status >= 500)
    served.site.runtime.core.log.error("request failed", { request_id: served.requestId, error });
  return finished(served, response);
}

/** What every answer bears beside its request id. */
function finished({ site, request, requestId, started }: Served, response: Response): Response {
  const traceparent = request.headers.get("traceparent");
  if (traceparent !== null && traceIdOf(traceparent) !== undefined)
    response.headers.set("traceparent", traceparent);
  site.cors?.mark(request, response.headers);
  const { log, clock } = site.runtime.core;
  if (log.debugs)
    log.debug("request", {
      request_id: requestId,
      ...loggable(request, response),
      duration_ms: clock.now() - started,
    });
  return response;
}

function loggable(request: Request, response: Response): LogFields {
  return {
    method: request.method,
    path: loggedPath(requestUrl(request).pathname),
    trace_id: traceIdOf(request.headers.get("traceparent") ?? ""),
    status: response.status,
    authorization: new Redacted(request.headers.get("authorization") ?? ""),
    cookie: new Redacted(request.headers.get("cookie") ?? ""),
  };
}

/**
 * Unique, not secret: a random part for this server, and a number. Its last two digits come from a table: to spell a
 * number out costs as much as to find a route.
 */
function requestIds(random: Random): () => string {
  const prefix = newToken(random).slice(0, 13);
  const ends = Array.from({ length: 36 * 36 }, (_, end) => end.toString(36).padStart(2, "0"));
  let block = -1;
  let start = "";
  let end = ends.length;
  return () => {
    if (end === ends.length) {
      end = 0;
      block += 1;
      start = prefix + block.toString(36).padStart(5, "0");
    }
    return start + ends[end++];
  };
}

// The token of a consent address is as good as the consent itself.
function loggedPath(path: string): string {
  return path.replace(/^\/+authorize\/.*/, "/authorize/[redacted]").slice(0, 200);
}
