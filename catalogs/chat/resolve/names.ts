// Names of people in direct conversations, as far as they are known without calls.
import type { ChatClient } from "../client";
import type { ConversationMetadata } from "../records/conversation";
import { shownName } from "../records/user";
import { Directory } from "./directory";
import { MEMBERS } from "./usernames";
import { knownUser } from "./users";

/** The records with the names of the people in direct messages, where they are known. */
export async function withNames(
  client: ChatClient,
  records: readonly ConversationMetadata[],
): Promise<ConversationMetadata[]> {
  const isDirect = ({ conversation_type: type }: ConversationMetadata) => type === "im";
  // Remembered people of other runs and processes become known.
  if (records.some(isDirect)) await Directory.of(client, MEMBERS);
  return records.map((record) => {
    const name = isDirect(record) ? nameOf(client, record) : null;
    return name === null ? record : { ...record, user_name: name };
  });
}

function nameOf(client: ChatClient, { user }: ConversationMetadata): string | null {
  const known = typeof user === "string" ? knownUser(client, user) : undefined;
  return known === undefined ? null : shownName(known);
}
