// Deprecated tools that tell about people.
import { Type } from "typebox";
import { upstreamFailed } from "../../../../src/tools";
import { LIST_LIMIT } from "../../limits";
import { NEXT_CURSOR, required } from "../../parameters";
import { orNull } from "../../records/or-null";
import { BasicUser } from "../../records/user";
import { READ_CONVERSATIONS, READ_USERS } from "../../scopes";
import { getUsersInfo, usersInfo } from "../get-users-info";
import { getUsersInConversation, usersInConversation } from "../get-users-in-conversation";
import { deprecated, plainLimit } from "./deprecated";

export const getUserInfoById = deprecated(getUsersInfo, {
  name: "GetUserInfoById",
  description: "Tells about one person, given by id.",
  input: Type.Object({ user_id: Type.String({ description: "The person's id." }) }),
  output: BasicUser,
  scopes: READ_USERS,
  async run(input, context) {
    const [user] = (await usersInfo(context, { user_ids: [required("user_id", input.user_id)] })).users;
    if (user === undefined) throw upstreamFailed("The platform answered without a user.");
    return user;
  },
});

const Members = Type.Object({
  members: Type.Array(BasicUser, { description: "Of those whom the platform does not show, only the id" }),
  next_cursor: orNull(Type.String()),
});
const scopes = [...READ_CONVERSATIONS, ...READ_USERS];
const paging = { limit: plainLimit(LIST_LIMIT), next_cursor: NEXT_CURSOR };

export const getMembersInConversationById = deprecated(getUsersInConversation, {
  name: "GetMembersInConversationById",
  description: "Lists the people in a conversation, given by its id.",
  input: Type.Object({
    conversation_id: Type.String({ description: "The id of the conversation." }),
    ...paging,
  }),
  output: Members,
  scopes,
  async run({ conversation_id: id, ...request }, context) {
    const place = { conversation_id: required("conversation_id", id) };
    const { users: members, next_cursor } = await usersInConversation(context, { ...request, ...place });
    return { members, next_cursor };
  },
});

export const getMembersInChannelByName = deprecated(getUsersInConversation, {
  name: "GetMembersInChannelByName",
  description: "Lists the people in a channel, given by its name.",
  input: Type.Object({ channel_name: Type.String({ description: "The name of the channel." }), ...paging }),
  output: Members,
  scopes,
  async run({ channel_name: name, ...request }, context) {
    const place = { channel_name: required("channel_name", name) };
    const { users: members, next_cursor } = await usersInConversation(context, { ...request, ...place });
    return { members, next_cursor };
  },
});
