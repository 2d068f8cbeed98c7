// What a stored API key may do.
import { invalidParameter } from "../errors";
import { type Principal, type Role, ROLES } from "./principal";
import type { FoundKeyRow, KeyRow } from "./repository";
import type { ApiKeyCreate } from "./schema";

export type KeyPrincipal = Extract<Principal, { kind: "key" }>;

export function keyPrincipal(row: FoundKeyRow): KeyPrincipal {
  const { id: keyId, project_id: projectId, incarnation } = row;
  return { kind: "key", keyId, projectId, incarnation, role: roleOf(row), users: usersOf(row) };
}

/** Throws `invalid_parameter` for an admin key that is restricted to users. */
// An admin key sets where all tokens of the project are sent, so a list of users does not restrict it.
export function refusePinnedAdmin({ role, users }: ApiKeyCreate): void {
  if (role !== "admin" || users === undefined) return;
  const message =
    "A key with the role admin cannot be restricted to users, because it administers the whole project. Omit users, or choose the role run.";
  throw invalidParameter(message, { fieldErrors: [{ field: "users", rule: "conflict", message }] });
}

// A role that this version does not know is treated as the weakest. An admin key with users, which earlier versions could
// create, may only run tools for them.
export function roleOf(row: KeyRow): Role {
  if (row.role === "admin" && row.users !== null) return "run";
  return ROLES.find((role) => role === row.role) ?? "read";
}

export function usersOf(row: KeyRow): readonly string[] | null {
  return row.users === null ? null : JSON.parse(row.users);
}
