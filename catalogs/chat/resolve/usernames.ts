// From handles to people. The platform cannot look a handle up: the workspace's members are listed for it.
import type { JsonObject } from "../../../src/tools";
import type { ChatClient } from "../client";
import { type BasicUser, basicUser } from "../records";
import type { Listing } from "./listing";
import { search, type Stop } from "./search";

/** A person of the workspace. */
export interface Member extends BasicUser {
  deactivated: boolean;
}

/** Members by handle. Display names are not unique and never decide who is meant. */
export const MEMBERS: Listing<Member> = {
  method: "users.list",
  params: {},
  items: "members",
  read: readMember,
  names: (member) => (member.name === null ? [] : [foldUsername(member.name)]),
  // A handle is free again once its owner is deactivated.
  better: (member, than) => than.deactivated && !member.deactivated,
};

export interface FoundMembers {
  /** In the order of the names; undefined where nobody was found. */
  people: (Member | undefined)[];
  /** Why the search ended before the last page, if it did. */
  stopped: Stop | undefined;
}

/** The person of each handle. Throws `ToolError` when the platform refuses or fails. */
export async function findUsernames(client: ChatClient, usernames: readonly string[]): Promise<FoundMembers> {
  if (usernames.length === 0) return { people: [], stopped: undefined };
  const names = usernames.map(foldUsername);
  const { directory, stopped } = await search(client, MEMBERS, names, (member) => !member.deactivated);
  const people = names.map((name) => directory.get(name));
  // On the pages that were not read, an active owner of the same handle may stand.
  if (stopped === undefined) return { people, stopped };
  return { people: people.map((member) => (member?.deactivated === true ? undefined : member)), stopped };
}

/** A handle as it is compared: without the sign in front, in lower case. */
export function foldUsername(username: string): string {
  return username
    .replace(/^[@\s]+/, "")
    .trim()
    .toLowerCase();
}

/** The platform's own bot is listed as a person. */
const PLATFORM_BOT = "USLACKBOT";

function readMember(user: JsonObject): Member | undefined {
  const basic = basicUser(user);
  if (basic === undefined || basic.is_bot === true || basic.id === PLATFORM_BOT) return undefined;
  return { ...basic, deactivated: user["deleted"] === true };
}
