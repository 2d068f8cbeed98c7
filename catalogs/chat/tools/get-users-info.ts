// Chat.GetUsersInfo: people by id, handle or e-mail address.
import { type Static, Type } from "typebox";
import { defineTool, type ToolContext, type ToolError } from "../../../src/tools";
import { MISSING, missingField } from "../../upstream/missing";
import { ChatClient } from "../client";
import { grantWith, READS } from "../metadata";
import { BasicUser } from "../records/user";
import { shownNames } from "../resolve/not-found";
import { judgePeople } from "../resolve/judge";
import { lookUpPeople } from "../resolve/people";
import { type PeopleInput, requiredPeople, USER_ID, USERNAME } from "../resolve/selector";
import { READ_USERS } from "../scopes";

const list = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const Users = Type.Object({
  users: Type.Array(BasicUser, {
    description: "First those given by id, then by username, then by e-mail address",
  }),
  missing: MISSING,
});

export const getUsersInfo = defineTool({
  name: "GetUsersInfo",
  description:
    "Returns the profiles of people in the chat workspace, given by id, username (handle) or e-mail address.",
  input: Type.Object({
    user_ids: list(`Ids of people: ${USER_ID}. Prefer them, and e-mail addresses, over usernames.`),
    usernames: list(`Usernames (handles) of people, with or without a leading @: ${USERNAME}.`),
    emails: list("E-mail addresses of people."),
  }),
  output: Users,
  authorization: grantWith(READ_USERS),
  metadata: READS,
  judge: judgePeople,
  run: (input, context) => usersInfo(context, input),
});

/**
 * The requested people, each once, and what is missing. Throws an error that names all who are missing if none were found.
 */
export async function usersInfo(context: ToolContext, input: PeopleInput): Promise<Static<typeof Users>> {
  const { people, absent, failed } = await lookUpPeople(new ChatClient(context), requiredPeople(input));
  const problems = [absent, failed].filter((problem) => problem !== undefined);
  const [first] = problems;
  if (people.length === 0 && first !== undefined) throw first.error;
  const missing = problems.map(({ names, error }) => ({ what: shownNames(names), reason: reasonOf(error) }));
  return { users: people, ...missingField(context, missing) };
}

function reasonOf({ message, details }: ToolError): string {
  return [message, details.additionalPromptContent].filter((text) => text !== undefined).join(" ");
}
