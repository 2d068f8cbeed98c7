// One request to a platform and its answer, before the answer is interpreted.
import { readJson, retryAfterIn } from "../../src/egress";
import type { Json, JsonObject, PlatformRequest, ToolContext } from "../../src/tools";
import { isJsonObject } from "./json";

export interface Answer {
  status: number;
  /** Undefined if the body is not a JSON object: proxies answer with HTML or with nothing. */
  body: JsonObject | undefined;
  /** The value of `Retry-After`. */
  retryAfterMs: number | undefined;
}

/** An answer with its HTTP metadata and its text. */
export interface WholeAnswer extends Answer {
  /** HTTP's reason phrase. */
  reason: string;
  headers: Headers;
  text: string;
}

/**
 * Sends a request. Throws `EgressError`; an answer with any status is not an error.
 *
 * @param parse throws `SyntaxError`; the default converts integers beyond the safe range to text
 */
export async function exchange(
  context: ToolContext,
  base: string,
  address: string,
  request: PlatformRequest,
  parse: (text: string) => Json | Promise<Json> = (text) => readJson(new Response(text)),
): Promise<WholeAnswer> {
  const response = await context.fetch(base, address, request);
  const { status, statusText: reason, headers } = response;
  const text = await response.text();
  const retryAfterMs = pauseIn(headers, context.now());
  return { status, reason, headers, text, body: await objectOf(text, parse), retryAfterMs };
}

/** Headers and body of a request that sends JSON or nothing, and accepts only JSON. */
export function jsonRequest(body: string | undefined) {
  const accept = "application/json";
  return body === undefined
    ? { headers: { accept } }
    : { headers: { accept, "content-type": "application/json" }, body };
}

async function objectOf(
  text: string,
  parse: (text: string) => Json | Promise<Json>,
): Promise<JsonObject | undefined> {
  try {
    const json = await parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A time that is not in the future counts as absent. */
function pauseIn(headers: Headers, now: number): number | undefined {
  return retryAfterIn(headers, now) || undefined;
}
