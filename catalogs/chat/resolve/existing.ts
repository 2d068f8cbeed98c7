// From people to the conversation with them, for tools that only read: it is found or there is none, never created.
import { type JsonObject, ScopesLost } from "../../../src/tools";
import type { ChatClient } from "../client";
import { REMEMBER_MS } from "../limits";
import { OPEN_ONE, OPEN_SEVERAL } from "../scopes";
import { codeOf } from "../upstream/failure";
import { textIn } from "../../upstream/json";
import { findListed } from "./listed";
import { open, participantsOf } from "./opening";
import type { People } from "./selector";

/**
 * The platform's record of the direct conversation with these people; undefined when there is none yet. Opening
 * finds it in one call, but takes a scope for writing even then; without that scope the listing is searched.
 * Throws `ToolError`.
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
    if (!(error instanceof ScopesLost) || !error.needed.includes(scope)) throw error;
    // The grant claims what the token does not hold. The tool does without, so nobody is asked to consent anew.
    client.context.cache.set(keyOf(scope), true, REMEMBER_MS);
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
