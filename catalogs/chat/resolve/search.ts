// Searches a listing for names: first the cached part, then page by page until all are found, the listing ends or the
// time is spent.
import { ToolError, endedBecause } from "../../../src/tools";
import type { ChatClient } from "../client";
import { Directory } from "./directory";
import type { Listing } from "./listing";

/** Why a search ended before the last page: the error of a rate limit, or the time. */
export type Stop = ToolError | "time";

/** The result of a search. */
export interface Search<Entry extends object> {
  directory: Directory<Entry>;
  stopped: Stop | undefined;
}

/**
 * Searches until each of `names` is settled: has an entry that no later page can replace.
 * Throws `ToolError` if the platform refuses or fails; a rate limit and the end of the time are results, not errors.
 */
export async function search<Entry extends object>(
  client: ChatClient,
  listing: Listing<Entry>,
  names: readonly string[],
  settles: (entry: Entry) => boolean = () => true,
): Promise<Search<Entry>> {
  const directory = await Directory.of(client, listing);
  for (;;) {
    const missing = names.filter((name) => !isSettled(directory.get(name), settles));
    if (missing.length === 0) return { directory, stopped: undefined };
    if (directory.complete) {
      const absent = missing.some((name) => directory.get(name) === undefined);
      if (!absent || directory.isBelieved(client)) return { directory, stopped: undefined };
      // A new entry may be on any page.
      directory.startAgain(client);
    }
    if (client.budget.spent) return { directory, stopped: "time" };
    const stopped = await step(client, directory);
    if (stopped !== undefined) return { directory, stopped };
  }
}

function isSettled<Entry extends object>(
  entry: Entry | undefined,
  settles: (entry: Entry) => boolean,
): boolean {
  return entry !== undefined && settles(entry);
}

async function step<Entry extends object>(
  client: ChatClient,
  directory: Directory<Entry>,
): Promise<Stop | undefined> {
  try {
    await directory.advance(client);
    return undefined;
  } catch (error) {
    if (error instanceof ToolError && error.kind === "UPSTREAM_RUNTIME_RATE_LIMIT") return error;
    if (endedBecause(error, "aborted") && !client.ended && client.budget.spent) return "time";
    throw error;
  }
}
