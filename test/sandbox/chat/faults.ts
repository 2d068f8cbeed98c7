// Injected faults: a queue per method, and the answers of those faults that replace the real one.
import { type PageFault, rateLimited } from "../../../catalogs/sandbox/chat";
import type { JsonRecord } from "../../../catalogs/sandbox/chat/json";
import type { Fault } from "./types";

const PAGED = new Set([
  "users.list",
  "conversations.list",
  "users.conversations",
  "conversations.members",
  "conversations.history",
]);
const LONGEST_DELAY_MS = 60_000;
const ERROR_PAGE =
  "<!DOCTYPE html><html><head><title>Server Error</title></head><body><h1>Server Error</h1></body></html>";

export class Faults {
  private readonly waiting = new Map<string, { readonly fault: Fault; left: number }[]>();

  /** Queues a fault. `method`: a method, `refresh` (the refresh grant only), or `*` (any). */
  add(method: string, fault: Fault, times: number): void {
    if (isPageFault(fault) && !PAGED.has(method)) throw new Error(`${method} does not answer in pages.`);
    if (fault.kind === "delay" && !(fault.ms >= 0 && fault.ms <= LONGEST_DELAY_MS)) {
      throw new Error(`A delay lasts at most ${LONGEST_DELAY_MS} ms.`);
    }
    const queue = this.waiting.get(method) ?? [];
    queue.push({ fault, left: times });
    this.waiting.set(method, queue);
  }

  /** The next fault for a request with these names, the most specific name first. */
  take(names: readonly string[]): Fault | null {
    for (const name of [...names, "*"]) {
      const entry = this.waiting.get(name)?.find(({ left }) => left > 0);
      if (entry === undefined) continue;
      entry.left -= 1;
      return entry.fault;
    }
    return null;
  }

  clear(): void {
    this.waiting.clear();
  }
}

export function isPageFault(fault: Fault): fault is PageFault {
  return fault.kind === "empty_page" || fault.kind === "short_page" || fault.kind === "repeated_cursor";
}

/** The answer that replaces the real one, or null if the request is handled. */
export function replacement(fault: Fault): { response: Response; error: string | null } | null {
  switch (fault.kind) {
    case "rate_limit":
      return { response: rateLimited(retryAfterOf(fault.retryAfter)), error: "ratelimited" };
    case "rate_limited_ok":
      return platformAnswer({ ok: false, error: "rate_limited" });
    case "error":
      return platformAnswer({ ok: false, error: fault.error, ...fault.fields });
    case "server_error":
      return other(ERROR_PAGE, "text/html; charset=utf-8", fault.status ?? 503);
    case "empty_body":
      return other("", "text/plain", fault.status ?? 200);
    case "not_json":
      return other(fault.body ?? ERROR_PAGE, "text/html; charset=utf-8", 200);
    default:
      return null;
  }
}

/**
 * A connection that breaks before the answer's headers are sent: the client sees a reset. (`Bun.serve` does not
 * hand out its sockets; a body that fails at once makes it close this one.)
 */
export function resetConnection(): Response {
  return new Response(
    new ReadableStream({
      async pull(controller): Promise<void> {
        await Bun.sleep(1);
        controller.error(new Error("reset by the chat sandbox"));
      },
    }),
  );
}

/** Waits; returns false if the caller disconnects first. */
export async function delay(ms: number, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener("abort", onAbort);
  return !signal.aborted;
}

function retryAfterOf(retryAfter: number | Date | null | undefined): string | number | null {
  if (retryAfter === null) return null;
  return retryAfter instanceof Date ? retryAfter.toUTCString() : (retryAfter ?? 1);
}

function platformAnswer(body: JsonRecord): { response: Response; error: string | null } {
  const error = typeof body["error"] === "string" ? body["error"] : null;
  return { response: Response.json(body), error };
}

function other(body: string, type: string, status: number): { response: Response; error: null } {
  return { response: new Response(body, { status, headers: { "content-type": type } }), error: null };
}
