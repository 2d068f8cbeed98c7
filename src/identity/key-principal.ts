// What a stored API key may do.
import { invalidParameter } from "../errors";
import { type Principal, type Role, ROLES } from "./principal";
import type { FoundKeyRow, KeyRow } from "./repository";
import type { ApiKeyCreate } from "./schema";

/** What a key and a workload have in common. */
type Stored = Pick<KeyRow, "role" | "users">;

export type KeyPrincipal = Extract<Principal, { kind: "key" }>;

export function keyPrincipal(row: FoundKeyRow): KeyPrincipal {
  const { id: keyId, project_id: projectId, incarnation } = row;
  return { kind: "key", keyId, projectId, incarnation, role: roleOf(row), users: usersOf(row) };
}

/** Why a key of a role cannot be restricted to users. */
const FOR_ALL: Partial<Record<Role, string>> = {
  // It sets where all tokens of the project are sent, so a list of users does not restrict it.
  admin:
    "A key with the role admin cannot be restricted to users, because it administers the whole project. Omit users, or choose the role run.",
  metrics:
    "A key with the role metrics cannot be restricted to users, because the metrics are about none. Omit users.",
};

/** Throws `invalid_parameter` for a key that is restricted to users although its role is about all of them. */
export function refusePinned({ role = "run", users }: Pick<ApiKeyCreate, "role" | "users">): void {
  const message = users === undefined ? undefined : FOR_ALL[role];
  if (message === undefined) return;
  throw invalidParameter(message, { fieldErrors: [{ field: "users", rule: "conflict", message }] });
}

// A role that this version does not know is treated as the weakest. An admin key with users, which earlier versions could
// create, may only run tools for them.
export function roleOf(row: Stored): Role {
  if (row.role === "admin" && row.users !== null) return "run";
  return ROLES.find((role) => role === row.role) ?? "read";
}

export function usersOf(row: Stored): readonly string[] | null {
  return row.users === null ? null : JSON.parse(row.users);
}
