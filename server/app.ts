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
import { requestUrl } from "./request-url";
import { callback, confirmConsent, openConsent, signInCallback } from "./pages/consent";
import { openPicker, pickerScript } from "./pages/picker";

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

/** `stopping` aborts when the server is about to stop. */
export function createApp(runtime: Runtime, stopping: AbortSignal): Elysia {
  const app = new Elysia({
    strictPath: true,
    nativeStaticResponse: false,
    // Elysia looks for the path after the 11th character of the address otherwise, where short host names have ended.
    handler: { standardHostname: false },
    serve: { idleTimeout: IDLE_TIMEOUT_S, maxRequestBodySize: BUN_BODY_LIMIT, reusePort: false },
  });
  for (const operation of operations) {
    for (const [method, path] of routesOf(operation))
      app.route(method, path, (context) => serve(runtime, context, runOperation(operation, stopping)), RAW);
  }
  app.get("/authorize/:token", (context) => serve(runtime, context, open), RAW);
  app.post("/authorize/:token", (context) => serve(runtime, context, confirm), RAW);
  app.get("/api/v1/oauth/:external_id/callback", (context) => serve(runtime, context, finish), RAW);
  app.get("/api/v1/auth/callback", (context) => serve(runtime, context, signedIn), RAW);
  app.get("/google/drive_picker", (context) => serve(runtime, context, pick), RAW);
  app.get("/google/drive_picker.js", (context) => serve(runtime, context, script), RAW);
  app.all("/*", (context) => serve(runtime, context, nothing), RAW);
  return app;
}

/** Where an operation is served: as the table says, and under the aliases that older clients use. */
function routesOf({ method, alias, path, alsoAt = [], credential }: Operation): [string, string][] {
  const own = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const scoped = own.replace(/^\/v1(?:\/admin)?/, "/v1/orgs/:org_id/projects/:project_id");
  const paths = credential === "public" ? [own] : [own, scoped, ...alsoAt];
  const methods = alias === undefined ? [method] : [method, alias];
  return paths.flatMap((each) => methods.map((verb): [string, string] => [verb, each]));
}

function runOperation(operation: Operation, stopping: AbortSignal): Answer {
  return (runtime, context, requestId) => {
    // Long polls and tool runs outlast the idle limit; they have limits of their own.
    if (operation.slow) context.server?.timeout(context.request, 0);
    const { request, params = {} } = context;
    return dispatch(runtime, operation, { request, params, stopping }, requestId);
  };
}

const open: Answer = (runtime, { request, params }) => openConsent(runtime, request, params?.["token"] ?? "");
const confirm: Answer = (runtime, { request, params }) =>
  confirmConsent(runtime, request, params?.["token"] ?? "");
const finish: Answer = (runtime, { request, params }) =>
  callback(runtime, request, params?.["external_id"] ?? "");
const signedIn: Answer = (runtime, { request }) => signInCallback(runtime, request);
const pick: Answer = (runtime, { request }) => openPicker(runtime, request);
const script: Answer = () => pickerScript();
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
    response = errorAnswer(error);
    if (response.status >= 500) log.error("request failed", { request_id: requestId, error });
  }
  response.headers.set("x-request-id", requestId);
  log.debug("request", {
    request_id: requestId,
    method: request.method,
    path: loggedPath(requestUrl(request).pathname),
    status: response.status,
    duration_ms: clock.now() - started,
    authorization: new Redacted(request.headers.get("authorization") ?? ""),
    cookie: new Redacted(request.headers.get("cookie") ?? ""),
  });
  return response;
}

// The token of a consent address is as good as the consent itself.
function loggedPath(path: string): string {
  return path.replace(/^\/+authorize\/.*/, "/authorize/[redacted]").slice(0, 200);
}
