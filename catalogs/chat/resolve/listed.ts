// Finds a direct conversation in the listing of the user's conversations, which requires no write scope.
import type { JsonObject } from "../../../src/tools";
import type { ChatClient } from "../client";
import { IN_FLIGHT, SMALL_PAGE } from "../limits";
import { memberCountIn } from "../records/conversation";
import { isNotFound } from "../upstream/failure";
import { nextCursorIn } from "../upstream/exchange";
import { objectsIn, textIn, textsIn } from "../../upstream/json";
import { type Source, pagesOf } from "./listing";
import type { Participants } from "./direct";

/** The platform's record of the conversation with exactly these people; undefined if there is none. */
export function findListed(
  client: ChatClient,
  { own, users }: Participants,
): Promise<JsonObject | undefined> {
  const [only, ...others] = users;
  if (others.length === 0) {
    return firstOf(client, "im", async (page) => page.find((direct) => textIn(direct, "user") === only));
  }
  const members = new Set([own, ...users]);
  return firstOf(client, "mpim", (page) => groupOf(client, page, members));
}

async function firstOf(
  client: ChatClient,
  type: "im" | "mpim",
  find: (page: readonly JsonObject[]) => Promise<JsonObject | undefined>,
): Promise<JsonObject | undefined> {
  const listing: Source = { method: "conversations.list", params: { types: [type] } };
  for await (const body of pagesOf(client, listing)) {
    const found = await find(objectsIn(body, "channels"));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The group with exactly these members. Its members take a call, made only for groups of the right size. */
async function groupOf(
  client: ChatClient,
  page: readonly JsonObject[],
  members: ReadonlySet<string>,
): Promise<JsonObject | undefined> {
  const candidates = page.filter((group) => (memberCountIn(group) ?? members.size) === members.size);
  for (let start = 0; start < candidates.length; start += IN_FLIGHT) {
    const some = candidates.slice(start, start + IN_FLIGHT);
    const matches = await client.together(some.map((group) => hasMembers(client, group, members)));
    const found = some[matches.indexOf(true)];
    if (found !== undefined) return found;
  }
  return undefined;
}

async function hasMembers(
  client: ChatClient,
  group: JsonObject,
  members: ReadonlySet<string>,
): Promise<boolean> {
  const channel = textIn(group, "id");
  if (channel === undefined) return false;
  try {
    const ids = await membersOf(client, channel);
    return ids.size === members.size && ids.isSubsetOf(members);
  } catch (error) {
    // It was closed after it was listed.
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function membersOf(client: ChatClient, channel: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const seen = new Set<string>();
  for (let cursor: string | undefined; ;) {
    const body = await client.call(
      "conversations.members",
      { channel, limit: SMALL_PAGE, cursor },
      { paging: true, ownCursor: true },
    );
    for (const id of textsIn(body, "members")) ids.add(id);
    cursor = nextCursorIn(body);
    if (cursor === undefined || seen.has(cursor)) return ids;
    seen.add(cursor);
  }
}
