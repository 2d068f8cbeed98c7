// One request and its answer.
import type { ToolContext } from "../../../src/tools";
import { exchange as exchangeWith, jsonRequest, type WholeAnswer } from "../../upstream/exchange";
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

/** Throws `EgressError`; an answer of any kind is not an error. */
export function exchange(context: ToolContext, { operation, address, body }: Call): Promise<WholeAnswer> {
  return exchangeWith(context, "api", address, {
    // The platform refuses an `Accept` with wildcards.
    ...jsonRequest(body),
    method: methodOf(operation),
    anonymous: operation.scope === "none",
    signal: context.signal,
  });
}
