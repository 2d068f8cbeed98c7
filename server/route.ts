// What a route is, and what everything that answers requests is handed.
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import type { Method } from "./operations/routing";
import type { RateLimit } from "./rate-limit";

export interface Incoming {
  request: Request;
  /** Parameters of the path, decoded by the router; none on routes without. */
  params: Readonly<Record<string, string | undefined>>;
}

/** What all requests of a server share. */
export interface Means {
  /** Aborts when the server is about to stop. */
  stopping: AbortSignal;
  /** Undefined: calls are not limited. */
  rateLimit: RateLimit | undefined;
}

export interface Context extends Incoming {
  server: { timeout(request: Request, seconds: number): void } | null;
}

/** Answers a request with its request id on the answer. */
export type Answer = (runtime: Runtime, context: Context, requestId: string) => Awaitable<Response>;

export interface Route {
  method: Method;
  /** As the router reads it: `/authorize/:token`. */
  path: string;
  answer: Answer;
}
