// The record of a person in the tools' results, and its conversion from the platform's record.
import { type Static, Type } from "typebox";
import type { JsonObject } from "../../../src/tools";
import { objectIn, textIn } from "../../upstream/json";
import { orNull } from "../parameters";

/** A person or bot. Fields that the platform does not return are null. */
export const BasicUser = Type.Object({
  id: Type.String({ description: "The user's id" }),
  name: orNull(Type.String({ description: "The handle" })),
  is_bot: orNull(Type.Boolean()),
  email: orNull(Type.String()),
  display_name: orNull(Type.String()),
  real_name: orNull(Type.String()),
  timezone: orNull(Type.String({ description: "Name of the time zone, such as Europe/Paris" })),
});
export type BasicUser = Static<typeof BasicUser>;

/** Undefined for a record without an id. */
export function basicUser(user: JsonObject): BasicUser | undefined {
  const id = textIn(user, "id");
  if (id === undefined) return undefined;
  const profile = objectIn(user, "profile");
  return {
    id,
    name: textIn(user, "name") ?? null,
    is_bot: typeof user["is_bot"] === "boolean" ? user["is_bot"] : null,
    email: textIn(profile, "email") ?? null,
    display_name: textIn(profile, "display_name") ?? null,
    real_name: realName(user) ?? null,
    timezone: textIn(user, "tz") ?? null,
  };
}

/** Members of other organizations have their name only in the profile. */
export function realName(user: JsonObject): string | undefined {
  return textIn(user, "real_name") ?? textIn(objectIn(user, "profile"), "real_name");
}

/** The record of a person of whom only the id is known. */
export function unknownUser(id: string): BasicUser {
  const none = { name: null, is_bot: null, email: null, display_name: null, real_name: null, timezone: null };
  return { id, ...none };
}

/** The name to show in texts: the handle, or what members of other organizations have instead. */
export function shownName({ name, display_name, real_name }: BasicUser): string | null {
  return [name, display_name, real_name].find((text) => text !== null && text !== "") ?? null;
}

/** The platform's own bot, which it lists as a person. */
const PLATFORM_BOT = "USLACKBOT";

export function isBot({ id, is_bot }: BasicUser): boolean {
  return is_bot === true || id === PLATFORM_BOT;
}
