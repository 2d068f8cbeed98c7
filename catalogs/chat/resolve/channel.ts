// From a channel's name to its id. The platform cannot look a name up: the channels are listed for it.
import { badInput, type JsonObject } from "../../../src/tools";
import type { ChatClient } from "../client";
import { SUGGESTIONS } from "../limits";
import { type ConversationMetadata, conversationMetadata } from "../records/conversation";
import { codeOf } from "../upstream/failure";
import { textIn } from "../../upstream/json";
import type { Listing } from "./listing";
import { closest, notFound } from "./not-found";
import { type Search, search } from "./search";

export interface Channel {
  record: ConversationMetadata;
  name: string;
  /** Shared with another organization. */
  isShared: boolean;
}

export const CHANNELS: Listing<Channel> = {
  method: "conversations.list",
  // Without `types` the platform lists public channels only.
  params: { types: ["public_channel", "private_channel"], exclude_archived: true },
  items: "channels",
  read: readChannel,
  names: (channel, item) => [channel.name, textIn(item, "name_normalized") ?? channel.name].map(foldName),
  idOf: ({ record }) => record.id,
  // Shared channels may bear the name of one's own.
  better: (channel, than) =>
    channel.record.is_member === than.record.is_member
      ? than.isShared && !channel.isShared
      : channel.record.is_member,
};

/** Names are in lower case, so this is an id in the wrong parameter. */
const ID_SHAPED = /^[CGD][A-Z0-9]{8,}$/;
const OUT_OF_DATE: ReadonlySet<unknown> = new Set(["channel_not_found", "is_archived"]);

/** The name without the sign in front. Throws bad input when nothing is left of it. */
export function channelName(given: string): string {
  const name = given.replace(/^[#\s]+/, "").trim();
  if (name === "") throw badInput("`channel_name` holds no name.");
  return name;
}

/** What is done with a channel: `fresh` is its record, when it was read for this very call. */
export type UseChannel<Result> = (id: string, fresh: ConversationMetadata | undefined) => Promise<Result>;

/**
 * Calls `use` with the id of the channel of that name. A remembered id is verified by its use: when the platform
 * does not know it any longer, or has it archived, the name is looked up anew, once.
 * Throws a retryable not-found error that offers the closest names.
 */
export async function withChannel<Result>(
  client: ChatClient,
  name: string,
  use: UseChannel<Result>,
): Promise<Result> {
  if (ID_SHAPED.test(name)) {
    try {
      return await use(name, undefined);
    } catch (error) {
      if (codeOf(error) !== "channel_not_found") throw error;
    }
  }
  const { channel, directory, remembered } = await findChannel(client, name);
  if (!remembered) return use(channel.id, channel);
  try {
    return await use(channel.id, undefined);
  } catch (error) {
    if (!OUT_OF_DATE.has(codeOf(error))) throw error;
    directory.forget(client);
  }
  const anew = await findChannel(client, name);
  return use(anew.channel.id, anew.channel);
}

async function findChannel(
  client: ChatClient,
  name: string,
): Promise<Search<Channel> & { channel: ConversationMetadata }> {
  const folded = foldName(name);
  const found = await search(client, CHANNELS, [folded]);
  const { directory, stopped } = found;
  const channel = directory.get(folded);
  if (channel !== undefined) return { ...found, channel: channel.record };
  const known = closest([name], directory.entries(), (item) => [item.name], SUGGESTIONS);
  const offered = known.map((item) => ({ id: item.record.id, name: item.name }));
  throw notFound(`channel "${name}"`, stopped, `Known channels: ${JSON.stringify(offered)}`);
}

function foldName(name: string): string {
  return name.toLowerCase();
}

function readChannel(item: JsonObject): Channel | undefined {
  const record = conversationMetadata(item);
  if (record === undefined || record.name === null) return undefined;
  // Group messages have a name that nobody calls them by.
  if (record.conversation_type === "mpim" || record.conversation_type === "im") return undefined;
  return { record, name: record.name, isShared: item["is_ext_shared"] === true };
}
