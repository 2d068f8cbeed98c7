// A refusal in the platform's form. Its interfaces use different forms.
import type { JsonRecord } from "../chat/json";
import type { RefusalRow } from "./behaviour/refusals";

/** An entry of the older form's list. */
export interface ErrorEntry {
  readonly reason: string;
  readonly domain?: string;
  readonly message?: string;
  readonly location?: string;
  readonly locationType?: string;
}

/** Thrown by a method; the server converts it to the answer. */
export class PlatformError extends Error {
  readonly code: number;
  /** Of the newer form, such as `INVALID_ARGUMENT`. */
  readonly status: string | null;
  readonly details: readonly JsonRecord[];
  readonly errors: readonly ErrorEntry[];

  constructor(
    code: number,
    message: string,
    more: {
      readonly status?: string;
      readonly details?: readonly JsonRecord[];
      readonly errors?: readonly ErrorEntry[];
    },
  ) {
    super(message);
    this.code = code;
    this.status = more.status ?? null;
    this.details = more.details ?? [];
    this.errors = more.errors ?? [];
  }

  /** The body of the answer, without empty fields. */
  body(): JsonRecord {
    const errors = this.errors.map((entry) => ({ domain: "global", message: this.message, ...entry }));
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(errors.length === 0 ? {} : { errors }),
        ...(this.status === null ? {} : { status: this.status }),
        ...(this.details.length === 0 ? {} : { details: this.details }),
      },
    };
  }
}

/** A refusal of the spreadsheet interface. */
export function refusedBy({ code, message, status }: RefusalRow): PlatformError {
  return new PlatformError(code, message, { status });
}

/** The spreadsheet interface does not accept the request. */
export function invalidArgument(message: string): PlatformError {
  return new PlatformError(400, message, { status: "INVALID_ARGUMENT" });
}

/** The file interface does not accept a parameter. */
export function invalidParameter(
  location: string,
  message = "Invalid Value",
  reason = "invalid",
): PlatformError {
  return new PlatformError(400, message, { errors: [{ reason, location, locationType: "parameter" }] });
}

export function errorInfo(reason: string, metadata: JsonRecord = {}): JsonRecord {
  return {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason,
    domain: "googleapis.com",
    metadata,
  };
}
