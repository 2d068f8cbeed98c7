// Routes. Elysia finds them and serves; it parses and validates nothing. It also reads the source of its callbacks to
// decide what to hand them, so each is one short arrow function that takes apart what it needs: a whole context handed
// on would have Elysia parse headers, query and cookies for every request (5 µs), whatever the minifier calls it.
import { Elysia } from "elysia";
import { type LogFields, Redacted } from "../src/base";
import { newToken, type Random } from "../src/crypto";
import { routeNotFound } from "../src/errors";
import type { Runtime } from "../src/runtime";
import { errorAnswer } from "./answer";
import { dispatch, type Incoming } from "./dispatch";
import { type Operation, operations } from "./operations";
import { requestUrl } from "./request-url";
import { callback, confirmConsent, openConsent, signInCallback } from "./pages/consent";
import { docsFile, openDescription, openDocs } from "./pages/docs";
import { apiCatalog, llmsText } from "./pages/docs-catalog";
import { openPicker, pickerScript } from "./pages/picker";

type Params = Incoming["params"];
interface Context {
  request: Request;
  /** Absent on routes without parameters. */
  params?: Params | undefined;
  server: { timeout(request: Request, seconds: number): void } | null;
}
type Answer = (runtime: Runtime, context: Context, requestId: string) => Promise<Response> | Response;
interface Site {
  runtime: Runtime;
  nextRequestId(): string;
}

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
  const site: Site = { runtime, nextRequestId: requestIds(runtime.core.random) };
  const run = (request: Request, params: Params | undefined, answer: Answer): Promise<Response> =>
    serve(site, { request, params, server: app.server }, answer);
  for (const operation of operations) {
    const answer = runOperation(operation, stopping);
    for (const [method, path] of routesOf(operation))
      app.route(method, path, ({ request, params }) => run(request, params, answer), RAW);
  }
  app.get("/authorize/:token", ({ request, params }) => run(request, params, open), RAW);
  app.post("/authorize/:token", ({ request, params }) => run(request, params, confirm), RAW);
  app.get("/api/v1/oauth/:external_id/callback", ({ request, params }) => run(request, params, finish), RAW);
  app.get("/api/v1/auth/callback", ({ request }) => run(request, undefined, signedIn), RAW);
  app.get("/google/drive_picker", ({ request }) => run(request, undefined, pick), RAW);
  app.get("/google/drive_picker.js", ({ request }) => run(request, undefined, script), RAW);
  app.get("/openapi.json", ({ request }) => run(request, undefined, description), RAW);
  app.get("/v1/swagger/ui", ({ request }) => run(request, undefined, docs), RAW);
  app.get("/v1/swagger/ui/:file", ({ request, params }) => run(request, params, docsPart), RAW);
  app.get("/.well-known/api-catalog", ({ request }) => run(request, undefined, catalog), RAW);
  app.get("/llms.txt", ({ request }) => run(request, undefined, llms), RAW);
  app.all("/*", ({ request }) => run(request, undefined, nothing), RAW);
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
const description: Answer = (runtime, { request }) => openDescription(runtime, request);
const docs: Answer = () => openDocs();
const docsPart: Answer = (_runtime, { params }) => docsFile(params?.["file"] ?? "");
const catalog: Answer = (runtime) => apiCatalog(runtime);
const llms: Answer = (runtime) => llmsText(runtime);
const nothing: Answer = () =>
  errorAnswer(routeNotFound("requested route is not found or method is not allowed"));

/** Runs one request: request id, log line, and an answer even when something of ours breaks. */
async function serve({ runtime, nextRequestId }: Site, context: Context, answer: Answer): Promise<Response> {
  const { request } = context;
  const { log, clock } = runtime.core;
  const requestId = nextRequestId();
  const started = clock.now();
  let response: Response;
  try {
    response = await answer(runtime, context, requestId);
  } catch (error) {
    response = errorAnswer(error);
    if (response.status >= 500) log.error("request failed", { request_id: requestId, error });
  }
  response.headers.set("x-request-id", requestId);
  const duration_ms = clock.now() - started;
  log.debug("request", () => ({ request_id: requestId, ...loggable(request, response), duration_ms }));
  return response;
}

function loggable(request: Request, response: Response): LogFields {
  return {
    method: request.method,
    path: loggedPath(requestUrl(request).pathname),
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
