// Chat.ListConversations: the conversations that the user is a member of.
import { type Static, Type } from "typebox";
import { defineTool, type JsonObject, ScopesLost, type ToolContext } from "../../../src/tools";
import { ChatClient } from "../client";
import { collect } from "../collect";
import { ALL_TYPES, CONVERSATION_TYPES, platformTypes, type PlatformType } from "../conversation-types";
import { LIST_LIMIT } from "../limits";
import { grantWith, READS } from "../metadata";
import { limitParameter, NEXT_CURSOR, orNull, type PageRequest, rangeOf } from "../parameters";
import { ConversationMetadata, conversationMetadata } from "../records/conversation";
import { CHANNELS } from "../resolve/channel";
import { Directory } from "../resolve/directory";
import { pageOf } from "../resolve/listing";
import { READ_CONVERSATIONS, scopeOfType } from "../scopes";
import { nextCursorIn } from "../upstream/exchange";
import { objectsIn } from "../../upstream/json";

export const Conversations = Type.Object({
  conversations: Type.Array(ConversationMetadata),
  next_cursor: orNull(Type.String()),
});

export const listConversations = defineTool({
  name: "ListConversations",
  description: "Lists the conversations that the user is in: channels, group messages and direct messages.",
  input: Type.Object({
    conversation_types: CONVERSATION_TYPES,
    limit: limitParameter(LIST_LIMIT, "conversations"),
    next_cursor: NEXT_CURSOR,
  }),
  output: Conversations,
  authorization: grantWith(READ_CONVERSATIONS),
  metadata: READS,
  clamps: { limit: rangeOf(LIST_LIMIT) },
  singles: ["conversation_types"],
  skipsBlanks: ["conversation_types"],
  run: ({ conversation_types, ...request }, context) =>
    conversationsOf(context, platformTypes(conversation_types), request),
});

/** @param requested the platform's types; undefined for all that the grant covers */
export async function conversationsOf(
  context: ToolContext,
  requested: readonly PlatformType[] | undefined,
  request: PageRequest,
): Promise<Static<typeof Conversations>> {
  const client = new ChatClient(context);
  let types = requested ?? ALL_TYPES;
  const read = (cursor: string | undefined, limit: number): Promise<JsonObject> =>
    // Without `types` the platform lists public channels only.
    pageOf(client, { method: CHANNELS.method, params: { types, exclude_archived: true } }, cursor, limit);
  const { items, next_cursor } = await collect(client, request, LIST_LIMIT, async (cursor, limit) => {
    const body = await read(cursor, limit).catch((error: unknown) => {
      const granted = requested === undefined ? grantedTypes(types, error) : [];
      if (granted.length === 0) throw error;
      types = granted;
      client.context.log("warning", `The grant lacks a scope. Only ${granted.join(", ")} are listed.`);
      return read(cursor, limit);
    });
    const channels = objectsIn(body, "channels");
    Directory.of(client, CHANNELS).learn(client, channels);
    const conversations = channels
      .map(conversationMetadata)
      .filter((conversation) => conversation !== undefined)
      .filter(isOwn);
    return { items: conversations, counts: conversations.length, next: nextCursorIn(body) };
  });
  return { conversations: items, next_cursor };
}

/** The types that the grant still covers after the scopes of others were lost; none for any other failure. */
function grantedTypes(types: readonly PlatformType[], error: unknown): PlatformType[] {
  if (!(error instanceof ScopesLost)) return [];
  const granted = types.filter((type) => !error.needed.includes(scopeOfType(type) ?? ""));
  return granted.length === types.length ? [] : granted;
}

/** The platform also lists public channels that the user is not a member of. */
function isOwn({ conversation_type: type, is_member: isMember }: ConversationMetadata): boolean {
  return type === "im" || type === "mpim" || isMember;
}
