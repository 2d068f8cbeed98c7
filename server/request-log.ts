// What the log says about requests: the access log, refusals with their reason, and, at `debug`, the path. Paths and
// headers contain secrets (a consent address is one), so the access log has the pattern of the route instead.
import { type LogFields, Redacted } from "../src/base";
import type { Runtime } from "../src/runtime";
import { keyPrefixOf, type Principal } from "../src/identity";
import { type RuntimeError } from "../src/errors";
import { requestUrl } from "./request-url";
import { traceIdOf } from "./trace";

/** What is known about a request when its answer is ready. */
export interface Answered {
  requestId: string;
  request: Request;
  /** The pattern of the route; undefined for a path that is not served. */
  route: string | undefined;
  status: number;
  /** Milliseconds until the answer began. */
  durationMs: number;
  address: string | undefined;
  /** Undefined: without a credential, or with a wrong one. */
  principal: Principal | undefined;
  failure: Failure | undefined;
}

export interface Failure {
  thrown: unknown;
  /** What the caller gets. */
  error: RuntimeError;
}

/** Statuses whose reason an operator looks for. */
const REFUSALS = new Set([401, 403, 429]);
/** Ids and names are shorter, and tokens are longer. */
const LONGEST_SEGMENT = 24;

export class RequestLog {
  readonly #log: Runtime["core"]["log"];

  constructor({ log }: Runtime["core"]) {
    this.#log = log;
  }

  /** Whether the time that a request takes is needed. */
  get isTimed(): boolean {
    return this.#log.hasAccess || this.#log.debugs;
  }

  write(answered: Answered): void {
    const { status, failure } = answered;
    if (status >= 500 && failure !== undefined)
      this.#log.error("request failed", { request_id: answered.requestId, error: failure.thrown });
    if (failure !== undefined && REFUSALS.has(status)) this.#refused(answered, failure.error);
    if (this.#log.hasAccess) this.#log.access(accessFields(answered));
    if (this.#log.debugs) this.#log.debug("request details", debugFields(answered));
  }

  #refused(answered: Answered, error: RuntimeError): void {
    const { requestId, request, route, status, address, principal } = answered;
    // A caller without a valid credential is told apart by the beginning of the key, which is not secret.
    const header = request.headers.get("authorization") ?? "";
    this.#log.refused(`${status} ${error.name}`, {
      status,
      error: error.name,
      reason: error.message,
      method: methodOf(request),
      route: route ?? NO_ROUTE,
      ...callerOf(principal),
      key_prefix: principal === undefined ? keyPrefixOf(header) : undefined,
      address,
      request_id: requestId,
    });
  }
}

const NO_ROUTE = "none";

function accessFields({ requestId, request, route, status, durationMs, ...rest }: Answered): LogFields {
  return {
    method: methodOf(request),
    route: route ?? NO_ROUTE,
    status,
    ms: durationMs,
    ...callerOf(rest.principal),
    address: rest.address,
    request_id: requestId,
    trace_id: traceIdOf(request.headers.get("traceparent") ?? ""),
  };
}

function debugFields({ requestId, request, status, durationMs }: Answered): LogFields {
  return {
    request_id: requestId,
    method: methodOf(request),
    path: loggedPath(requestUrl(request).pathname),
    trace_id: traceIdOf(request.headers.get("traceparent") ?? ""),
    status,
    authorization: new Redacted(request.headers.get("authorization") ?? ""),
    cookie: new Redacted(request.headers.get("cookie") ?? ""),
    duration_ms: durationMs,
  };
}

/** Ids only: the name of a user is not the operator's to keep in a log. */
function callerOf(principal: Principal | undefined): LogFields {
  if (principal === undefined || principal.projectId === "") return {};
  const { projectId } = principal;
  return principal.kind === "key"
    ? {
        [principal.workload === undefined ? "key_id" : "workload_id"]: principal.keyId,
        project_id: projectId,
      }
    : { credential: principal.kind === "user" ? "user token" : principal.kind, project_id: projectId };
}

// A client may send any word as the method.
function methodOf({ method }: Request): string {
  return method.slice(0, 20);
}

function loggedPath(path: string): string {
  const shown = path
    .replace(/^\/+authorize\/.*/i, "/authorize/[redacted]")
    .split("/")
    .map((segment) =>
      segment.length > LONGEST_SEGMENT && !/^[a-z_.-]+$/i.test(segment) ? "[redacted]" : segment,
    );
  return shown.join("/").slice(0, 200);
}
