// Finds people by handle. The platform has no lookup by handle, so the workspace's members are listed.
import type { Json, JsonObject } from "../../../src/tools";
import type { ChatClient } from "../client";
import { type BasicUser, basicUser, isBot } from "../records/user";
import type { Listing } from "./listing";
import { search, type Stop } from "./search";
import { rememberUser } from "./users";

/** A member of the workspace. */
export interface Member {
  user: BasicUser;
  deactivated: boolean;
}

/** Members by handle. Display names are not unique, so they never identify a person; bots cannot be found. */
export const MEMBERS: Listing<Member> = {
  method: "users.list",
  sources: [{}],
  items: "members",
  read: readMember,
  names: ({ user }) => (user.name === null || isBot(user) ? [] : [foldUsername(user.name)]),
  idOf: ({ user }) => user.id,
  // The handle of a deactivated person can be used again.
  better: (member, than) => than.deactivated && !member.deactivated,
  packed: ({ user, deactivated }) => [...FIELDS.map((field) => user[field]), deactivated],
  unpacked: unpackedMember,
  seen: (client, { user }) => rememberUser(client, user),
};

export interface FoundMembers {
  /** In the order of the names; undefined for names that were not found. */
  people: (BasicUser | undefined)[];
  /** Why the search ended before the last page, if it did. */
  stopped: Stop | undefined;
}

/** The person of each handle. Throws `ToolError` if the platform refuses or fails. */
export async function findUsernames(client: ChatClient, usernames: readonly string[]): Promise<FoundMembers> {
  if (usernames.length === 0) return { people: [], stopped: undefined };
  const names = usernames.map(foldUsername);
  const { directory, stopped } = await search(client, MEMBERS, names, (member) => !member.deactivated);
  const members = names.map((name) => directory.get(name));
  // The pages that were not read may have an active person with the same handle.
  const certain = members.map((member) =>
    stopped !== undefined && member?.deactivated ? undefined : member,
  );
  return { people: certain.map((member) => member?.user), stopped };
}

/** A handle, normalized for comparison: without the leading sign, in lower case. */
export function foldUsername(username: string): string {
  return username
    .replace(/^[@\s]+/, "")
    .trim()
    .toLowerCase();
}

const FIELDS = ["id", "name", "is_bot", "email", "display_name", "real_name", "timezone"] as const;

function unpackedMember(fields: readonly Json[]): Member | undefined {
  const [id, name, isBot, email, displayName, realName, timezone, deactivated] = fields;
  if (typeof id !== "string") return undefined;
  const user = {
    id,
    name: textOrNull(name),
    is_bot: typeof isBot === "boolean" ? isBot : null,
    email: textOrNull(email),
    display_name: textOrNull(displayName),
    real_name: textOrNull(realName),
    timezone: textOrNull(timezone),
  };
  return { user, deactivated: deactivated === true };
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function readMember(item: JsonObject): Member | undefined {
  const user = basicUser(item);
  return user === undefined ? undefined : { user, deactivated: item["deleted"] === true };
}
