// Deprecated tools that read messages.
import { Type } from "typebox";
import type { ToolDefinition } from "../../../../src/tools";
import { MESSAGES_LIMIT } from "../../limits";
import { TIME_PARAMETERS } from "../../messages/time-window";
import { NEXT_CURSOR, required, requiredList } from "../../parameters";
import { READ_CONVERSATIONS, READ_MESSAGES, READ_PEOPLE, READ_USERS } from "../../scopes";
import { getMessages, Messages, messagesIn } from "../get-messages";
import { BY_ID, BY_NAME, BY_USERNAME, BY_USERNAMES, deprecated, plainLimit } from "./deprecated";

const filters = { ...TIME_PARAMETERS, limit: plainLimit(MESSAGES_LIMIT), next_cursor: NEXT_CURSOR };

export const deprecatedMessages: readonly ToolDefinition[] = [
  deprecated(getMessages, {
    name: "GetMessagesInChannelByName",
    description: "Reads the messages of a channel, given by its name, newest first.",
    input: Type.Object({ ...BY_NAME, ...filters }),
    output: Messages,
    scopes: [...READ_CONVERSATIONS, ...READ_MESSAGES, READ_PEOPLE],
    to: (input) => ({ ...input, channel_name: required("channel_name", input.channel_name) }),
    run: (input, context) => messagesIn(context, input),
  }),
  deprecated(getMessages, {
    name: "GetMessagesInConversationById",
    description: "Reads the messages of a conversation, given by its id, newest first.",
    input: Type.Object({ ...BY_ID, ...filters }),
    output: Messages,
    scopes: [...READ_MESSAGES, READ_PEOPLE],
    to: (input) => ({ ...input, conversation_id: required("conversation_id", input.conversation_id) }),
    run: (input, context) => messagesIn(context, input),
  }),
  deprecated(getMessages, {
    name: "GetMessagesInDirectMessageConversationByUsername",
    description: "Reads the direct messages with one person, given by username, newest first.",
    input: Type.Object({ ...BY_USERNAME, ...filters }),
    output: Messages,
    // Without the scope for opening conversations, the conversation is looked up in the listing.
    scopes: ["im:history", "im:read", ...READ_USERS],
    names: { usernames: "username" },
    to: ({ username, ...request }) => ({ ...request, usernames: [required("username", username)] }),
    run: (input, context) => messagesIn(context, input),
  }),
  deprecated(getMessages, {
    name: "GetMessagesInMultiPersonDmConversationByUsernames",
    description:
      "Reads the messages of the conversation with these people, given by usernames, newest first.",
    input: Type.Object({ ...BY_USERNAMES, ...filters }),
    output: Messages,
    scopes: ["im:history", "im:read", ...READ_USERS, "mpim:history", "mpim:read"],
    to: ({ usernames, ...request }) => ({ ...request, usernames: requiredList("usernames", usernames) }),
    run: (input, context) => messagesIn(context, input),
  }),
];
