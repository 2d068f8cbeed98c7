// From the groups of a person to the role. A person has one role, the highest.
import type { Settings } from "../config";
import type { PersonRole } from "../identity";

const HIGHEST_FIRST: readonly PersonRole[] = ["admin", "approver", "auditor", "member"];

/** Undefined if no group has a role. */
export function roleOfGroups(
  roles: Settings["auth.roles"],
  groups: readonly string[],
): PersonRole | undefined {
  const given = new Set(roles.filter(({ group }) => groups.includes(group)).map(({ role }) => role));
  return HIGHEST_FIRST.find((role) => given.has(role));
}

/** A stored role. One that this version does not know counts as the lowest. */
export function knownRole(text: string): PersonRole {
  return HIGHEST_FIRST.find((role) => role === text) ?? "member";
}
