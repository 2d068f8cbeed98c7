// Chat.GetUsersInConversation: the people in a conversation.
import { type Static, Type } from "typebox";
import { defineTool, type ToolContext } from "../../../src/tools";
import { MISSING, missingField } from "../../upstream/missing";
import { ChatClient } from "../client";
import { collect } from "../collect";
import { LARGE_PAGE, LIST_LIMIT } from "../limits";
import { grantWith, READS } from "../metadata";
import { limitParameter, NEXT_CURSOR, orNull, type PageRequest, rangeOf } from "../parameters";
import { BasicUser, isBot } from "../records/user";
import { type Found, withPlace } from "../resolve/conversation";
import { judgePlace } from "../resolve/judge";
import { Profiles } from "../resolve/profiles";
import { PLACE_PARAMETERS, type PlaceInput, placeOf } from "../resolve/selector";
import { READ_CONVERSATIONS, READ_USERS } from "../scopes";
import { nextCursorIn } from "../upstream/exchange";
import { textsIn } from "../../upstream/json";

const Users = Type.Object({
  users: Type.Array(BasicUser, { description: "Only the id for people whom the platform does not show" }),
  next_cursor: orNull(Type.String()),
  missing: MISSING,
});

export const getUsersInConversation = defineTool({
  name: "GetUsersInConversation",
  description:
    "Lists the people in a conversation, given by its id or by the channel's name, without bots. A large conversation " +
    "comes in parts, which may be smaller than the limit: continue with next_cursor.",
  input: Type.Object({
    ...PLACE_PARAMETERS,
    limit: limitParameter(LIST_LIMIT, "members to read"),
    next_cursor: NEXT_CURSOR,
  }),
  output: Users,
  authorization: grantWith([...READ_CONVERSATIONS, ...READ_USERS]),
  metadata: READS,
  clamps: { limit: rangeOf(LIST_LIMIT) },
  judge: judgePlace,
  run: (input, context) => usersInConversation(context, input),
});

/** The platform returns only ids, including those of bots, so a page may have fewer people than were read. */
export async function usersInConversation(
  context: ToolContext,
  input: PlaceInput & PageRequest,
): Promise<Static<typeof Users>> {
  const place = placeOf(input);
  const client = new ChatClient(context);
  const found = await withPlace(client, place, (at) => membersOf(client, at, input));
  const { items, next_cursor, missing } = found;
  return { users: items, next_cursor, ...missingField(context, missing) };
}

function membersOf(client: ChatClient, { id: channel, subject }: Found, request: PageRequest) {
  const profiles = new Profiles(client);
  let hasEarlier = false;
  return collect(client, request, LIST_LIMIT, async (given, size) => {
    const { skipped, cursor } = positionIn(given);
    const params = { channel, limit: Math.min(size + skipped, LARGE_PAGE), cursor };
    const body = await client.call("conversations.members", params, { paging: true, subject });
    const ids = textsIn(body, "members").slice(skipped);
    const { users, taken, missing } = await profiles.of(ids, hasEarlier);
    hasEarlier = true;
    const isCut = taken < ids.length;
    return {
      items: users.filter((user) => !isBot(user)),
      counts: taken,
      next: isCut ? `${skipped + taken}~${cursor ?? ""}` : nextCursorIn(body),
      isEnough: isCut || missing.length > 0,
      missing,
    };
  });
}

/** A cursor of the platform, or one inside of a page: the number of members that were returned already before it. */
function positionIn(given: string | undefined): { skipped: number; cursor: string | undefined } {
  const [, skipped, cursor] = /^(\d{1,3})~(.*)$/s.exec(given ?? "") ?? [];
  if (skipped === undefined) return { skipped: 0, cursor: given };
  return { skipped: Number(skipped), cursor: cursor === "" ? undefined : cursor };
}
