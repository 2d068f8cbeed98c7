// One request to the platform and its answer, without judgement.
import type { JsonObject, ToolContext } from "../../../src/tools";
import { REQUEST_MS } from "../limits";
import { addressOf, type Call } from "./call";
import { isJsonObject } from "./json";

/** What came back. */
export interface Answer {
  status: number;
  /** Undefined when the body is not a JSON object: proxies answer with HTML, broken ones with nothing. */
  body: JsonObject | undefined;
  /** How long the platform asks to wait, when it says so. */
  retryAfterMs: number | undefined;
}

/** Sends the call. Throws `EgressError`; an answer of any kind is not an error. */
export async function exchange(context: ToolContext, call: Call): Promise<Answer> {
  const response = await context.fetch(call.base, addressOf(call), {
    method: call.verb,
    headers: {
      accept: "application/json",
      "accept-encoding": "gzip",
      ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    signal: context.signal,
    timeoutMs: Math.max(1, Math.min(REQUEST_MS, context.deadline - context.now())),
  });
  return {
    status: response.status,
    body: bodyOf(await response.text()),
    retryAfterMs: retryAfterMs(response.headers.get("retry-after"), context.now()),
  };
}

/**
 * The plain parser: in this platform's JSON every number is a double or a small integer, and 64-bit integers come as
 * text, so there are no digits to be kept; a cell's number must stay one.
 */
function bodyOf(text: string): JsonObject | undefined {
  try {
    const json = JSON.parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is whole seconds, or an HTTP date. No time, or one that is over, says nothing. */
function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return ms > 0 ? ms : undefined;
}
