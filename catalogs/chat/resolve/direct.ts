// Direct conversations by the people in them.
import { badInput, type JsonObject, ScopesLost, upstreamFailed } from "../../../src/tools";
import type { ChatClient } from "../client";
import { MAX_OTHERS, CACHE_MS } from "../limits";
import { OPEN_ONE, OPEN_SEVERAL } from "../scopes";
import { codeOf } from "../upstream/failure";
import { objectIn, textIn } from "../../upstream/json";
import { knownOwnId, ownId } from "./identity";
import { findListed } from "./listed";
import { findPeople } from "./people";
import type { People } from "./selector";

/** The people in a direct conversation. */
export interface Participants {
  own: string;
  /** The ids to open it with: those of the others, or the user's own for notes to oneself. */
  users: readonly string[];
}

/** The id of the direct conversation with these people. Creates it if there is none. */
export async function openConversation(client: ChatClient, people: People): Promise<string> {
  const { users } = await participantsOf(client, people);
  const id = textIn(await open(client, users, {}), "id");
  if (id === undefined) throw upstreamFailed("The platform opened a conversation but did not return its id.");
  return id;
}

/**
 * The platform's record of the direct conversation with these people; undefined if there is none. Opening finds it in
 * one call but requires a write scope; without that scope the listing is searched. Throws `ToolError`.
 */
export async function existingConversation(
  client: ChatClient,
  people: People,
): Promise<JsonObject | undefined> {
  const participants = await participantsOf(client, people);
  const scope = participants.users.length > 1 ? OPEN_SEVERAL : OPEN_ONE;
  if (!mayUse(client, scope)) return findListed(client, participants);
  try {
    const conversation = await open(client, participants.users, { prevent_creation: true });
    return textIn(conversation, "id") === undefined ? undefined : conversation;
  } catch (error) {
    if (codeOf(error) === "channel_not_found") return undefined;
    // With a deactivated person no conversation can be opened, but the earlier one remains.
    if (codeOf(error) === "user_disabled") return findListed(client, participants);
    if (!(error instanceof ScopesLost) || !error.needed.includes(scope)) throw error;
    // The stored grant has a scope that the token lacks. The tool works without it, so no new consent is needed.
    client.context.cache.set(keyOf(scope), true, CACHE_MS);
    return findListed(client, participants);
  }
}

function mayUse(client: ChatClient, scope: string): boolean {
  const { grant, cache } = client.context;
  return grant?.scopes.includes(scope) === true && cache.get<true>(keyOf(scope)) === undefined;
}

function keyOf(scope: string): string {
  return `lost:${scope}`;
}

/** Looks up the people given by handle or address. Throws bad input if there are too many. */
async function participantsOf(client: ChatClient, people: People): Promise<Participants> {
  // Ids are not looked up: opening checks them.
  requireFew(without(people.userIds, knownOwnId(client)), knownOwnId(client) === undefined);
  const [own, found] = await client.together([ownId(client), findPeople(client, { ...people, userIds: [] })]);
  const others = without([...people.userIds, ...found.map((person) => person.id)], own);
  requireFew(others, false);
  return { own, users: others.length === 0 ? [own] : others };
}

/** The platform's record of the conversation with these people; empty if the answer has none. */
async function open(
  client: ChatClient,
  users: readonly string[],
  mode: { prevent_creation?: true },
): Promise<JsonObject> {
  const subject = `user ${users.join(", ")}`;
  const body = await client.call("conversations.open", { users, return_im: true, ...mode }, { subject });
  const id = textIn(body, "channel");
  return id === undefined ? objectIn(body, "channel") : { id };
}

function without(ids: readonly string[], own: string | undefined): string[] {
  return [...new Set(ids)].filter((id) => id !== own);
}

/** Throws bad input for more ids than can be in one conversation, whether or not one of them is the user's own. */
export function requireFewIds({ userIds }: People): void {
  requireFew(userIds, true);
}

/** @param mayIncludeOwn whether one of the ids may be the user's own */
function requireFew(others: readonly string[], mayIncludeOwn: boolean): void {
  if (others.length <= MAX_OTHERS + (mayIncludeOwn ? 1 : 0)) return;
  throw badInput(
    `\`user_ids\`, \`usernames\` and \`emails\` must have at most ${MAX_OTHERS} other people together; ` +
      `${others.length} were given. Leave some out and call again.`,
  );
}
