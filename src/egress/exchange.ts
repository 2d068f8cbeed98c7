// One request and its answer: route, send, read, and a line in the log.
import { type Clock, type Log, type LogFields, Redacted } from "../base";
import type { AllowList } from "./allow-list";
import { type Circumstances, egressError, neverConnected } from "./failure";
import { type Limits, readBody } from "./limits";
import { loggable, type Step } from "./outgoing";
import { type Route, send } from "./pin";
import { checkAddresses, checkProxied } from "./policy";
import { proxyFor, type ProxySettings } from "./proxy";
import { isRedirect } from "./redirect";
import type { Resolver } from "./resolver";
import { nameOf, type Target } from "./target";
import { EgressError } from "./types";

/** What all exchanges share. */
export interface Surroundings {
  allow: AllowList;
  resolver: Resolver;
  proxy: ProxySettings | undefined;
  /** PEM of all authorities to trust; undefined: the defaults. */
  authorities: string[] | undefined;
  log: Log;
  clock: Clock;
}

/** What becomes of a body. `failed` makes the error of what breaks while it is read. */
export type ReadBody = (
  head: Response,
  limits: Limits,
  origin: string,
  failed: (thrown: unknown) => EgressError,
) => Promise<Body> | Body;
type Body = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | string | null;

/** Reads it whole, and the exchange is over. */
export const whole: ReadBody = async (head, limits, origin) => {
  const body = await readBody(head, limits, origin);
  limits.deadline.complete();
  return body;
};

/** How far an exchange has come, for the error. */
interface Progress {
  route?: Route;
  /** The head of the answer, once it is here. */
  head?: Response;
}

/** Statuses whose answers have no body (fetch standard, section 2.2.3). */
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

/** Encodings that Bun has undone by the time the body is read. */
const UNPACKED = /^(gzip|x-gzip|deflate|br|zstd)$/i;

/**
 * Sends one request and reads its answer; the body of a redirect is left unread. Throws `EgressError`.
 */
export async function exchange(
  surroundings: Surroundings,
  step: Step,
  limits: Limits,
  read: ReadBody = whole,
): Promise<Response> {
  const progress: Progress = {};
  const begin = surroundings.clock.now();
  let failure: EgressError | undefined;
  try {
    return await perform(surroundings, step, limits, progress, read);
  } catch (thrown) {
    if (neverConnected(thrown)) surroundings.resolver.forget(step.target.host);
    failure = egressError(thrown, circumstances(step, limits, progress));
    throw failure;
  } finally {
    const duration_ms = Math.round(surroundings.clock.now() - begin);
    surroundings.log.debug("outbound request", () => ({
      ...loggable(step.outgoing),
      ...loggableAnswer(step.target.url, progress.head?.status, failure),
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
  surroundings: Surroundings,
  step: Step,
  limits: Limits,
  progress: Progress,
  read: ReadBody,
): Promise<Response> {
  const { target, outgoing } = step;
  const { signal } = limits.deadline;
  signal.throwIfAborted();
  const route = await routeTo(surroundings, target, signal);
  progress.route = route;
  const head = await send(target, route, outgoing, signal, surroundings.authorities);
  progress.head = head;
  if (head.status < 200 || head.status > 599) throw unknownStatus(nameOf(target), head.status);
  if (isRedirect(head)) {
    await head.body?.cancel();
    return complete(head, null);
  }
  const failed = (thrown: unknown): EgressError => egressError(thrown, circumstances(step, limits, progress));
  return complete(head, await read(head, limits, nameOf(target), failed));
}

async function routeTo(surroundings: Surroundings, target: Target, signal: AbortSignal): Promise<Route> {
  const { allow, resolver } = surroundings;
  const proxy = proxyFor(target, surroundings.proxy);
  if (proxy !== undefined) {
    checkProxied(target, allow);
    return { proxy };
  }
  const texts =
    target.literal === undefined ? await resolver.addressesOf(target.host, signal) : [target.literal.text];
  return { addresses: checkAddresses(target, texts, allow) };
}

/** A fresh answer around the body as it was read: headers that described its transfer are gone. */
function complete(head: Response, body: Body): Response {
  const { status, statusText, headers: given } = head;
  const fresh = new Response(WITHOUT_BODY.has(status) ? null : body, { status, statusText, headers: given });
  const { headers } = fresh;
  headers.delete("content-length");
  headers.delete("transfer-encoding");
  if (UNPACKED.test(headers.get("content-encoding") ?? "")) headers.delete("content-encoding");
  return fresh;
}

function circumstances({ target }: Step, limits: Limits, { route, head }: Progress): Circumstances {
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

/** Bun reads any number as a status; a `Response` holds 200 to 599 only. */
function unknownStatus(origin: string, status: number): EgressError {
  return new EgressError(
    "unreachable",
    `${origin} answered with status ${status}, which HTTP does not know.`,
    {
      maybeSent: true,
    },
  );
}
