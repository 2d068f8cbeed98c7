// Chat.WhoAmI: the profile of the user who gave the grant.
import { Type } from "typebox";
import { defineTool, type JsonObject, upstreamFailed } from "../../../src/tools";
import { ChatClient } from "../client";
import { grantWith, READS } from "../metadata";
import { realName } from "../records/user";
import { knownTeam, ownId } from "../resolve/identity";
import { READ_USERS } from "../scopes";
import { objectIn, textIn } from "../../upstream/json";

const text = (description: string) => Type.Optional(Type.String({ description }));

const Profile = Type.Object({
  user_id: Type.String({ description: "The user's id" }),
  username: text("The user's handle"),
  display_name: text("The name that the user chose to show"),
  real_name: text("The user's full name"),
  email: text("The user's e-mail address"),
  profile_picture_url: text("Address of the largest profile picture"),
  title: text("The user's job title"),
  phone: text("The user's phone number"),
  first_name: text("The user's first name"),
  last_name: text("The user's last name"),
  pronouns: text("The user's pronouns"),
  status_text: text("The user's current status"),
  status_emoji: text("The emoji of the current status"),
  team_id: text("The workspace's id"),
  team_name: text("The workspace's name"),
  slack_access: Type.Boolean({ description: "Whether the grant works" }),
});

/** From largest to smallest. */
const PICTURES = [1024, 512, 192, 72, 48, 32, 24].map((size) => `image_${size}`);

export const whoAmI = defineTool({
  name: "WhoAmI",
  description:
    "Returns the user's own profile in the chat workspace: name, handle, e-mail address, status, picture.",
  input: Type.Object({}),
  output: Profile,
  authorization: grantWith(READ_USERS),
  metadata: READS,
  async run(_input, context) {
    const client = new ChatClient(context);
    const id = await ownId(client);
    const answer = await client.call("users.info", { user: id }, { subject: `user "${id}"` });
    const user = objectIn(answer, "user");
    if (textIn(user, "id") === undefined) throw upstreamFailed("The platform answered without a user.");
    return { user_id: id, ...present(fieldsOf(user, knownTeam(client))), slack_access: true };
  },
});

function fieldsOf(user: JsonObject, team: ReturnType<typeof knownTeam>) {
  const profile = objectIn(user, "profile");
  return {
    username: textIn(user, "name"),
    display_name: textIn(profile, "display_name"),
    real_name: realName(user),
    email: textIn(profile, "email"),
    profile_picture_url: PICTURES.map((name) => textIn(profile, name)).find((url) => (url ?? "") !== ""),
    title: textIn(profile, "title"),
    phone: textIn(profile, "phone"),
    first_name: textIn(profile, "first_name"),
    last_name: textIn(profile, "last_name"),
    pronouns: textIn(profile, "pronouns"),
    status_text: textIn(profile, "status_text"),
    status_emoji: textIn(profile, "status_emoji"),
    team_id: team.id ?? textIn(user, "team_id"),
    team_name: team.name,
  };
}

/** Leaves out fields that the platform does not return. */
function present<T extends Record<string, string | undefined>>(fields: T) {
  return Object.fromEntries(Object.entries(fields).filter((entry) => entry[1] !== undefined));
}
