// The server as Bun runs it. Operations and MCP go to Bun's own router as they are: it finds the route before any script of
// ours runs. What it leaves over goes to the rest (`rest.ts`).
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import type { Context, Means, Route } from "./route";
import { routesWith } from "./routes";
import { serve, type Site, siteOf } from "./site";
import type { Tls } from "./tls";

/** Bun answers 413 with an empty body by itself: its limit is set out of the way of ours. */
const BUN_BODY_LIMIT = 1024 * 1024 * 1024;
const IDLE_TIMEOUT_S = 90;
const NO_PARAMS = {};

export interface Address {
  hostname: string;
  port: number;
  tls: Tls | undefined;
}

export interface App {
  /** Answers a request without a socket. Of many spellings of a route it takes them all, and is slower for it. */
  fetch(request: Request): Promise<Response>;
  /** Answers the port. Throws what Bun says when the address cannot be had. */
  listen(address: Address): number;
  /** Stops accepting, and resolves when what is in flight has been answered. */
  stop(): Promise<void>;
}

/** `stopping` aborts when the server is about to stop. */
export function createApp(runtime: Runtime, stopping: AbortSignal): App {
  const { settings, clock } = runtime.core;
  const site = siteOf(runtime, stopping);
  const routes = routesWith(
    once(async (): Promise<Means> => {
      const { rateLimitOf } = await import("./rate-limit");
      return { stopping, rateLimit: rateLimitOf(settings, clock) };
    }),
  );
  let server: Bun.Server<undefined> | undefined;
  let rest: Promise<(request: Request) => Awaitable<Response>> | undefined;
  const loadRest = () =>
    (rest ??= import("./rest").then(({ restOf }) => restOf(site, runtime, routes, () => server ?? null)));
  const fetch = async (request: Request): Promise<Response> => (await loadRest())(request);
  return {
    fetch,
    listen: ({ hostname, port, tls }) => {
      server = Bun.serve({
        hostname,
        port,
        ...(tls === undefined ? {} : { tls: { cert: tls.cert, key: tls.key } }),
        idleTimeout: IDLE_TIMEOUT_S,
        maxRequestBodySize: BUN_BODY_LIMIT,
        reusePort: false,
        // Pages with source text in them, for who works on the server.
        development: false,
        routes: routerOf(site, routes),
        fetch,
      });
      return server.port ?? port;
    },
    stop: async () => server?.stop(),
  };
}

/** Routes as Bun reads them: by path, then by method. */
type Router = Record<string, Partial<Record<Bun.Serve.HTTPMethod, Handler>>>;
type Handler = (request: Bun.BunRequest, server: Context["server"]) => Awaitable<Response>;

function routerOf(site: Site, routes: readonly Route[]): Router {
  const router: Router = {};
  for (const route of routes) {
    const methods = (router[route.path] ??= {});
    methods[route.method] = route.path.includes(":")
      ? (request, server) => serve(site, { request, params: request.params, server }, route.answer)
      : (request, server) => serve(site, { request, params: NO_PARAMS, server }, route.answer);
  }
  return router;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}
