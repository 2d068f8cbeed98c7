// Looking for names in a listing: in what is known of it first, then page by page until all are found, the listing
// ends, or the time for it does.
import { ToolError, endedBecause } from "../../../src/tools";
import type { ChatClient } from "../client";
import { BELIEVE_ABSENCE_MS } from "../limits";
import { Directory } from "./directory";
import type { Listing } from "./listing";

/** Why a search ended before the listing did: a rate limit's error, or the time. */
export type Stop = ToolError | "time";

/** How far a search came. */
export interface Search<Entry> {
  directory: Directory<Entry>;
  /** Whether it read nothing: what was found may be out of date. */
  remembered: boolean;
  stopped: Stop | undefined;
}

/**
 * Searches until each of `names` is settled: an entry that no later page can replace.
 * Throws `ToolError` when the platform refuses or fails; a rate limit and the end of the time are no errors here.
 */
export async function search<Entry>(
  client: ChatClient,
  listing: Listing<Entry>,
  names: readonly string[],
  settles: (entry: Entry) => boolean = () => true,
): Promise<Search<Entry>> {
  const since = client.context.now() - BELIEVE_ABSENCE_MS;
  let directory = Directory.of(client, listing);
  let remembered = true;
  for (;;) {
    const missing = names.filter((name) => !isSettled(directory.get(name), settles));
    if (missing.length === 0) return { directory, remembered, stopped: undefined };
    if (directory.complete) {
      const absent = missing.filter((name) => directory.get(name) === undefined);
      if (absent.length === 0 || directory.startedAt >= since) {
        return { directory, remembered, stopped: undefined };
      }
      // What is new may stand on any page, so an absence is believed only while the first page is young.
      directory.forget(client);
      directory = Directory.of(client, listing);
    }
    if (client.budget.spent) return { directory, remembered, stopped: "time" };
    remembered = false;
    const stopped = await step(client, directory);
    if (stopped !== undefined) return { directory, remembered, stopped };
  }
}

function isSettled<Entry>(entry: Entry | undefined, settles: (entry: Entry) => boolean): boolean {
  return entry !== undefined && settles(entry);
}

async function step<Entry>(client: ChatClient, directory: Directory<Entry>): Promise<Stop | undefined> {
  try {
    await directory.advance(client);
    return undefined;
  } catch (error) {
    if (error instanceof ToolError && error.kind === "UPSTREAM_RUNTIME_RATE_LIMIT") return error;
    if (endedBecause(error, "aborted") && !client.ended && client.budget.spent) return "time";
    throw error;
  }
}
