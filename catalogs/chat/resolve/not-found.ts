// How a name that leads nowhere is reported: with the names that the caller may have meant.
import { retryableInput, type ToolError, upstreamRateLimited } from "../../../src/tools";
import { RETRY_AFTER_MS } from "../limits";
import type { Stop } from "./search";

/**
 * @param what what was looked for, as the caller named it
 * @param stopped why the search ended early, if it did: then nobody can say that it does not exist
 * @param known for the model: what there is instead
 */
export function notFound(what: string, stopped: Stop | undefined, known: string): ToolError {
  const details = { statusCode: 404, retryAfterMs: RETRY_AFTER_MS, additionalPromptContent: known };
  if (stopped === undefined) {
    return retryableInput(`Not found, or not visible to this user: ${what}.`, details);
  }
  const soFar = `Not found so far: ${what}. The workspace is large;`;
  if (stopped === "time") {
    return retryableInput(`${soFar} the search ran out of time. Try again, or give an id.`, details);
  }
  return upstreamRateLimited(
    `${soFar} the search was stopped by the platform's rate limit. Try again later, or give an id.`,
    {
      ...stopped.details,
      additionalPromptContent: known,
    },
  );
}
