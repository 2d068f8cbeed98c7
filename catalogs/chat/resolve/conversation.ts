// Finds the conversation for the selector of a tool.
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
  /** Its name in errors: as the caller gave it. */
  subject: string;
  /** Its record, if the search returned one. */
  record?: ConversationMetadata | undefined;
  /** The platform's record of a direct conversation. */
  direct?: JsonObject;
}

export type Use<Result> = (conversation: Found) => Promise<Result>;

/** Finds the conversation with an id or a channel's name, and calls `use` with it. Throws `ToolError`. */
export function withPlace<Result>(client: ChatClient, place: Place, use: Use<Result>): Promise<Result> {
  if (place.kind === "id") return use({ id: place.id, subject: subjectOf(place.id) });
  const name = channelName(place.name);
  return withChannel(client, name, (id, record) => use({ id, subject: `channel "${name}" (${id})`, record }));
}

/** Like `withPlace`, also for people: creates the conversation with them if there is none. */
export async function withConversation<Result>(
  client: ChatClient,
  selector: Selector,
  use: Use<Result>,
): Promise<Result> {
  if (selector.kind !== "people") return withPlace(client, selector, use);
  const id = await openConversation(client, selector.people);
  return use({ id, subject: subjectOf(id) });
}

/** Like `withConversation`, for tools that only read: undefined if there is no conversation with these people. */
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
