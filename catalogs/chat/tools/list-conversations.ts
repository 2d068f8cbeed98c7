// Chat.ListConversations: the conversations that the user is a member of.
import { type Static, Type } from "typebox";
import { defineTool, type ToolContext } from "../../../src/tools";
import { MISSING, missingField } from "../../upstream/missing";
import { ChatClient } from "../client";
import { collect } from "../collect";
import { CONVERSATION_TYPES, platformTypes, type PlatformType } from "../conversation-types";
import { LIST_LIMIT } from "../limits";
import { grantWith, READS } from "../metadata";
import { limitParameter, NEXT_CURSOR, orNull, type PageRequest, rangeOf } from "../parameters";
import { ConversationMetadata } from "../records/conversation";
import { Memberships } from "../resolve/memberships";
import { withNames } from "../resolve/names";
import { READ_CONVERSATIONS } from "../scopes";

export const Conversations = Type.Object({
  conversations: Type.Array(ConversationMetadata),
  next_cursor: orNull(Type.String()),
  missing: MISSING,
});

export const listConversations = defineTool({
  name: "ListConversations",
  description:
    "Lists the conversations that the user is in: channels, group messages and direct messages. Direct messages have " +
    "the other person's id, and the name where it is known.",
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
  const memberships = new Memberships(client, requested);
  const { items, next_cursor, missing } = await collect(client, request, LIST_LIMIT, (cursor, size) =>
    memberships.page(cursor, size),
  );
  return {
    conversations: await withNames(client, items),
    next_cursor,
    ...missingField(context, missing),
  };
}
