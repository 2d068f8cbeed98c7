// Deprecated tools that send messages.
import { Type } from "typebox";
import type { ToolDefinition } from "../../../../src/tools";
import { required } from "../../parameters";
import { CHANNEL_NAME, USERNAME } from "../../resolve/selector";
import { Posted, SEND_SCOPES, send, sendMessage } from "../send-message";
import { deprecated } from "./deprecated";

const message = Type.String({
  description: "The text, sent unchanged: the platform's markup and mentions work.",
});

export const deprecatedSending: readonly ToolDefinition[] = [
  deprecated(sendMessage, {
    name: "SendDmToUser",
    description: "Sends a direct message to one person, given by username.",
    input: Type.Object({
      user_name: Type.String({
        description: `The person's username (handle), always in lower case: ${USERNAME}.`,
      }),
      message,
    }),
    output: Posted,
    scopes: SEND_SCOPES,
    names: { usernames: "user_name" },
    to: ({ user_name, message: text }) => ({ usernames: [required("user_name", user_name)], message: text }),
    run: (input, context) => send(context, input),
  }),
  deprecated(sendMessage, {
    name: "SendMessageToChannel",
    description: "Sends a message to a channel, given by its name.",
    input: Type.Object({
      channel_name: Type.String({ description: CHANNEL_NAME }),
      message,
    }),
    output: Posted,
    scopes: SEND_SCOPES,
    to: (input) => ({ ...input, channel_name: required("channel_name", input.channel_name) }),
    run: (input, context) => send(context, input),
  }),
];
