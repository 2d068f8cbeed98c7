// Finds a channel by its name. The platform has no lookup by name, so the channels are listed.
import { badInput, type JsonObject, type ToolError, upstreamRefused } from "../../../src/tools";
import type { ChatClient } from "../client";
import { SUGGESTIONS } from "../limits";
import { type ConversationMetadata, conversationMetadata } from "../records/conversation";
import { codeOf } from "../upstream/failure";
import { textIn } from "../../upstream/json";
import type { Listing } from "./listing";
import { closest, notFound, shortened } from "./not-found";
import { type Search, search } from "./search";

export interface Channel {
  record: ConversationMetadata;
  name: string;
  /** Shared with another organization. */
  isShared: boolean;
}

export const CHANNELS: Listing<Channel> = {
  method: "conversations.list",
  // Without `types` the platform lists public channels only. Archived ones are listed too, to name them in errors; their
  // pages are read in any case, because the platform leaves them out of a page after it has cut it.
  params: { types: ["public_channel", "private_channel"] },
  items: "channels",
  read: readChannel,
  names: (channel, item) => [channel.name, textIn(item, "name_normalized") ?? channel.name].map(foldName),
  idOf: ({ record }) => record.id,
  // An archived channel may have the same name as a later one, and a shared one as one of the own workspace.
  better: (channel, than) => {
    if (channel.record.is_archived !== than.record.is_archived) return than.record.is_archived;
    return isNearer(channel, than);
  },
};

function isNearer(channel: Channel, than: Channel): boolean {
  return channel.record.is_member === than.record.is_member
    ? than.isShared && !channel.isShared
    : channel.record.is_member;
}

/** Names are in lower case, so this is an id in the wrong parameter. */
const ID_SHAPED = /^[CGD][A-Z0-9]{8,}$/;
const OUT_OF_DATE: ReadonlySet<unknown> = new Set(["channel_not_found", "is_archived"]);

/** The name without the leading sign. Throws bad input if it is empty. */
export function channelName(given: string): string {
  const name = given.replace(/^[#\s]+/, "").trim();
  if (name === "") throw badInput("`channel_name` contains no name.");
  return name;
}

/** Uses a channel. `fresh` is its record, if it was read for this call. */
export type UseChannel<Result> = (id: string, fresh: ConversationMetadata | undefined) => Promise<Result>;

/**
 * Calls `use` with the id of the channel of that name. A cached id is verified by its use: if the channel is gone or
 * archived, the name is looked up once more.
 * Throws a retryable not-found error that suggests the closest names.
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
  const { channel, directory, cached } = await findChannel(client, name);
  if (!cached) return use(channel.id, channel);
  try {
    return await use(channel.id, undefined);
  } catch (error) {
    if (!OUT_OF_DATE.has(codeOf(error))) throw error;
    directory.forget(client);
  }
  const again = await findChannel(client, name);
  return use(again.channel.id, again.channel);
}

async function findChannel(
  client: ChatClient,
  name: string,
): Promise<Search<Channel> & { channel: ConversationMetadata }> {
  const folded = foldName(name);
  const found = await search(client, CHANNELS, [folded], ({ record }) => !record.is_archived);
  const { directory, stopped } = found;
  const channel = directory.get(folded);
  // The pages that were not read may have a channel in use with the same name.
  if (channel?.record.is_archived === true && stopped === undefined) throw archived(name, channel);
  if (channel?.record.is_archived === false) return { ...found, channel: channel.record };
  const inUse = [...directory.entries()].filter(({ record }) => !record.is_archived);
  const known = closest([name], inUse, (item) => [item.name], SUGGESTIONS);
  const suggestions = known.map((item) => ({ id: item.record.id, name: item.name }));
  throw notFound(`channel "${shortened(name)}"`, stopped, `Known channels: ${JSON.stringify(suggestions)}`);
}

function archived(name: string, { record }: Channel): ToolError {
  return upstreamRefused(`The channel "${shortened(name)}" is archived (id ${record.id}).`, {
    extra: { upstream_code: "is_archived" },
    additionalPromptContent:
      `To read it, call again with \`conversation_id\` set to ${record.id}. ` +
      "To write, choose another channel or ask the user to restore this one.",
  });
}

function foldName(name: string): string {
  return name.toLowerCase();
}

function readChannel(item: JsonObject): Channel | undefined {
  const record = conversationMetadata(item);
  if (record === undefined || record.name === null) return undefined;
  // The names of group messages are generated; callers do not use them.
  if (record.conversation_type === "mpim" || record.conversation_type === "im") return undefined;
  return { record, name: record.name, isShared: item["is_ext_shared"] === true };
}
