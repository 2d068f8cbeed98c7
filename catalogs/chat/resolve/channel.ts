// Finds a channel by its name. The platform has no lookup by name, so the channels are listed.
import {
  badInput,
  type Json,
  type JsonObject,
  nearestOf,
  type ToolError,
  upstreamRefused,
} from "../../../src/tools";
import type { ChatClient } from "../client";
import { SUGGESTIONS } from "../limits";
import { TOOLKIT } from "../metadata";
import { type ConversationMetadata, conversationMetadata } from "../records/conversation";
import { codeOf } from "../upstream/failure";
import { textIn } from "../../upstream/json";
import type { Directory } from "./directory";
import type { Listing } from "./listing";
import { closest, notFound, shortened } from "./not-found";
import { search } from "./search";

export interface Channel {
  id: string;
  name: string;
  /** The name as the platform compares it. */
  normalized: string;
  isArchived: boolean;
  isMember: boolean;
  /** Shared with another organization. */
  isShared: boolean;
  /** Undefined if it was read in another process, which keeps only the above. */
  record: ConversationMetadata | undefined;
}

export const CHANNELS: Listing<Channel> = {
  method: "conversations.list",
  // Each type by itself: the platform leaves out what was not asked for after it has cut a page, so that mixed types take
  // many short pages. Private ones come first, because they are few. Archived channels are listed too, to name them in
  // errors; their pages are read in any case.
  sources: [{ types: ["private_channel"] }, { types: ["public_channel"] }],
  items: "channels",
  read: readChannel,
  names: ({ name, normalized }) => [name, normalized].map(foldName),
  idOf: ({ id }) => id,
  packed: ({ id, name, normalized, ...flags }) => [
    id,
    name,
    normalized === name ? null : normalized,
    FLAGS.filter((flag) => flags[flag]).join(" "),
  ],
  unpacked: unpackedChannel,
  // An archived channel may have the same name as a later one, and a shared one as one of the own workspace.
  better: (channel, than) => {
    if (channel.isArchived !== than.isArchived) return than.isArchived;
    return isNearer(channel, than);
  },
};

function isNearer(channel: Channel, than: Channel): boolean {
  return channel.isMember === than.isMember ? than.isShared && !channel.isShared : channel.isMember;
}

/** Names are in lower case, so this is an id in the wrong parameter. */
const ID_SHAPED = /^[CGD][A-Z0-9]{8,}$/;
const OUT_OF_DATE: ReadonlySet<unknown> = new Set(["channel_not_found", "is_archived"]);

/** The name without the leading sign. Throws bad input if it is empty. */
export function channelName(given: string): string {
  const name = given.replace(/^[#\s]+/, "").trim();
  if (name === "") throw badInput("`channel_name` is empty.");
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
  const { channel, directory } = await findChannel(client, name);
  if (client.isFresh(channel)) return use(channel.id, channel.record);
  try {
    return await use(channel.id, undefined);
  } catch (error) {
    if (!OUT_OF_DATE.has(codeOf(error))) throw error;
    directory.drop(client, channel);
    const { channel: again } = await findChannel(client, name);
    // The same channel: the name was not out of date, and the refusal holds.
    if (again.id === channel.id) throw error;
    return use(again.id, again.record);
  }
}

async function findChannel(
  client: ChatClient,
  name: string,
): Promise<{ channel: Channel; directory: Directory<Channel> }> {
  const folded = foldName(name);
  const { directory, stopped } = await search(client, CHANNELS, [folded], ({ isArchived }) => !isArchived);
  const channel = directory.get(folded);
  // The pages that were not read may have a channel in use with the same name.
  if (channel?.isArchived === true && stopped === undefined) throw archived(name, channel);
  if (channel?.isArchived === false) return { channel, directory };
  const inUse = [...directory.entries()].filter(({ isArchived }) => !isArchived);
  const known = closest([name], inUse, (item) => [item.name], SUGGESTIONS);
  const suggestions = known.map((item) => ({ id: item.id, name: item.name }));
  const nearest = nearestOf(
    known.map((item) => item.name),
    name,
  );
  throw notFound(
    `channel "${shortened(name)}"${nearest}`,
    stopped,
    `Correct \`channel_name\` and call again. Known channels: ${JSON.stringify(suggestions)}`,
  );
}

function archived(name: string, { id }: Channel): ToolError {
  return upstreamRefused(`The channel "${shortened(name)}" is archived (id ${id}).`, {
    extra: { upstream_code: "is_archived" },
    additionalPromptContent:
      `To read it, call again with \`conversation_id\` set to ${id} and without \`channel_name\`. ` +
      `To write, choose another \`channel_name\` (${TOOLKIT}.ListConversations lists them), or ask the user to restore ` +
      "this one.",
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
  const { id, name, is_archived: isArchived, is_member: isMember } = record;
  const normalized = textIn(item, "name_normalized") ?? name;
  return { id, name, normalized, isArchived, isMember, isShared: item["is_ext_shared"] === true, record };
}

const FLAGS = ["isArchived", "isMember", "isShared"] as const;

function unpackedChannel([id, name, normalized, flags]: readonly Json[]): Channel | undefined {
  if (typeof id !== "string" || typeof name !== "string" || typeof flags !== "string") return undefined;
  const [isArchived = false, isMember = false, isShared = false] = FLAGS.map((flag) =>
    flags.split(" ").includes(flag),
  );
  const folded = typeof normalized === "string" ? normalized : name;
  return { id, name, normalized: folded, isArchived, isMember, isShared, record: undefined };
}
