// The profiles of many people by id: from the cache, from the workspace's listing, and by one call each. Calls for single
// people are limited per workspace, so one run makes only some of them.
import { ToolError } from "../../../src/tools";
import { isPassing, type Missing } from "../../upstream/missing";
import type { ChatClient } from "../client";
import { LISTED_FROM, LISTED_PAGES, PROFILES_AT_ONCE } from "../limits";
import { TOOLKIT } from "../metadata";
import { type BasicUser, unknownUser } from "../records/user";
import { rateLimitOf } from "../upstream/failure";
import { Directory } from "./directory";
import { shownNames } from "./not-found";
import { MEMBERS } from "./usernames";
import { findUser, isCachedUser } from "./users";

/** The profiles of the first ones of a list of ids. */
export interface ProfilePart {
  users: BasicUser[];
  /** How many of the ids they are. */
  taken: number;
  missing: Missing[];
}

/** Looks people up over the pages of one run. */
export class Profiles {
  readonly #client: ChatClient;
  #listed = 0;
  #asked = 0;

  constructor(client: ChatClient) {
    this.#client = client;
  }

  /**
   * The people of the first of these ids, in their order: as many as one run may look up, and as the platform's rate limit
   * allows. If it allows none, the first ones with only their ids, unless the run has others to return. People whose
   * look-up fails are only ids, too. Throws `ToolError` for a failure that does not pass.
   */
  async of(ids: readonly string[], hasOthers: boolean): Promise<ProfilePart> {
    await this.#list(ids);
    const first = this.#affordable(ids);
    const failures = new Map<string, ToolError>();
    const users = await this.#client.together(first.map((id) => this.#find(id, failures)));
    const limited = first.findIndex((id) => rateLimitOf(failures.get(id)) !== undefined);
    const error = failures.get(first[limited] ?? "");
    if (limited === 0 && hasOthers && error !== undefined) throw error;
    const taken = limited > 0 ? limited : first.length;
    const shown = first.slice(0, taken);
    const failed = shown.filter((id) => failures.has(id));
    return {
      users: shown.map((id, index) => users[index] ?? unknownUser(id)),
      taken,
      missing: missingOf(failed, failures),
    };
  }

  /** The first ids with no more unknown people than this run may still look up. */
  #affordable(ids: readonly string[]): string[] {
    const unknown = new Set(this.#unknown(ids));
    const end = ids.findIndex((id) => unknown.has(id) && this.#asked++ >= PROFILES_AT_ONCE);
    return end < 0 ? [...ids] : ids.slice(0, end);
  }

  /** Reads pages of the workspace's people: each has as many people as hundreds of calls for single ones. */
  async #list(ids: readonly string[]): Promise<void> {
    if (this.#unknown(ids).length < LISTED_FROM) return;
    const directory = await Directory.of(this.#client, MEMBERS);
    while (this.#listed < LISTED_PAGES && this.#unknown(ids).length >= LISTED_FROM && !directory.complete) {
      this.#listed++;
      try {
        await directory.advance(this.#client);
      } catch (error) {
        // Single people can still be looked up.
        if (!(error instanceof ToolError) || this.#client.ended) throw error;
        this.#listed = LISTED_PAGES;
      }
    }
  }

  async #find(id: string, failures: Map<string, ToolError>): Promise<BasicUser | undefined> {
    try {
      return await findUser(this.#client, id, { paging: true });
    } catch (error) {
      if (!isPassing(error) || this.#client.ended) throw error;
      failures.set(id, error);
      return undefined;
    }
  }

  #unknown(ids: readonly string[]): string[] {
    return ids.filter((id) => !isCachedUser(this.#client, id));
  }
}

function missingOf(ids: readonly string[], failures: ReadonlyMap<string, ToolError>): Missing[] {
  const error = failures.get(ids[0] ?? "");
  if (error === undefined) return [];
  const wait = rateLimitOf(error);
  const when = wait === undefined ? "later" : `in ${wait} s`;
  const reason = wait === undefined ? error.problem : "The platform's rate limit is reached.";
  return [
    {
      what: `the profiles of ${shownNames(ids)}`,
      reason: `${reason} Call ${TOOLKIT}.GetUsersInfo with these ids ${when}.`,
    },
  ];
}
