// Chat.GetMessages: the messages of a conversation.
import { type Static, Type } from "typebox";
import { defineTool, type JsonObject, type ToolContext } from "../../../src/tools";
import { MISSING, missingField } from "../../upstream/missing";
import { ChatClient } from "../client";
import { MESSAGES_LIMIT } from "../limits";
import { Message, readable } from "../messages/message";
import { judgeTimes, TIME_PARAMETERS, type TimeFilters, windowOf } from "../messages/time-window";
import { grantWith, READS } from "../metadata";
import {
  cursorOf,
  limitOf,
  limitParameter,
  NEXT_CURSOR,
  orNull,
  type PageRequest,
  rangeOf,
} from "../parameters";
import { withExisting } from "../resolve/conversation";
import { judgeSelector } from "../resolve/judge";
import { SELECTOR_PARAMETERS, type SelectorInput, selectorOf } from "../resolve/selector";
import { READ_CONVERSATIONS, READ_MESSAGES, READ_USERS } from "../scopes";
import { nextCursorIn } from "../upstream/exchange";
import { objectsIn } from "../../upstream/json";

export const Messages = Type.Object({
  messages: Type.Array(Message, { description: "Newest first, without replies in threads" }),
  next_cursor: orNull(Type.String()),
  missing: MISSING,
});

export const getMessages = defineTool({
  name: "GetMessages",
  description:
    "Reads the messages of a conversation, newest first. The conversation is given by its id, by the channel's name, " +
    "or by the people in it. With only an oldest bound, it reads until now; with only latest_datetime, from the " +
    "beginning until then; with only latest_relative, from then until now. Workspaces without a paid plan show about 90 " +
    "days: older messages are not found.",
  input: Type.Object({
    ...SELECTOR_PARAMETERS,
    ...TIME_PARAMETERS,
    limit: limitParameter(MESSAGES_LIMIT, "messages"),
    next_cursor: NEXT_CURSOR,
  }),
  output: Messages,
  authorization: grantWith([...READ_CONVERSATIONS, ...READ_USERS, ...READ_MESSAGES]),
  metadata: READS,
  clamps: { limit: rangeOf(MESSAGES_LIMIT) },
  judge(input) {
    judgeSelector(input);
    judgeTimes(input);
  },
  run: (input, context) => messagesIn(context, input),
});

/** No messages if there is no conversation with these people yet: reading never creates one. */
export async function messagesIn(
  context: ToolContext,
  input: SelectorInput & TimeFilters & PageRequest,
): Promise<Static<typeof Messages>> {
  const selector = selectorOf(input);
  const window = windowOf(input, context.now());
  const client = new ChatClient(context);
  const cursor = cursorOf(input);
  // One page, which may be short: some apps may read only a few messages per minute, so more pages would use that up.
  const limit = limitOf(input, MESSAGES_LIMIT);
  const body = await withExisting(client, selector, ({ id: channel, subject }) =>
    client.call("conversations.history", { channel, limit, cursor, ...window }, { subject }),
  );
  if (body === undefined) return { messages: [], next_cursor: null };
  return {
    messages: await readable(client, objectsIn(body, "messages")),
    next_cursor: nextAfter(cursor, body),
    ...missingField(context, body["is_limited"] === true ? [OLD_MESSAGES] : []),
  };
}

const OLD_MESSAGES = {
  what: "older messages",
  reason: "The workspace's plan hides messages after about 90 days. Only its administrators can change that.",
};

/** A repeated cursor would loop forever. */
function nextAfter(cursor: string | undefined, body: JsonObject): string | null {
  const next = nextCursorIn(body);
  return next === undefined || next === cursor ? null : next;
}
