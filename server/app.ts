// Routes. Elysia finds them and serves; it parses and validates nothing. It also reads the source of its callbacks to
// decide what to hand them, so each is one short arrow function that takes apart what it needs: a whole context handed
// on would have Elysia parse headers, query and cookies for every request (5 µs), whatever the minifier calls it.
import { Elysia } from "elysia";
import { type LogFields, Redacted } from "../src/base";
import { newToken, type Random } from "../src/crypto";
import { routeNotFound } from "../src/errors";
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import { allowedMethods } from "./allowed";
import { errorAnswer } from "./answer";
import { type Cors, corsOf } from "./cors";
import { rateLimitOf } from "./rate-limit";
import { requestUrl } from "./request-url";
import { type Answer, type Context, type Route, routesWith } from "./routes";
import { traceIdOf } from "./trace";

interface Site {
  runtime: Runtime;
  nextRequestId(): string;
  /** Undefined: no browser of another origin may call, and nobody looks where a request comes from. */
  cors: Cors | undefined;
}

/** Bun answers 413 with an empty body by itself: its limit is set out of the way of ours. */
const BUN_BODY_LIMIT = 1024 * 1024 * 1024;
const IDLE_TIMEOUT_S = 90;
const RAW = { parse: "none" } as const;
const NO_PARAMS = {};

/** `stopping` aborts when the server is about to stop. */
export function createApp(runtime: Runtime, stopping: AbortSignal): Elysia {
  const app = new Elysia({
    strictPath: true,
    nativeStaticResponse: false,
    // Elysia looks for the path after the 11th character of the address otherwise, where short host names have ended.
    handler: { standardHostname: false },
    serve: { idleTimeout: IDLE_TIMEOUT_S, maxRequestBodySize: BUN_BODY_LIMIT, reusePort: false },
  });
  const { random, settings, clock } = runtime.core;
  const site: Site = { runtime, nextRequestId: requestIds(random), cors: corsOf(settings) };
  const run = (
    request: Request,
    params: Context["params"] | undefined,
    answer: Answer,
  ): Awaitable<Response> => serve(site, { request, params: params ?? NO_PARAMS, server: app.server }, answer);
  const routes = routesWith({ stopping, rateLimit: rateLimitOf(settings, clock) });
  for (const { method, path, answer } of routes) {
    app.route(method, path, ({ request, params }) => run(request, params, answer), RAW);
  }
  const nothing = nothingAt(routes, site.cors);
  app.all("/*", ({ request }) => run(request, undefined, nothing), RAW);
  return app;
}

/** What is no route: a browser's question about one, another method of one, or no path of ours at all. */
function nothingAt(routes: readonly Route[], cors: Cors | undefined): Answer {
  return (_runtime, { request }) => {
    const methods = allowedMethods(routes, requestUrl(request).pathname);
    if (methods.length > 0 && cors?.asks(request) === true) return cors.preflight(request, methods);
    const answer = errorAnswer(routeNotFound("requested route is not found or method is not allowed"));
    if (methods.length > 0) answer.headers.set("allow", methods.join(", "));
    return answer;
  };
}

/** Runs one request: request id, log line, and an answer even when something of ours breaks. */
function serve(site: Site, context: Context, answer: Answer): Awaitable<Response> {
  const { runtime, nextRequestId } = site;
  const requestId = nextRequestId();
  const started = runtime.core.clock.now();
  const finish = (response: Response): Response => {
    mark(site, context.request, response, requestId);
    const { log, clock } = runtime.core;
    log.debug("request", () => ({
      request_id: requestId,
      ...loggable(context.request, response),
      duration_ms: clock.now() - started,
    }));
    return response;
  };
  const fail = (error: unknown): Response => {
    const response = errorAnswer(error);
    if (response.status >= 500) runtime.core.log.error("request failed", { request_id: requestId, error });
    return finish(response);
  };
  try {
    const response = answer(runtime, context, requestId);
    return response instanceof Promise ? response.then(finish, fail) : finish(response);
  } catch (error) {
    return fail(error);
  }
}

/** What every answer bears. */
function mark({ cors }: Site, request: Request, { headers }: Response, requestId: string): void {
  headers.set("x-request-id", requestId);
  const traceparent = request.headers.get("traceparent");
  if (traceparent !== null && traceIdOf(traceparent) !== undefined) headers.set("traceparent", traceparent);
  cors?.mark(request, headers);
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

/** Unique, not secret: a random part for this server, and a number. */
function requestIds(random: Random): () => string {
  const prefix = newToken(random).slice(0, 13);
  let count = 0;
  return () => prefix + (++count).toString(36).padStart(7, "0");
}

// The token of a consent address is as good as the consent itself.
function loggedPath(path: string): string {
  return path.replace(/^\/+authorize\/.*/, "/authorize/[redacted]").slice(0, 200);
}
