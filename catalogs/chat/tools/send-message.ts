// Chat.SendMessage: posts one message as the user.
import { type Static, Type } from "typebox";
import { badInput, defineTool, isObject, type JsonObject, type ToolContext } from "../../../src/tools";
import { textsIn } from "../../upstream/json";
import { ChatClient } from "../client";
import { MESSAGE_LIMIT, SPLIT_LENGTH } from "../limits";
import { CREATES, grantWith } from "../metadata";
import { withConversation } from "../resolve/conversation";
import { judgeSelector } from "../resolve/judge";
import { SELECTOR_PARAMETERS, type SelectorInput, selectorOf } from "../resolve/selector";
import { OPEN_ONE, OPEN_SEVERAL, POST, READ_CONVERSATIONS, READ_USERS } from "../scopes";

export const Posted = Type.Object({
  success: Type.Literal(true),
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: "What the platform did, or may have done, to the message" }),
  ),
  data: Type.Object(
    {
      ok: Type.Literal(true),
      channel: Type.Optional(Type.String({ description: "Id of the conversation" })),
      ts: Type.Optional(
        Type.String({ description: "The message's timestamp, which is its id in the conversation" }),
      ),
      message: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: "The message as it was posted" }),
      ),
    },
    { additionalProperties: true, description: "The platform's answer" },
  ),
});

export const SEND_SCOPES = [...READ_CONVERSATIONS, ...READ_USERS, POST, OPEN_ONE, OPEN_SEVERAL] as const;

const TRUNCATED = "message_truncated";

const MARKUP =
  "The text, in the platform's markup: *bold*, _italic_, ~struck~, `code`, > quote, <https://example.com|label>. A mention " +
  "is <@USER_ID>, a channel <#CHANNEL_ID>; <!here> and <!channel> notify everybody. `&`, `<` and `>` are control " +
  "characters: as text write &amp; &lt; &gt;. Above about 4,000 characters the platform may split the text into several " +
  "messages.";

export const sendMessage = defineTool({
  name: "SendMessage",
  description:
    "Sends a message as the user: to a conversation by its id, to a channel by its name, or to one or more people. " +
    "For several people it opens a conversation with all of them.",
  input: Type.Object({
    message: Type.String({ description: MARKUP }),
    ...SELECTOR_PARAMETERS,
  }),
  output: Posted,
  authorization: grantWith(SEND_SCOPES),
  metadata: CREATES,
  judge(input) {
    requireMessage(input.message);
    judgeSelector(input);
  },
  run: (input, context) => send(context, input),
});

/** Posts the message at most once. */
export async function send(
  context: ToolContext,
  input: SelectorInput & { message: string },
): Promise<Static<typeof Posted>> {
  const selector = selectorOf(input);
  const client = new ChatClient(context);
  const answer = await withConversation(client, selector, ({ id: channel, subject }) =>
    client.call("chat.postMessage", { channel, text: mentionsOf(input.message) }, { subject }),
  );
  const warnings = warningsOf(input.message, answer);
  for (const warning of warnings) context.log("warning", warning);
  return { success: true, ...(warnings.length > 0 && { warnings }), data: posted(answer) };
}

/** Mentions in the form in which messages are read, turned back: the platform would notify no person otherwise. */
function mentionsOf(message: string): string {
  return message.replace(/<@[^<>]* \(id:([UW][A-Z0-9]+)\)>/g, "<@$1>");
}

function warningsOf(message: string, answer: JsonObject): string[] {
  const told = [answer["warning"], ...textsIn(answer["response_metadata"], "warnings")];
  const isTruncated = told.some((text) => typeof text === "string" && text.includes(TRUNCATED));
  const length = message.length <= SPLIT_LENGTH ? 0 : Array.from(message).length;
  return [
    ...(isTruncated ? ["The platform has cut the message. Send the rest as another message."] : []),
    ...(length > SPLIT_LENGTH
      ? [
          `The message has ${length} characters. Above ${SPLIT_LENGTH} the platform may post it as several messages; ` +
            "`ts` is the id of one of them. Read the conversation to find the others.",
        ]
      : []),
  ];
}

function requireMessage(message: string): void {
  if (message.trim() === "") throw badInput("`message` is empty.");
  // There are at least as many code units as characters, so most messages need no counting.
  if (message.length <= MESSAGE_LIMIT) return;
  const length = Array.from(message).length;
  if (length <= MESSAGE_LIMIT) return;
  throw badInput(
    `\`message\` must have at most ${MESSAGE_LIMIT} characters; it has ${length}. Shorten it or send it in parts.`,
  );
}

/** The answer, mostly unchanged. The message was sent, so a field of an unexpected type must not be a failure. */
function posted(answer: JsonObject) {
  const { ok: _, channel, ts, message, ...others } = answer;
  return {
    ...others,
    ok: true as const,
    ...(typeof channel === "string" && { channel }),
    ...(ts !== undefined && ts !== null && { ts: String(ts) }),
    ...(isObject(message) && { message }),
  };
}
