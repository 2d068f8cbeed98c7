// A refusal in the platform's own way: HTTP 200, `{ok:false, error}`.
import type { JsonRecord } from "./json";

/** Thrown by a method; the front turns it into the answer. */
export class PlatformError extends Error {
  readonly code: string;
  readonly fields: JsonRecord;

  constructor(code: string, fields: JsonRecord = {}) {
    super(code);
    this.code = code;
    this.fields = fields;
  }
}

/** An argument error with the explanation that the platform adds in `response_metadata.messages`. */
export function argumentError(code: string, message: string): PlatformError {
  return new PlatformError(code, { response_metadata: { messages: [`[ERROR] ${message}`] } });
}
