// Deprecated tools that return people.
import { Type } from "typebox";
import { type ToolContext, type ToolDefinition, upstreamFailed } from "../../../../src/tools";
import { MISSING } from "../../../upstream/missing";
import { LIST_LIMIT } from "../../limits";
import { NEXT_CURSOR, orNull, required } from "../../parameters";
import { BasicUser } from "../../records/user";
import { USER_ID } from "../../resolve/selector";
import { READ_CONVERSATIONS, READ_USERS } from "../../scopes";
import { getUsersInfo, usersInfo } from "../get-users-info";
import { getUsersInConversation, usersInConversation } from "../get-users-in-conversation";
import { BY_ID, BY_NAME, deprecated, plainLimit } from "./deprecated";

const Members = Type.Object({
  members: Type.Array(BasicUser, { description: "Only the id for people whom the platform does not show" }),
  next_cursor: orNull(Type.String()),
  missing: MISSING,
});
const scopes = [...READ_CONVERSATIONS, ...READ_USERS];
const paging = { limit: plainLimit(LIST_LIMIT), next_cursor: NEXT_CURSOR };

export const deprecatedPeople: readonly ToolDefinition[] = [
  deprecated(getUsersInfo, {
    name: "GetUserInfoById",
    description: "Returns the profile of one person, given by id.",
    input: Type.Object({ user_id: Type.String({ description: `The person's id: ${USER_ID}.` }) }),
    output: BasicUser,
    scopes: READ_USERS,
    names: { user_ids: "user_id" },
    to: (input) => ({ user_ids: [required("user_id", input.user_id)] }),
    async run(input, context) {
      const [user] = (await usersInfo(context, input)).users;
      if (user === undefined) throw upstreamFailed("The platform answered without a user.");
      return user;
    },
  }),
  deprecated(getUsersInConversation, {
    name: "GetMembersInConversationById",
    description: "Lists the people in a conversation, given by its id.",
    input: Type.Object({ ...BY_ID, ...paging }),
    output: Members,
    scopes,
    to: (input) => ({ ...input, conversation_id: required("conversation_id", input.conversation_id) }),
    run: (input, context) => membersIn(context, input),
  }),
  deprecated(getUsersInConversation, {
    name: "GetMembersInChannelByName",
    description: "Lists the people in a channel, given by its name.",
    input: Type.Object({ ...BY_NAME, ...paging }),
    output: Members,
    scopes,
    to: (input) => ({ ...input, channel_name: required("channel_name", input.channel_name) }),
    run: (input, context) => membersIn(context, input),
  }),
];

async function membersIn(context: ToolContext, input: Parameters<typeof usersInConversation>[1]) {
  const { users: members, ...rest } = await usersInConversation(context, input);
  return { members, ...rest };
}
