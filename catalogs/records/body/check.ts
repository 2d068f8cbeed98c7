// Checks `request_body` in mode execute: it must be present, JSON text, an object, and match its schema. Errors contain
// the schema, so that the caller can correct the body without another call.
import { isObject, parsePlainJson, retryableInput, type ToolError } from "../../../src/tools";
import { BODIES, publishedSchema, type RequestBody } from "./schemas";
import { repeatedKey } from "../../upstream/repeated-key";
import { exampleOf, violationsOf } from "./violations";

/** Throws a retryable `ToolError` that names `request_body` and all violations. */
export function checkBody(body: RequestBody, given: unknown): void {
  if (given === undefined || given === null || (typeof given === "string" && given.trim() === "")) {
    throw refused(body, `\`request_body\` is required in mode execute${exampleText(body)}.`);
  }
  if (typeof given !== "string") {
    throw refused(body, "`request_body` must be string: the JSON text of the object, not the object itself.");
  }
  const value = parsed(body, given);
  if (typeof value === "string") {
    throw refused(
      body,
      "`request_body` must be string: the JSON text of an object, encoded once; it was encoded as JSON twice.",
    );
  }
  if (!isObject(value)) {
    throw refused(
      body,
      `\`request_body\` must be the JSON text of an object, not of ${Array.isArray(value) ? "a list" : "a single value"}.`,
    );
  }
  const repeated = repeatedKey(given);
  if (repeated !== undefined) {
    throw refused(
      body,
      `\`request_body\` must not have the key ${JSON.stringify(repeated)} twice in one object.`,
    );
  }
  const violations = violationsOf(BODIES[body], value, "request_body");
  if (violations.length > 0) {
    throw refused(body, `\`request_body\` does not match its schema: ${violations.join("; ")}.`);
  }
}

function parsed(body: RequestBody, text: string): unknown {
  try {
    return parsePlainJson(text);
  } catch {
    throw refused(body, `\`request_body\` must be valid JSON${exampleText(body)}.`);
  }
}

/** An example in the sentence: the text that the parameter takes. */
function exampleText(body: RequestBody): string {
  return exampleOf(BODIES[body]);
}

function refused(body: RequestBody, message: string): ToolError {
  const schema = publishedSchema(body);
  return retryableInput(message, {
    additionalPromptContent:
      "Call again with `request_body` as a string: the JSON text of an object that matches this schema. " +
      JSON.stringify(schema),
    extra: { request_body_schema: schema },
  });
}
