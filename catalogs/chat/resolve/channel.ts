// From a channel's name to its id. The platform cannot look a name up: the channels are listed for it.
import { badInput, type JsonObject } from "../../../src/tools";
import type { ChatClient } from "../client";
import { SUGGESTIONS } from "../limits";
import { codeOf } from "../upstream/failure";
import { textIn } from "../upstream/json";
import { closest } from "./closest";
import type { Listing } from "./listing";
import { notFound } from "./not-found";
import { type Search, search } from "./search";

interface Channel {
  id: string;
  name: string;
  isMember: boolean;
  /** Shared with another organization. */
  isShared: boolean;
}

const CHANNELS: Listing<Channel> = {
  method: "conversations.list",
  // Without `types` the platform lists public channels only.
  params: { types: ["public_channel", "private_channel"], exclude_archived: true },
  items: "channels",
  read: readChannel,
  names: (channel, item) => [channel.name, textIn(item, "name_normalized") ?? channel.name].map(foldName),
  // Shared channels may bear the name of one's own.
  better: (channel, than) =>
    channel.isMember === than.isMember ? than.isShared && !channel.isShared : channel.isMember,
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

/**
 * Calls `use` with the id of the channel of that name. A remembered id is verified by its use: when the platform
 * does not know it any longer, or has it archived, the name is looked up anew, once.
 * Throws a retryable not-found error that offers the closest names.
 */
export async function withChannel<Result>(
  client: ChatClient,
  name: string,
  use: (id: string) => Promise<Result>,
): Promise<Result> {
  if (ID_SHAPED.test(name)) {
    try {
      return await use(name);
    } catch (error) {
      if (codeOf(error) !== "channel_not_found") throw error;
    }
  }
  const { id, directory, remembered } = await findChannel(client, name);
  try {
    return await use(id);
  } catch (error) {
    if (!remembered || !OUT_OF_DATE.has(codeOf(error))) throw error;
    directory.forget(client);
  }
  return use((await findChannel(client, name)).id);
}

async function findChannel(client: ChatClient, name: string): Promise<Search<Channel> & { id: string }> {
  const folded = foldName(name);
  const found = await search(client, CHANNELS, [folded]);
  const { directory, stopped } = found;
  const channel = directory.get(folded);
  if (channel !== undefined) return { ...found, id: channel.id };
  const known = closest([name], directory.entries(), (item) => [item.name], SUGGESTIONS);
  const offered = known.map((item) => ({ id: item.id, name: item.name }));
  throw notFound(`channel "${name}"`, stopped, `Known channels: ${JSON.stringify(offered)}`);
}

function foldName(name: string): string {
  return name.toLowerCase();
}

function readChannel(item: JsonObject): Channel | undefined {
  const id = textIn(item, "id");
  const name = textIn(item, "name");
  if (id === undefined || name === undefined) return undefined;
  return { id, name, isMember: item["is_member"] !== false, isShared: item["is_ext_shared"] === true };
}
