// One request to the Web API with a form body, and its JSON answer.
import type { JsonObject, ToolContext } from "../../../src/tools";
import { exchange as exchangeWith, type WholeAnswer } from "../../upstream/exchange";
import { nonEmptyTextIn, objectIn } from "../../upstream/json";
import type { MethodName, Params } from "./methods";

/**
 * Calls a method. All methods accept a form body; only some accept JSON.
 * Throws `EgressError`; an answer with any status is not an error.
 */
export function exchange(
  context: ToolContext,
  method: MethodName,
  params: Params,
  { signal, timeoutMs }: { signal: AbortSignal; timeoutMs?: number | undefined },
): Promise<WholeAnswer> {
  return exchangeWith(context, "api", method, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded; charset=utf-8",
      accept: "application/json",
    },
    body: formOf(params),
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

/** Booleans in lower case, lists comma-separated; absent and empty values are left out. */
function formOf(params: Params): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    const text = Array.isArray(value) ? value.join(",") : String(value ?? "");
    if (text !== "") form.set(name, text);
  }
  return form.toString();
}

/** The cursor of the next page; undefined at the end, which the platform reports in three ways. */
export function nextCursorIn(body: JsonObject): string | undefined {
  return nonEmptyTextIn(objectIn(body, "response_metadata"), "next_cursor");
}
