// Recorded requests and injected faults of the records sandbox.
import type { ReceivedCall } from "../../../catalogs/sandbox/records";

/** A received request. Completed when it is answered. */
export interface RecordedRequest extends ReceivedCall {
  /** The answer's HTTP status; null while unanswered and when the connection was reset. */
  readonly status: number | null;
  /** `code` of an API answer, `error` of a token answer; null when there is none. */
  readonly code: number | string | null;
}

/** Faults for `fail`. Each request consumes one. */
export type Fault =
  /** HTTP 429 with code 2955; `Retry-After` in seconds or as a date, absent by default. */
  | { readonly kind: "rate_limit"; readonly retryAfter?: number | Date }
  /** HTTP 200 with code 4000: the account's daily calls are exhausted. */
  | { readonly kind: "quota" }
  /** A code in the platform's form. `textIn`: the field of its text (default `message`; `null`: none). */
  | {
      readonly kind: "refuse";
      readonly status: number;
      readonly code: number;
      readonly text?: string;
      readonly textIn?: "message" | "description" | null;
    }
  /** An error of the token endpoint, HTTP 200 by default. */
  | { readonly kind: "oauth_error"; readonly error: string; readonly status?: number }
  /** This answer without any work. JSON by default. */
  | {
      readonly kind: "answer";
      readonly status?: number;
      readonly body: string;
      readonly type?: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** HTTP 5xx (default 500) with an HTML page, without any work. */
  | { readonly kind: "server_error"; readonly status?: number }
  /** The same (default 502) after the work: a gateway lost the answer. */
  | { readonly kind: "server_error_after"; readonly status?: number }
  /** The connection breaks before the work. */
  | { readonly kind: "reset_before" }
  /** The connection breaks after the work, before the answer. */
  | { readonly kind: "reset_after" }
  /** The work is done immediately; the answer follows after this many milliseconds (at most 60,000). */
  | { readonly kind: "slow"; readonly ms: number };
