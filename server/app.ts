// Routes. Elysia finds them and serves; it parses and validates nothing. It also reads the source of its callbacks to
// decide what to hand them, so each is one short arrow function with a whole, named context.
import { Elysia } from "elysia";
import { Redacted } from "../src/base";
import { newToken } from "../src/crypto";
import { routeNotFound } from "../src/errors";
import type { Runtime } from "../src/runtime";
import { errorAnswer } from "./answer";
import { dispatch, type Incoming } from "./dispatch";
import { type Operation, operations } from "./operations";
import { callback, confirmConsent, openConsent } from "./pages/consent";

type Params = Incoming["params"];
interface Context {
  request: Request;
  /** Absent on routes without parameters. */
  params?: Params;
  server: { timeout(request: Request, seconds: number): void } | null;
}
type Answer = (runtime: Runtime, context: Context, requestId: string) => Promise<Response> | Response;

/** Bun answers 413 with an empty body by itself: its limit is set out of the way of ours. */
const BUN_BODY_LIMIT = 1024 * 1024 * 1024;
const IDLE_TIMEOUT_S = 90;
const RAW = { parse: "none" } as const;

export function createApp(runtime: Runtime): Elysia {
  const app = new Elysia({
    strictPath: true,
    nativeStaticResponse: false,
    serve: { idleTimeout: IDLE_TIMEOUT_S, maxRequestBodySize: BUN_BODY_LIMIT, reusePort: false },
  });
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.route(operation.method, path, (context) => serve(runtime, context, runOperation(operation)), RAW);
  }
  app.get("/authorize/:token", (context) => serve(runtime, context, open), RAW);
  app.post("/authorize/:token", (context) => serve(runtime, context, confirm), RAW);
  app.get("/api/v1/oauth/:external_id/callback", (context) => serve(runtime, context, finish), RAW);
  app.all("/*", (context) => serve(runtime, context, nothing), RAW);
  return app;
}

function runOperation(operation: Operation): Answer {
  return (runtime, context, requestId) => {
    // Long polls and tool runs outlast the idle limit; they have limits of their own.
    if (operation.slow) context.server?.timeout(context.request, 0);
    const { request, params = {} } = context;
    return dispatch(runtime, operation, { request, params }, requestId);
  };
}

const open: Answer = (runtime, { request, params }) => openConsent(runtime, request, params?.["token"] ?? "");
const confirm: Answer = (runtime, { request, params }) =>
  confirmConsent(runtime, request, params?.["token"] ?? "");
const finish: Answer = (runtime, { request, params }) =>
  callback(runtime, request, params?.["external_id"] ?? "");
const nothing: Answer = () =>
  errorAnswer(routeNotFound("requested route is not found or method is not allowed"));

/** Runs one request: request id, log line, and an answer even when something of ours breaks. */
async function serve(runtime: Runtime, context: Context, answer: Answer): Promise<Response> {
  const { request } = context;
  const { log, clock, random } = runtime.core;
  const requestId = newToken(random).slice(0, 20);
  const started = clock.now();
  let response: Response;
  try {
    response = await answer(runtime, context, requestId);
  } catch (error) {
    log.error("request failed", { request_id: requestId, error });
    response = errorAnswer(error);
  }
  response.headers.set("x-request-id", requestId);
  log.debug("request", {
    request_id: requestId,
    method: request.method,
    path: loggedPath(new URL(request.url).pathname),
    status: response.status,
    duration_ms: clock.now() - started,
    authorization: new Redacted(request.headers.get("authorization") ?? ""),
    cookie: new Redacted(request.headers.get("cookie") ?? ""),
  });
  return response;
}

// The token of a consent address is as good as the consent itself.
function loggedPath(path: string): string {
  return path.replace(/^\/authorize\/.*/, "/authorize/[redacted]").slice(0, 200);
}
