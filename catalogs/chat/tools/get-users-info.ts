// Chat.GetUsersInfo: people by id, handle or e-mail address.
import { type Static, Type } from "typebox";
import { badInput, defineTool, type ToolContext } from "../../../src/tools";
import { ChatClient } from "../client";
import { grantWith, READS } from "../metadata";
import { BasicUser } from "../records/user";
import { findPeople } from "../resolve/people";
import { type PeopleInput, peopleOf } from "../resolve/selector";
import { READ_USERS } from "../scopes";

const list = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const Users = Type.Object({
  users: Type.Array(BasicUser, {
    description: "First those given by id, then by username, then by e-mail address",
  }),
});

export const getUsersInfo = defineTool({
  name: "GetUsersInfo",
  description:
    "Returns the profiles of people in the chat workspace, given by id, username (handle) or e-mail address.",
  input: Type.Object({
    user_ids: list("Ids of people. Prefer them, and e-mail addresses, over usernames."),
    usernames: list("Usernames (handles) of people, with or without a leading @."),
    emails: list("E-mail addresses of people."),
  }),
  output: Users,
  authorization: grantWith(READ_USERS),
  metadata: READS,
  run: (input, context) => usersInfo(context, input),
});

/** All requested people, each once. If any are not found, throws an error that names all of them. */
export async function usersInfo(context: ToolContext, input: PeopleInput): Promise<Static<typeof Users>> {
  const people = peopleOf(input);
  if (people === undefined) throw badInput("Give at least one of `user_ids`, `usernames` and `emails`.");
  return { users: await findPeople(new ChatClient(context), people) };
}
