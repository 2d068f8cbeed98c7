// One request to the platform and its answer.
import type { ToolContext } from "../../../src/tools";
import { type Answer, exchange as exchangeWith, jsonRequest } from "../../upstream/exchange";
import { REQUEST_MS } from "../limits";
import { addressOf, type Call } from "./call";

/** Sends the call. Throws `EgressError`; an answer of any kind is not an error. */
export function exchange(context: ToolContext, call: Call): Promise<Answer> {
  const { headers, ...rest } = jsonRequest(call.body === undefined ? undefined : JSON.stringify(call.body));
  const request = {
    ...rest,
    method: call.verb,
    headers: { ...headers, "accept-encoding": "gzip" },
    signal: context.signal,
    timeoutMs: Math.max(1, Math.min(REQUEST_MS, context.deadline - context.now())),
  };
  // The plain parser: in this platform's JSON every number is a double or a small integer, and 64-bit integers come as
  // text, so there are no digits to be kept; a cell's number must stay one.
  return exchangeWith(context, call.base, addressOf(call), request, JSON.parse);
}
