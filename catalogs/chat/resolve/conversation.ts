// From the selector of a tool to the conversation that it means.
import type { JsonObject } from "../../../src/tools";
import type { ChatClient } from "../client";
import type { ConversationMetadata } from "../records/conversation";
import { textIn } from "../../upstream/json";
import { channelName, withChannel } from "./channel";
import { existingConversation, openConversation } from "./direct";
import type { Place, Selector } from "./selector";

/** A conversation that was found. */
export interface Found {
  id: string;
  /** How errors name it: as the caller did. */
  subject: string;
  /** Its record, when finding it told that. */
  record?: ConversationMetadata | undefined;
  /** The platform's record of a direct conversation. */
  direct?: JsonObject;
}

export type Use<Result> = (conversation: Found) => Promise<Result>;

/** Finds the conversation that an id or a channel's name means, and calls `use` with it. Throws `ToolError`. */
export function withPlace<Result>(client: ChatClient, place: Place, use: Use<Result>): Promise<Result> {
  if (place.kind === "id") return use({ id: place.id, subject: subjectOf(place.id) });
  const name = channelName(place.name);
  return withChannel(client, name, (id, record) => use({ id, subject: `channel "${name}" (${id})`, record }));
}

/** The same for people too: the conversation with them is created when there is none. */
export async function withConversation<Result>(
  client: ChatClient,
  selector: Selector,
  use: Use<Result>,
): Promise<Result> {
  if (selector.kind !== "people") return withPlace(client, selector, use);
  const id = await openConversation(client, selector.people);
  return use({ id, subject: subjectOf(id) });
}

/** The same for tools that only read: undefined when there is no conversation with these people yet. */
export async function withExisting<Result>(
  client: ChatClient,
  selector: Selector,
  use: Use<Result>,
): Promise<Result | undefined> {
  if (selector.kind !== "people") return withPlace(client, selector, use);
  const direct = await existingConversation(client, selector.people);
  const id = direct === undefined ? undefined : textIn(direct, "id");
  if (direct === undefined || id === undefined) return undefined;
  return use({ id, subject: subjectOf(id), direct });
}

function subjectOf(id: string): string {
  return `conversation "${id}"`;
}
