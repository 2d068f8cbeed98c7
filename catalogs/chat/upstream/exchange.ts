// One request to the Web API and its answer: form body out, status and JSON in.
import type { JsonObject, ToolContext } from "../../../src/tools";
import { exchange as exchangeWith, type WholeAnswer } from "../../upstream/exchange";
import { nonEmptyTextIn, objectIn } from "../../upstream/json";
import type { MethodName, Params } from "./methods";

/**
 * Calls a method. Every one of them takes a form body; only some take JSON.
 * Throws `EgressError`; an answer of any kind is not an error.
 */
export function exchange(
  context: ToolContext,
  method: MethodName,
  params: Params,
  signal: AbortSignal,
): Promise<WholeAnswer> {
  return exchangeWith(context, "api", method, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      accept: "application/json",
    },
    body: formOf(params),
    signal,
  });
}

/** Booleans in lower case, lists comma-separated, nothing for what is absent or empty. */
function formOf(params: Params): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    const text = Array.isArray(value) ? value.join(",") : String(value ?? "");
    if (text !== "") form.set(name, text);
  }
  return form.toString();
}

/** Where the next page of a listing begins; undefined at its end, which the platform tells in three ways. */
export function nextCursorIn(body: JsonObject): string | undefined {
  return nonEmptyTextIn(objectIn(body, "response_metadata"), "next_cursor");
}
