// One request and its answer, without judgement.
import { readJson } from "../../../src/egress";
import { isObject, type Json, type JsonObject, type ToolContext } from "../../../src/tools";
import { methodOf, type Operation } from "../operation";

/** What is sent. */
export interface Call {
  operation: Operation;
  /** Path and query. */
  address: string;
  /** JSON text, as the caller wrote it. */
  body: string | undefined;
  /** A key in the query that no text may repeat. */
  privateLink: string | undefined;
}

export interface Answer {
  status: number;
  /** HTTP's own words for the status, for an answer that says nothing. */
  reason: string;
  /** Undefined when the body is not a JSON object. Integers beyond the safe range are text. */
  body: JsonObject | undefined;
  text: string;
  /** How long the platform asks to wait, when it says so. */
  retryAfterMs: number | undefined;
}

/** Throws `EgressError`; an answer of any kind is not an error. */
export async function exchange(context: ToolContext, call: Call): Promise<Answer> {
  const { operation, address, body } = call;
  const response = await context.fetch("api", address, {
    method: methodOf(operation),
    // Exactly this: the platform refuses an `Accept` with wildcards.
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
    anonymous: operation.scope === "none",
    signal: context.signal,
  });
  const { status, statusText: reason, headers } = response;
  const text = await response.text();
  const retryAfter = retryAfterMs(headers.get("retry-after"), context.now());
  return { status, reason, text, body: await objectIn(new Response(text)), retryAfterMs: retryAfter };
}

async function objectIn(response: Response): Promise<JsonObject | undefined> {
  try {
    const json = await readJson(response);
    return isJsonObject(json) ? json : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isObject(value);
}

/** `Retry-After` is whole seconds, or an HTTP date. No time, or one that is over, says nothing. */
function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return ms > 0 ? ms : undefined;
}
