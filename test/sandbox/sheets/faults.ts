// Injected faults: a queue per method, and the answers of those that replace the real one.
import type { JsonRecord } from "../../../catalogs/sandbox/chat/json";
import { errorInfo, PlatformError } from "../../../catalogs/sandbox/sheets/platform-error";
import { quotaExceeded } from "../../../catalogs/sandbox/sheets/quotas";
import type { Fault } from "./types";

const ERROR_PAGE =
  "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";

export class Faults {
  readonly #waiting = new Map<string, { readonly fault: Fault; left: number }[]>();

  /** Queues a fault. `method`: a method's name, or `*` for any. */
  add(method: string, fault: Fault, times: number): void {
    const queue = this.#waiting.get(method) ?? [];
    queue.push({ fault, left: times });
    this.#waiting.set(method, queue);
  }

  /** The next fault for a request of this method. */
  take(method: string): Fault | null {
    for (const name of [method, "*"]) {
      const entry = this.#waiting.get(name)?.find(({ left }) => left > 0);
      if (entry === undefined) continue;
      entry.left -= 1;
      return entry.fault;
    }
    return null;
  }

  clear(): void {
    this.#waiting.clear();
  }
}

/** The answer that replaces the real one, or null if the request is handled. */
export function replacement(fault: Fault): Response | null {
  switch (fault.kind) {
    case "rate_limit":
      return json(quotaExceeded("reads").body(), 429, retryAfter(fault.retryAfter));
    case "drive_error": {
      const { reason = "userRateLimitExceeded", code = 403, message = "User rate limit exceeded." } = fault;
      return json(
        new PlatformError(code, message, { errors: [{ reason, domain: "usageLimits" }] }).body(),
        code,
      );
    }
    case "error":
      return json(platformError(fault).body(), fault.code);
    case "server_error":
      return page(ERROR_PAGE, fault.status ?? 503, retryAfter(fault.retryAfter));
    case "not_json":
      return page(fault.body ?? ERROR_PAGE, 200);
    default:
      return null;
  }
}

/** The answer of a server that fails after the work. */
export function lateServerError(): Response {
  return page(ERROR_PAGE, 503);
}

function platformError(fault: Fault & { kind: "error" }): PlatformError {
  return new PlatformError(fault.code, fault.message, {
    status: fault.status,
    details: fault.reason === undefined ? [] : [errorInfo(fault.reason)],
  });
}

function retryAfter(value: number | Date | undefined): Record<string, string> {
  if (value === undefined) return {};
  return { "retry-after": value instanceof Date ? value.toUTCString() : String(value) };
}

function json(body: JsonRecord, status: number, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}

function page(body: string, status: number, headers: Record<string, string> = {}): Response {
  return new Response(body, { status, headers: { "content-type": "text/html; charset=utf-8", ...headers } });
}
