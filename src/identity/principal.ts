// Who is calling, and for whom they may act.
import { forbidden, invalidParameter, malformedRequest } from "../errors";

export const ROLES = ["admin", "run", "read"] as const;
export type Role = (typeof ROLES)[number];

export type Principal =
  /** A project API key. `users`: the only users that it may act for; null = any. */
  | { kind: "key"; keyId: string; projectId: string; role: Role; users: readonly string[] | null }
  /** A person at the terminal, on the data folder itself. */
  | { kind: "operator"; projectId: string }
  /** A user token: acts only for its own user. */
  | { kind: "user"; projectId: string; userId: string };

/** What the principal may do: a user token may run, the terminal of the data folder may do everything. */
export function rolesOf(principal: Principal): Role {
  if (principal.kind === "key") return principal.role;
  return principal.kind === "user" ? "run" : "admin";
}

/** Throws `forbidden` unless the principal's role is one of those that an operation admits. */
export function requireRole(principal: Principal, admitted: readonly Role[]): void {
  const role = rolesOf(principal);
  if (admitted.includes(role)) return;
  throw forbidden(`This needs a key with the role ${admitted.join(" or ")}; this one has ${role}.`);
}

/**
 * The user that the principal acts for. A key names the user in `user_id` and never stands in for one; a user token is
 * its user. Throws `malformed_request` when the name is missing, `forbidden` when a key is pinned to other users.
 * `mismatch` is the status for a user token that names somebody else: 403 on execute, 400 elsewhere.
 */
export function actFor(principal: Principal, userId: string | undefined, mismatch: 400 | 403 = 400): string {
  if (principal.kind === "user") {
    if (userId === undefined || userId === principal.userId) return principal.userId;
    const message = "user_id differs from the user of the token. Leave it out, or use that user's own token.";
    throw mismatch === 403 ? forbidden(message) : invalidParameter(message);
  }
  if (userId === undefined || userId.trim() === "") {
    const message =
      "user_id is required: a project API key never stands in for a user, so name the user it acts for.";
    throw malformedRequest(message, { fieldErrors: [{ field: "user_id", rule: "required", message }] });
  }
  if (principal.kind === "key" && principal.users !== null && !principal.users.includes(userId)) {
    throw forbidden("This API key is pinned to other users and cannot act for this one.");
  }
  return userId;
}

/** Whether the principal may see records of a user: a pinned key sees its users only, a user token itself only. */
export function maySee(principal: Principal, userId: string): boolean {
  if (principal.kind === "user") return principal.userId === userId;
  return principal.kind === "operator" || principal.users === null || principal.users.includes(userId);
}

/** Throws `forbidden` when a key that is pinned to users would make one that may act for others. */
export function requireReach(principal: Principal, users: readonly string[] = []): void {
  if (principal.kind !== "key" || principal.users === null) return;
  if (users.length > 0 && users.every((user) => maySee(principal, user))) return;
  throw forbidden("This API key is pinned to users: name some of them, and nobody else, in users.");
}
