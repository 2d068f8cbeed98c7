// Chat.GetUsersInConversation: the people in a conversation.
import { type Static, Type } from "typebox";
import { defineTool, type ToolContext } from "../../../src/tools";
import { ChatClient } from "../client";
import { collect } from "../collect";
import { LIST_LIMIT } from "../limits";
import { grantWith, READS } from "../metadata";
import { limitParameter, NEXT_CURSOR, orNull, type PageRequest, rangeOf } from "../parameters";
import { BasicUser, isBot, unknownUser } from "../records/user";
import { type Found, withPlace } from "../resolve/conversation";
import { PLACE_PARAMETERS, type PlaceInput, placeOf } from "../resolve/selector";
import { findUser } from "../resolve/users";
import { READ_CONVERSATIONS, READ_USERS } from "../scopes";
import { nextCursorIn } from "../upstream/exchange";
import { textsIn } from "../../upstream/json";

const Users = Type.Object({
  users: Type.Array(BasicUser, { description: "Only the id for people whom the platform does not show" }),
  next_cursor: orNull(Type.String()),
});

export const getUsersInConversation = defineTool({
  name: "GetUsersInConversation",
  description: "Lists the people in a conversation, given by its id or by the channel's name, without bots.",
  input: Type.Object({
    ...PLACE_PARAMETERS,
    limit: limitParameter(LIST_LIMIT, "members to read"),
    next_cursor: NEXT_CURSOR,
  }),
  output: Users,
  authorization: grantWith([...READ_CONVERSATIONS, ...READ_USERS]),
  metadata: READS,
  clamps: { limit: rangeOf(LIST_LIMIT) },
  run: (input, context) => usersInConversation(context, input),
});

/** The platform returns only ids, including those of bots, so a page may have fewer people than were read. */
export async function usersInConversation(
  context: ToolContext,
  input: PlaceInput & PageRequest,
): Promise<Static<typeof Users>> {
  const place = placeOf(input);
  const client = new ChatClient(context);
  const { items, next_cursor } = await withPlace(client, place, (found) => membersOf(client, found, input));
  return { users: items, next_cursor };
}

function membersOf(client: ChatClient, { id: channel, subject }: Found, request: PageRequest) {
  return collect(client, request, LIST_LIMIT, async (cursor, limit) => {
    const options = { paging: true, subject };
    const body = await client.call("conversations.members", { channel, limit, cursor }, options);
    const ids = textsIn(body, "members");
    const users = await client.together(ids.map((id) => findUser(client, id, { paging: true })));
    const people = users.map((user, index) => user ?? unknownUser(ids[index] ?? ""));
    return { items: people.filter((user) => !isBot(user)), counts: ids.length, next: nextCursorIn(body) };
  });
}
