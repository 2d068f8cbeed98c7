// `request_body` in mode execute: present, JSON text, an object, fit for its schema. The refusals carry the schema, so
// that the caller needs no second call to mend it.
import { isObject, retryableInput, type ToolError } from "../../../src/tools";
import { BODIES, publishedSchema, type RequestBody } from "./schemas";
import { violationsOf } from "./violations";

/**
 * The caller's own text, which is what is sent: read and written again, ids longer than a number would lose digits.
 * Throws a retryable `ToolError` that names `request_body` and all violations.
 */
export function checkedBody(body: RequestBody, given: unknown): string {
  if (given === undefined || given === null || (typeof given === "string" && given.trim() === "")) {
    throw refused(body, "`request_body` is missing: mode execute needs it.");
  }
  if (typeof given !== "string") {
    throw refused(body, "`request_body` must be a string that holds JSON, not the object itself.");
  }
  const value = parsed(body, given);
  if (typeof value === "string") {
    throw refused(
      body,
      "`request_body` was encoded as JSON twice: it must be an object in JSON, encoded once.",
    );
  }
  if (!isObject(value)) {
    throw refused(
      body,
      `\`request_body\` must hold a JSON object, not ${Array.isArray(value) ? "a list" : "a single value"}.`,
    );
  }
  const violations = violationsOf(BODIES[body], value);
  if (violations.length > 0) {
    throw refused(body, `\`request_body\` does not fit its schema: ${violations.join("; ")}.`);
  }
  return given;
}

function parsed(body: RequestBody, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused(body, "`request_body` is not JSON.");
  }
}

function refused(body: RequestBody, message: string): ToolError {
  const schema = publishedSchema(body);
  return retryableInput(message, {
    additionalPromptContent:
      "Call again with `request_body` as a string: the JSON text of an object that fits this schema. " +
      JSON.stringify(schema),
    extra: { request_body_schema: schema },
  });
}
