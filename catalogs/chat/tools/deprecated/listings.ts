// Deprecated tools that list conversations.
import { Type } from "typebox";
import type { ToolDefinition } from "../../../../src/tools";
import { CONVERSATION_TYPES, platformTypes, type PlatformType } from "../../conversation-types";
import { LIST_LIMIT } from "../../limits";
import { NEXT_CURSOR } from "../../parameters";
import { READ_CONVERSATIONS } from "../../scopes";
import { Conversations, conversationsOf, listConversations } from "../list-conversations";
import { deprecated, plainLimit } from "./deprecated";

export const deprecatedListings: readonly ToolDefinition[] = [
  deprecated(listConversations, {
    name: "ListConversationsMetadata",
    description: "Lists the conversations that the user is in.",
    input: Type.Object({
      conversation_types: CONVERSATION_TYPES,
      limit: plainLimit(LIST_LIMIT),
      next_cursor: NEXT_CURSOR,
    }),
    output: Conversations,
    scopes: READ_CONVERSATIONS,
    singles: ["conversation_types"],
    skipsBlanks: ["conversation_types"],
    to: (input) => input,
    run: ({ conversation_types, ...request }, context) =>
      conversationsOf(context, platformTypes(conversation_types), request),
  }),
  listingOf("ListPublicChannelsMetadata", "public channels", "public_channel", "channels:read"),
  listingOf("ListPrivateChannelsMetadata", "private channels", "private_channel", "groups:read"),
  listingOf(
    "ListGroupDirectMessageConversationsMetadata",
    "direct conversations of several people",
    "mpim",
    "mpim:read",
  ),
  listingOf("ListDirectMessageConversationsMetadata", "direct conversations of two", "im", "im:read"),
];

function listingOf(name: string, what: string, type: PlatformType, scope: string): ToolDefinition {
  return deprecated(listConversations, {
    name,
    description: `Lists the ${what} that the user is in.`,
    input: Type.Object({ limit: plainLimit(LIST_LIMIT) }),
    output: Conversations,
    scopes: [scope],
    to: (input) => ({ ...input, conversation_types: [type] }),
    run: ({ conversation_types, ...request }, context) =>
      conversationsOf(context, conversation_types, request),
  });
}
