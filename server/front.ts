// What all requests share: request ids, log lines, CORS, and an answer even when something breaks.
import type { Random } from "../src/crypto";
import { malformedRequest, toRuntimeError } from "../src/errors";
import type { Principal } from "../src/identity";
import type { Runtime } from "../src/runtime";
import { Turns } from "../src/turns";
import { errorAnswer } from "./answer";
import { BadCredentials } from "./bad-credentials";
import { clientAddressesOf } from "./client-address";
import { type Cors, corsOf, type Pages } from "./cors";
import { collectWhenQuiet } from "./idle";
import { errorMembersOf } from "./model-error";
import type { Method } from "./operations";
import { type RateLimit, rateLimitOf } from "./rate-limit";
import { type Failure, RequestLog } from "./request-log";
import { requestUrl } from "./request-url";
import { traceIdOf } from "./trace";

/** A year (RFC 6797). Without subdomains, which may belong to others. */
const HSTS = "max-age=31536000";

export interface Front {
  readonly runtime: Runtime;
  /** Aborts when the server is about to stop. */
  readonly stopping: AbortSignal;
  /** The caller of requests without a credential; only for an application without a listener (`localApp`). */
  readonly caller?: Principal;
  /** Undefined: calls are not limited. */
  readonly rateLimit: RateLimit | undefined;
  readonly badCredentials: BadCredentials;
  /** For requests with preconditions. */
  readonly turns: Turns;
  readonly requestLog: RequestLog;
  readonly cors: Cors;
  /** Whether browsers reach the server over TLS, its own or that of a proxy. */
  readonly isSecure: boolean;
  nextRequestId(): string;
  countRequest(): void;
  /** Lets a request outlast the idle limit of its connection. */
  keepOpen(request: Request): void;
  /** The address of the client (`clientAddress`); undefined for a request without a socket. */
  addressOf(request: Request): string | undefined;
  /** Whether the request came directly from one of `http.trusted_proxies`. */
  isProxy(request: Request): boolean;
}

/** What the listening server knows about a request. */
export interface Connections {
  /** The address at the other end of the connection. */
  peerOf(request: Request): string | undefined;
  keepOpen: Front["keepOpen"];
}

/** A request with the part of Elysia's context that routes use. */
export class Incoming {
  readonly request: Request;
  /** Parameters of the path, decoded; null when the percent-encoding is broken. */
  readonly params: Readonly<Record<string, string | null | undefined>>;
  /** Which pages of other origins may read the answer, besides those of `cors.allow`. */
  pages: Pages | undefined;
  /** The caller, once the route has authenticated it. For the log. */
  principal: Principal | undefined;
  readonly #front: Front;
  #address: string | undefined | null = null;

  constructor(front: Front, request: Request, params: Incoming["params"], pages?: Pages) {
    this.request = request;
    this.params = params;
    this.pages = pages;
    this.principal = undefined;
    this.#front = front;
  }

  /**
   * The client's; undefined without a socket. Found on first access, which takes the engine a while. The engine forgets it
   * when the client hangs up, so what may outlast the connection accesses it before.
   */
  get address(): string | undefined {
    if (this.#address === null) this.#address = this.#front.addressOf(this.request);
    return this.#address;
  }
}

export interface Answering {
  /** The pattern of the route, for the log; undefined for a path that is not served. */
  path?: string | undefined;
  answer(incoming: Incoming): Promise<Response> | Response;
}

export interface Route extends Answering {
  method: Method;
  /** In the router's syntax, for example `/authorize/:token`. */
  path: string;
  pages?: Pages | undefined;
}

/** Throws `configuration` for a setting of the front that is not valid. */
export function frontOf(runtime: Runtime, stopping: AbortSignal, { peerOf, keepOpen }: Connections): Front {
  const { settings, clock, random, tls } = runtime.core;
  const { clientAddress, isProxy } = clientAddressesOf(settings);
  return {
    runtime,
    stopping,
    rateLimit: rateLimitOf(settings, clock, runtime.core.telemetry),
    badCredentials: new BadCredentials(runtime.limits, clock),
    turns: new Turns(runtime.core),
    requestLog: new RequestLog(runtime.core),
    cors: corsOf(settings),
    isSecure: tls !== undefined || settings.public_url?.startsWith("https:") === true,
    nextRequestId: requestIds(random),
    countRequest: collectWhenQuiet(stopping),
    keepOpen,
    addressOf: (request) => clientAddress(peerOf(request), request.headers),
    isProxy: (request) => isProxy(peerOf(request)),
  };
}

/** Runs one request. An error becomes an error answer; the cause of a 5xx goes to the log. */
export async function respond(
  front: Front,
  incoming: Incoming,
  { answer, path }: Answering,
): Promise<Response> {
  const { requestLog } = front;
  const { telemetry, store } = front.runtime.core;
  const { request } = incoming;
  const traceparent = traceparentOf(request.headers);
  const requestId = front.nextRequestId();
  front.countRequest();
  const activity = telemetry.begin("request", {
    method: request.method,
    route: path,
    traceparent,
    tracestate: traceparent === undefined ? undefined : (request.headers.get("tracestate") ?? undefined),
  });
  let response: Response;
  let failure: Failure | undefined;
  try {
    checkHost(request.headers);
    const run = (): Promise<Response> | Response => activity.within(() => answer(incoming));
    response = await (store.request === undefined ? run() : store.request(run));
  } catch (thrown) {
    const counted = front.badCredentials.counted(thrown, request, incoming.address);
    failure = { thrown: counted, error: toRuntimeError(counted) };
    response = errorAnswer(failure.error, errorMembersOf(requestUrl(request).pathname), request);
  }
  response.headers.set("x-request-id", requestId);
  if (front.isSecure) response.headers.set("strict-transport-security", HSTS);
  if (traceparent !== undefined) response.headers.set("traceparent", traceparent);
  front.cors.mark(request, response.headers, incoming.pages);
  const ms = activity.end({ status: response.status });
  if (failure !== undefined || requestLog.isTimed)
    requestLog.write({
      requestId,
      request,
      route: path,
      status: response.status,
      durationMs: Math.round(ms),
      address: incoming.address,
      principal: incoming.principal,
      failure,
    });
  return response;
}

/** Undefined without a valid one (W3C Trace Context). */
function traceparentOf(headers: Headers): string | undefined {
  const text = headers.get("traceparent");
  return text !== null && traceIdOf(text) !== undefined ? text : undefined;
}

/** A host and a port (RFC 9110, section 7.2). Empty where the target has none. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-fA-F:.]+\])(?::\d*)?$/;

/**
 * Throws `malformed_request` for two `Host` headers, or one that is not a host (RFC 9112, section 3.2): a proxy and this server
 * could believe different ones. Bun joins two with a comma, which no host contains.
 */
function checkHost(headers: Headers): void {
  const host = headers.get("host");
  if (host === null || HOST.test(host)) return;
  throw malformedRequest(
    host.includes(",")
      ? "The request has two Host headers. Send one."
      : "The Host header is not valid. Send a host name, and a port if there is one.",
  );
}

/**
 * Unique, not secret: a random part for this server and a number. Letters and digits only, so that a double click selects
 * all of it.
 */
function requestIds(random: Random): () => string {
  const prefix = random(7).toHex();
  // From here on, 2 billion numbers have six digits.
  let count = 36 ** 5;
  return () => prefix + (count++).toString(36);
}
