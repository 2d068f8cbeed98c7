// Recorded calls and injected faults of the spreadsheet sandbox.
import type { PageFault, ReceivedCall } from "../../../catalogs/sandbox/sheets";

/** A received call. Completed when it is answered. */
export interface RecordedRequest extends ReceivedCall {
  /** The answer's HTTP status; null while unanswered and when the connection was reset. */
  readonly status: number | null;
}

/** Faults for `fail`. Each request consumes one. */
export type Fault =
  | PageFault
  /** HTTP 429 with `Retry-After` in seconds or as an HTTP date; without one there is no header. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: number | Date }
  /** HTTP 403 in the file interface's form, with this reason; default `userRateLimitExceeded`. */
  | {
      readonly kind: "drive_error";
      readonly reason?: string;
      readonly message?: string;
      readonly code?: number;
    }
  /** A refusal in the newer form, with `reason` in its details. */
  | {
      readonly kind: "error";
      readonly code: number;
      readonly status: string;
      readonly message: string;
      readonly reason?: string;
    }
  /** HTTP 5xx (default 503) with an HTML page of a proxy. */
  | { readonly kind: "server_error"; readonly status?: number; readonly retryAfter?: number | Date }
  /** HTTP 200 that is not JSON. */
  | { readonly kind: "not_json"; readonly body?: string }
  /** The connection breaks before the work. */
  | { readonly kind: "reset_before" }
  /** The connection breaks after the work, before the answer. */
  | { readonly kind: "reset_after" }
  /** The answer is HTTP 503 after the work. */
  | { readonly kind: "late_server_error" }
  /** The work starts after this many milliseconds, unless the caller has disconnected. */
  | { readonly kind: "delay"; readonly ms: number };
