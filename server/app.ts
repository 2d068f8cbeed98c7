// The server's one Elysia application: operations, MCP, pages, the API description, and the answer to everything else.
// Elysia only routes. It reads the source of its callbacks to find out which parts of the context to prepare, so each
// callback is one arrow function that takes `request` and `params` apart and passes them on.
import { type Context, Elysia } from "elysia";
import { withoutTrailingSlashes } from "../src/base";
import { routeNotFound } from "../src/errors";
import type { Principal } from "../src/identity";
import type { Runtime } from "../src/runtime";
import { errorAnswer } from "./answer";
import type { Pages } from "./cors";
import { type Answering, type Front, frontOf, Incoming, respond, type Route } from "./front";
import { errorMembersOf } from "./model-error";
import { checkOrigin, isMcpEndpoint, mcpRoutes, pagesOf, preflightMethods, servedMethods } from "./mcp";
import type { Method } from "./operations";
import { descriptionPlugin } from "./openapi";
import { operationRoutes } from "./dispatch";
import { oauthRoutes, pagesOfOAuth } from "./oauth";
import { DOCS_PATH, pageRoutes } from "./pages";
import { requestUrl } from "./request-url";
import { type Tls, TLS_OPTIONS } from "./tls";

/** Bun answers 413 with an empty body; its limit is far above ours, which answers with a reason. */
const BUN_BODY_LIMIT = 1024 * 1024 * 1024;
/** Bodies are read by the dispatcher. */
const RAW = { parse: "none" } as const;
const NO_PARAMS = {};
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

export interface Address {
  hostname: string;
  port: number;
  tls: Tls | undefined;
}

export interface App {
  /** Every route of the application, for example `GET /v1/health`. */
  readonly routes: readonly string[];
  /** Answers a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Returns the port. Throws Bun's error when the address is not available. */
  listen(address: Address): number;
  /** Stops accepting connections, and resolves when the requests in flight have been answered. */
  stop(): Promise<void>;
  /** Closes all connections, which aborts the requests that are still in flight. */
  cut(): void;
}

/** `stopping` aborts when the server is about to stop. */
export function createApp(runtime: Runtime, stopping: AbortSignal): App {
  let server: Bun.Server<undefined> | undefined;
  /** With those whose certificate was replaced, until their last request has ended. */
  const open = new Set<Bun.Server<undefined>>();
  const app = routed(
    frontOf(runtime, stopping, {
      peerOf: (request) => server?.requestIP(asReceived(request))?.address,
      keepOpen: (request) => server?.timeout(asReceived(request), 0),
    }),
  );
  const fetch = async (request: Request): Promise<Response> => app.fetch(withPlainUrl(request));
  return {
    routes: app.routes.map(({ method, path }) => `${method} ${path}`),
    fetch,
    listen: ({ hostname, port, tls }) => {
      server = Bun.serve({
        hostname,
        port,
        ...(tls === undefined ? {} : { tls: { cert: tls.cert, key: tls.key, ...TLS_OPTIONS } }),
        idleTimeout: runtime.core.settings["http.idle_timeout"],
        maxRequestBodySize: BUN_BODY_LIMIT,
        reusePort: false,
        // Bun's development pages show source text.
        development: false,
        routes: nativeRoutes(app),
        fetch,
      });
      open.add(server);
      runtime.core.work.pendingRequests = () =>
        [...open].reduce((sum, each) => sum + each.pendingRequests, 0);
      return server.port ?? port;
    },
    stop: async () => {
      const stopped = server;
      if (stopped === undefined) return;
      await stopped.stop();
      open.delete(stopped);
    },
    cut: () => {
      for (const each of open) void each.stop(true);
    },
  };
}

/**
 * Answers requests of a caller that needs no credential: the operator at the terminal, who has the data folder. It has no
 * listener, so that no other program can send it a request.
 */
export function localApp(runtime: Runtime, caller: Principal): Pick<App, "fetch"> {
  const connections = { peerOf: () => undefined, keepOpen: () => undefined };
  const front = frontOf(runtime, new AbortController().signal, connections);
  const app = routed({ ...front, rateLimit: undefined, caller });
  return { fetch: async (request) => app.fetch(withPlainUrl(request)) };
}

function routed(front: Front): Elysia {
  const app = new Elysia({
    strictPath: true,
    // With it, a listening server would answer with the plugin's own page, which loads scripts from other hosts.
    nativeStaticResponse: false,
    // By default Elysia looks for the path after the 11th character of the URL; short host names end before that.
    handler: { standardHostname: false },
  });
  app.use(descriptionPlugin(front, DOCS_PATH));
  const routes: Route[] = [
    ...operationRoutes(front),
    ...mcpRoutes(front),
    ...oauthRoutes(front),
    ...pageRoutes(front),
  ];
  const serve = (
    request: Request,
    params: Incoming["params"] | undefined,
    answering: Answering & { pages?: Pages | undefined },
  ) => respond(front, new Incoming(front, request, params ?? NO_PARAMS, answering.pages), answering);
  for (const route of routes)
    app.route(route.method, route.path, ({ request, params }) => serve(request, params, route), RAW);
  const otherwise = { answer: (incoming: Incoming) => notFound(app, front, incoming) };
  app.all("/*", ({ request, params }) => serve(request, params, otherwise), RAW);
  return app;
}

/**
 * Refuses a path without a route, or another method of one (`Allow`, RFC 9110, section 10.2.1). Answers OPTIONS (section
 * 9.3.7) and preflights.
 */
function notFound(app: Elysia, front: Front, incoming: Incoming): Response {
  const { request } = incoming;
  const path = requestUrl(request).pathname;
  const methods = servedMethods(path, methodsOf(app, path));
  const allow = [...methods, "OPTIONS"].toSorted();
  incoming.pages = pagesOf(front, path) ?? pagesOfOAuth(path);
  if (methods.length > 0 && front.cors.isPreflight(request, incoming.pages))
    return front.cors.preflight(request, preflightMethods(path, methods));
  if (isMcpEndpoint(path)) checkOrigin(front.runtime.core, request.headers);
  if (methods.length > 0 && request.method === "OPTIONS")
    return new Response(null, { status: 204, headers: { allow: allow.join(", ") } });
  if (isMcpEndpoint(path)) return new Response(null, { status: 405, headers: { allow: allow.join(", ") } });
  const answer = errorAnswer(routeNotFound(NOT_FOUND + slashAdvice(app, path)), errorMembersOf(path));
  if (methods.length > 0) answer.headers.set("allow", allow.join(", "));
  return answer;
}

const NOT_FOUND = "requested route is not found or method is not allowed";

function methodsOf({ router }: Elysia, path: string): string[] {
  return METHODS.filter(
    (method) => method in (router.static[path] ?? {}) || router.http.find(method, path) !== null,
  ).flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
}

/** The pattern of the address, because the path may contain a secret. Empty if the slash at the end is not the reason. */
function slashAdvice({ routes }: Elysia, path: string): string {
  const bare = withoutTrailingSlashes(path);
  if (bare === "" || bare === path) return "";
  const served =
    routes.find((route) => route.path === bare) ?? routes.find((route) => matches(route.path, bare));
  if (served === undefined) return "";
  const shown = served.path.replaceAll(/:(\w+)/g, "{$1}");
  return `; the address is ${shown}, without a slash at the end`;
}

function matches(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return false;
  return wanted.every((part, at) => part === given[at] || (part.startsWith(":") && given[at] !== ""));
}

// Elysia looks for the path from the 8th character of the URL on: after `http://`. A URL has another form with TLS, and
// without a valid `Host` (HTTP/1.0 health probes), when it is only a path.
function withPlainUrl(request: Request): Request {
  const { pathname, search } = requestUrl(request);
  const path = withoutNeedlessEscapes(pathname);
  if (request.url.startsWith("http://") && path === pathname) return request;
  const copy = new Request(`http://localhost${path}${search}`, request);
  received.set(copy, request);
  return copy;
}

/** Letters, digits and `-._~` mean the same with and without percent-encoding (RFC 3986, section 6.2.2.2). */
function withoutNeedlessEscapes(path: string): string {
  if (!path.includes("%")) return path;
  return path.replaceAll(/%(?:2[DE]|5F|7E|3\d|[46][1-9A-F]|[57][\dA])/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : escape;
  });
}

// Bun knows the connection of the request that it made, and not that of a copy.
const received = new WeakMap<Request, Request>();

function asReceived(request: Request): Request {
  return received.get(request) ?? request;
}

type NativeRoutes = Record<string, Partial<Record<Bun.Serve.HTTPMethod, NativeHandler>>>;
type NativeHandler = (request: Bun.BunRequest) => Promise<Response> | Response;

/**
 * The routes of the application for Bun's router, which runs before any script; `fetch` gets the rest. Elysia's `listen`
 * does the same, but it cannot listen again with another certificate, and it misreads the URLs above.
 */
function nativeRoutes({ routes }: Elysia): NativeRoutes {
  const native: NativeRoutes = {};
  for (const route of routes) {
    const { method, path } = route;
    if (method === "ALL") continue;
    (native[path] ??= {})[method as Method] = (request) => {
      const context = { request, params: request.params, set: { headers: {}, status: 200 } };
      // Our callbacks use the request and its parameters only.
      const { composed } = route;
      return typeof composed === "function" ? composed(context as unknown as Context) : new Response();
    };
  }
  return native;
}
