// One exchange: routes and sends a request, reads the response, and writes a log line.
import { type Clock, type Log, type LogFields, Redacted } from "../base";
import type { AllowRules } from "./allow-list";
import { egressError, type FailureContext, neverConnected } from "./failure";
import { type Limits, readBody } from "./limits";
import { loggable, type Step } from "./outgoing";
import { type Route, send } from "./pin";
import { checkAddresses, checkProxied } from "./policy";
import { proxyFor, type ProxySettings } from "./proxy";
import { isRedirect } from "./redirect";
import type { Resolver } from "./resolver";
import type { ConnectionPool } from "./socket/pool";
import { checkStatus, nameOf, portOf } from "./target";
import type { EgressError } from "./types";

/** Shared by all exchanges. */
export interface ExchangeContext {
  allow: AllowRules;
  resolver: Resolver;
  proxy: ProxySettings | undefined;
  /** PEM of all authorities to trust; undefined: the defaults. */
  authorities: string[] | undefined;
  /** Of streamed responses. */
  pool: ConnectionPool;
  log: Log;
  clock: Clock;
}

/** How the body is read. */
export interface BodyReader {
  /** As fast as the caller reads. */
  streams: boolean;
  /** `failed` converts an error that occurs while it is read. */
  read(
    head: Response,
    limits: Limits,
    origin: string,
    failed: (thrown: unknown) => EgressError,
  ): Promise<Body> | Body;
}
type Body = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;

/** Reads the whole body before the exchange ends. */
export const wholeBody: BodyReader = {
  streams: false,
  read: async (head, limits, origin) => {
    const body = await readBody(head, limits, origin);
    limits.deadline.complete();
    return body;
  },
};

/** How far an exchange has progressed, for the error. */
interface Progress {
  route?: Route;
  /** The head of the response, once received. */
  head?: Response;
  /** The error of the fence. */
  refused?: { error: unknown };
}

/** Statuses of responses without a body (fetch standard, section 2.2.3). */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/** Encodings that Bun decodes before the body is read. */
const DECODED = /^(gzip|x-gzip|deflate|br|zstd)$/i;

/** Sends one request and reads its response, without the body of a redirect. Throws `EgressError`. */
export async function exchange(
  context: ExchangeContext,
  step: Step,
  limits: Limits,
  reader: BodyReader,
): Promise<Response> {
  const progress: Progress = {};
  const begin = context.clock.now();
  let failure: EgressError | undefined;
  try {
    return await perform(context, step, limits, progress, reader);
  } catch (thrown) {
    if (progress.refused !== undefined) throw progress.refused.error;
    if (neverConnected(thrown)) context.resolver.forget(step.target.host);
    failure = egressError(thrown, failureContext(step, limits, progress));
    throw failure;
  } finally {
    const duration_ms = Math.round(context.clock.now() - begin);
    context.log.debug("outbound request", () => ({
      ...loggable(step.outgoing),
      ...loggableAnswer(step.target.shown ?? step.target.url, progress.head?.status, failure),
      duration_ms,
    }));
  }
}

function loggableAnswer(url: URL, status: number | undefined, failure: EgressError | undefined): LogFields {
  return {
    address: url.origin + url.pathname,
    query: url.search === "" ? undefined : new Redacted(url.search.slice(1)),
    status,
    failure: failure?.reason,
  };
}

async function perform(
  context: ExchangeContext,
  step: Step,
  limits: Limits,
  progress: Progress,
  reader: BodyReader,
): Promise<Response> {
  const { target, outgoing } = step;
  const { signal } = limits.deadline;
  signal.throwIfAborted();
  const route = await routeTo(context, step, signal);
  await outgoing.fence?.().catch((error: unknown) => {
    progress.refused = { error };
    throw error;
  });
  progress.route = route;
  const { authorities, pool } = context;
  const options = { authorities, pool: reader.streams ? pool : undefined };
  const head = await send(target, route, outgoing, signal, options);
  progress.head = head;
  checkStatus(target, head.status);
  if (isRedirect(head)) {
    await head.body?.cancel();
    return complete(head, null);
  }
  const failed = (thrown: unknown): EgressError =>
    egressError(thrown, failureContext(step, limits, progress));
  return complete(head, await reader.read(head, limits, nameOf(target), failed));
}

async function routeTo(
  context: ExchangeContext,
  { target, project }: Step,
  signal: AbortSignal,
): Promise<Route> {
  const { resolver } = context;
  const allow = context.allow.for(project, portOf(target.url));
  const proxy = proxyFor(target, context.proxy);
  if (proxy !== undefined) {
    checkProxied(target, allow);
    return { proxy };
  }
  const texts =
    target.literal === undefined ? await resolver.addressesOf(target.host, signal) : [target.literal.text];
  return { addresses: checkAddresses(target, texts, allow) };
}

/** A new response with the body as it was read, without the headers that described its transfer. */
function complete(head: Response, body: Body): Response {
  const { status, statusText, headers: given } = head;
  const fresh = new Response(WITHOUT_BODY.has(status) ? null : body, { status, statusText, headers: given });
  const { headers } = fresh;
  headers.delete("content-length");
  headers.delete("transfer-encoding");
  if (DECODED.test(headers.get("content-encoding") ?? "")) headers.delete("content-encoding");
  return fresh;
}

function failureContext({ target }: Step, limits: Limits, { route, head }: Progress): FailureContext {
  return {
    origin: nameOf(target),
    proxy: route !== undefined && "proxy" in route ? route.proxy : undefined,
    ended: limits.deadline.ended(),
    started: route !== undefined,
    answered: head !== undefined,
    timeoutMs: limits.timeoutMs,
    timeoutAdvice: limits.timeoutAdvice(),
  };
}
