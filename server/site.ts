// What all requests of a server have in common: request ids, log lines, an answer whatever happens.
import { type LogFields, Redacted } from "../src/base";
import type { Random } from "../src/crypto";
import type { Runtime } from "../src/runtime";
import type { Awaitable } from "../src/store";
import { errorAnswer, identified } from "./answer";
import { type Cors, corsOf } from "./cors";
import { collectWhenQuiet } from "./idle";
import { requestUrl } from "./request-url";
import type { Answer, Context } from "./route";
import { traceIdOf } from "./trace";

export interface Site {
  readonly runtime: Runtime;
  nextRequestId(): string;
  /** Counts a request. */
  counted(): void;
  /** Undefined: no browser of another origin may call, and nobody looks where a request comes from. */
  cors: Cors | undefined;
}

/** `stopping` aborts when the server is about to stop. */
export function siteOf(runtime: Runtime, stopping: AbortSignal): Site {
  const { core } = runtime;
  return {
    runtime,
    nextRequestId: requestIds(core.random),
    counted: collectWhenQuiet(stopping),
    cors: corsOf(core.settings),
  };
}

/** Runs one request: request id, log line, and an answer even when something of ours breaks. */
export function serve(site: Site, context: Context, answer: Answer): Awaitable<Response> {
  const requestId = site.nextRequestId();
  site.counted();
  const { log, clock } = site.runtime.core;
  const served: Served = { site, request: context.request, requestId, started: log.debugs ? clock.now() : 0 };
  try {
    const response = answer(site.runtime, context, requestId);
    if (!(response instanceof Promise)) return finished(served, response);
    return response.then(
      (known) => finished(served, known),
      (error: unknown) => failed(served, error),
    );
  } catch (error) {
    return failed(served, error);
  }
}

interface Served {
  site: Site;
  request: Request;
  requestId: string;
  /** ms; 0 where nobody will ask. */
  started: number;
}

function failed(served: Served, error: unknown): Response {
  const response = identified(errorAnswer(error), served.requestId);
  if (response.status >= 500)
    served.site.runtime.core.log.error("request failed", { request_id: served.requestId, error });
  return finished(served, response);
}

/** What every answer bears beside its request id. */
function finished({ site, request, requestId, started }: Served, response: Response): Response {
  const traceparent = request.headers.get("traceparent");
  if (traceparent !== null && traceIdOf(traceparent) !== undefined)
    response.headers.set("traceparent", traceparent);
  site.cors?.mark(request, response.headers);
  const { log, clock } = site.runtime.core;
  if (log.debugs)
    log.debug("request", {
      request_id: requestId,
      ...loggable(request, response),
      duration_ms: clock.now() - started,
    });
  return response;
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

const ENDS = 36 * 36;

/**
 * Unique, not secret: a random part for this server, and a number, of letters and digits alone, so that a double click
 * takes the whole. Its last two digits come from a table that fills as they
 * are used: to spell a number out costs as much as to find a route.
 */
function requestIds(random: Random): () => string {
  const prefix = random(7).toHex();
  const ends: string[] = [];
  let block = -1;
  let start = "";
  let end = ENDS;
  return () => {
    if (end === ENDS) {
      end = 0;
      block += 1;
      start = prefix + block.toString(36).padStart(4, "0");
    }
    const digits = (ends[end] ??= end.toString(36).padStart(2, "0"));
    end += 1;
    return start + digits;
  };
}

// The token of a consent address is as good as the consent itself.
function loggedPath(path: string): string {
  return path.replace(/^\/+authorize\/.*/, "/authorize/[redacted]").slice(0, 200);
}
