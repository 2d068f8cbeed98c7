// Recorded calls and injected faults of the chat sandbox.
import type { PageFault, ReceivedCall } from "../../../catalogs/sandbox/chat";

/** A received call. Completed when it is answered. */
export interface RecordedRequest extends ReceivedCall {
  /** The answer's HTTP status; null while unanswered and when the connection was reset. */
  readonly status: number | null;
  /** `error` of the answer's body, null if it was `ok`. */
  readonly error: string | null;
}

/** Faults for `fail`. Each request consumes one. */
export type Fault =
  | PageFault
  /** HTTP 429, `ratelimited`, with `Retry-After` in seconds or as an HTTP date; `null` omits the header. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: number | Date | null }
  /** HTTP 200 with `rate_limited`, as `chat.postMessage` may return. */
  | { readonly kind: "rate_limited_ok" }
  /** HTTP 5xx (default 503) with an HTML page. */
  | { readonly kind: "server_error"; readonly status?: number }
  | { readonly kind: "empty_body"; readonly status?: number }
  /** HTTP 200 that is not JSON. */
  | { readonly kind: "not_json"; readonly body?: string }
  /** HTTP 200 `{ok:false, error, ...fields}`. */
  | { readonly kind: "error"; readonly error: string; readonly fields?: Readonly<Record<string, unknown>> }
  /** The connection breaks before the work. */
  | { readonly kind: "reset_before" }
  /** The connection breaks after the work, before the answer. */
  | { readonly kind: "reset_after" }
  /** The work starts after this many milliseconds (at most 60,000), unless the caller has disconnected. */
  | { readonly kind: "delay"; readonly ms: number };
