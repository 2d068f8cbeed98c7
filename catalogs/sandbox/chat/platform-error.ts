// A refusal in the platform's form: HTTP 200, `{ok:false, error}`.
import type { JsonRecord } from "./json";

/** Thrown by a method; the server converts it to the answer. */
export class PlatformError extends Error {
  readonly code: string;
  readonly fields: JsonRecord;

  constructor(code: string, fields: JsonRecord = {}) {
    super(code);
    this.code = code;
    this.fields = fields;
  }
}

/** An argument error with the platform's explanation in `response_metadata.messages`. */
export function argumentError(code: string, message: string): PlatformError {
  return new PlatformError(code, { response_metadata: { messages: [`[ERROR] ${message}`] } });
}
