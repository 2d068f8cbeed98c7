// Deprecated tools that return the metadata of one conversation.
import { Type } from "typebox";
import type { ToolDefinition } from "../../../../src/tools";
import { required, requiredList } from "../../parameters";
import { ConversationMetadata } from "../../records/conversation";
import { READ_CONVERSATIONS, READ_USERS } from "../../scopes";
import { getConversationMetadata, metadataOf } from "../get-conversation-metadata";
import { BY_ID, BY_NAME, BY_USERNAME, BY_USERNAMES, deprecated, IGNORED_CURSOR } from "./deprecated";

const scopes = [...READ_CONVERSATIONS, ...READ_USERS];

export const deprecatedMetadata: readonly ToolDefinition[] = [
  deprecated(getConversationMetadata, {
    name: "GetConversationMetadataById",
    description: "Returns the metadata of a conversation, given by its id.",
    input: Type.Object(BY_ID),
    output: ConversationMetadata,
    scopes,
    to: (input) => ({ conversation_id: required("conversation_id", input.conversation_id) }),
    run: (input, context) => metadataOf(context, input),
  }),
  deprecated(getConversationMetadata, {
    name: "GetChannelMetadataByName",
    description: "Returns the metadata of a channel, given by its name.",
    input: Type.Object({ ...BY_NAME, next_cursor: IGNORED_CURSOR }),
    output: ConversationMetadata,
    scopes,
    to: (input) => ({ channel_name: required("channel_name", input.channel_name) }),
    run: (input, context) => metadataOf(context, input),
  }),
  deprecated(getConversationMetadata, {
    name: "GetDirectMessageConversationMetadataByUsername",
    description: "Returns the metadata of the direct conversation with one person, given by username.",
    input: Type.Object({ ...BY_USERNAME, next_cursor: IGNORED_CURSOR }),
    output: ConversationMetadata,
    scopes,
    names: { usernames: "username" },
    to: (input) => ({ usernames: [required("username", input.username)] }),
    run: (input, context) => metadataOf(context, input),
  }),
  deprecated(getConversationMetadata, {
    name: "GetMultiPersonDmConversationMetadataByUsernames",
    description: "Returns the metadata of the conversation with these people, given by usernames.",
    input: Type.Object({ ...BY_USERNAMES, next_cursor: IGNORED_CURSOR }),
    output: ConversationMetadata,
    scopes,
    to: (input) => ({ usernames: requiredList("usernames", input.usernames) }),
    run: (input, context) => metadataOf(context, input),
  }),
];
