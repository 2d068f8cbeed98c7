// Principals (the callers), their roles, and the users that they may act for.
import { checkUserId } from "../base";
import { forbidden, malformedRequest } from "../errors";

/** What each may do is listed in docs/roles.md, which the tests run. */
export const ROLES = ["admin", "run", "read", "verify", "metrics"] as const;
export type Role = (typeof ROLES)[number];

/**
 * `incarnation`: of the project (see `requireIncarnation`). Every principal that this area returns has one; without it, the
 * principal is one of the project that exists now. `address`: that of the client of a request; absent at the terminal and
 * for scheduled runs.
 */
export type Principal = { projectId: string; incarnation?: string; address?: string | undefined } &
  /** A project API key. `users`: the only users that it may act for; null: any. */
  (
    | { kind: "key"; keyId: string; role: Role; users: readonly string[] | null }
    /** The operator at the terminal, with access to the data folder. */
    | { kind: "operator" }
    /** A user token: acts only for its own user. */
    | { kind: "user"; userId: string }
  );

/** The role of a principal: `run` for a user token, `admin` for the operator. */
export function rolesOf(principal: Principal): Role {
  if (principal.kind === "key") return principal.role;
  return principal.kind === "user" ? "run" : "admin";
}

/** Throws `forbidden` unless the principal has one of these roles. `advice`: a sentence about what to do. */
export function requireRole(principal: Principal, allowed: readonly Role[], advice?: string): void {
  const role = rolesOf(principal);
  if (allowed.includes(role)) return;
  const has = principal.kind === "user" ? "a user token cannot do it" : `this one has ${role}`;
  const refusal = `This needs a key with the role ${allowed.join(" or ")}; ${has}.`;
  throw forbidden(advice === undefined ? refusal : `${refusal} ${advice}`, {
    challenge: `Bearer error="insufficient_scope", scope="${allowed[0]}"`,
  });
}

/**
 * The user that the principal acts for: a key must name the user in `user_id`, a user token acts for its own user.
 * Throws `malformed_request` if `user_id` is missing, `invalid_parameter` if it is not a valid id, `forbidden` for another user
 * than that of the token, and for a key that is pinned to other users.
 */
export function actFor(principal: Principal, userId: string | undefined): string {
  if (principal.kind === "user") {
    if (userId === undefined || userId === principal.userId) return principal.userId;
    throw forbidden("user_id differs from the user of the token. Omit it, or use a token of that user.");
  }
  if (userId === undefined || userId.trim() === "") {
    const message = "user_id is required: with a project API key, name the user that it acts for.";
    throw malformedRequest(message, { fieldErrors: [{ field: "user_id", rule: "required", message }] });
  }
  checkUserId(userId);
  if (principal.kind === "key" && principal.users !== null && !principal.users.includes(userId)) {
    throw forbidden("This API key is pinned to other users and cannot act for this one.");
  }
  return userId;
}

/** Whether the principal may see records of a user: a pinned key those of its users, a user token those of its user. */
export function maySee(principal: Principal, userId: string): boolean {
  if (principal.kind === "user") return principal.userId === userId;
  return principal.kind === "operator" || principal.users === null || principal.users.includes(userId);
}
