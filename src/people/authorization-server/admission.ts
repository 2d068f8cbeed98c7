// Whether a person may use a resource, asked when it allows a client something and each time that the client gets a token.
import type { Suspensions } from "../../identity";
import type { KnownPeople } from "./own-tokens";
import type { Admission } from "./resources";

/** With the groups of people. */
export type PeopleWithGroups = KnownPeople & {
  groupsOf(projectId: string, userId: string): Promise<readonly string[]>;
};

export function admissionOf(people: PeopleWithGroups, suspensions: Suspensions): Admission {
  return async ({ projectId, allowedGroups }, userId) => {
    if ((await people.methodOf(projectId)) === "none") return "People do not sign in here.";
    if (!(await people.isKnown(projectId, userId))) return "You are not invited to this project.";
    if (await suspensions.has(projectId, userId))
      return "Your account is suspended. An administrator can end that.";
    if (allowedGroups === undefined) return undefined;
    const groups = await people.groupsOf(projectId, userId);
    return groups.some((group) => allowedGroups.includes(group))
      ? undefined
      : "None of your groups may use this gateway. Ask an administrator.";
  };
}
