// Principals (the callers), their roles, and the users that they may act for.
import type { Basis } from "../audit";
import { checkCallerId, checkUserId } from "../base";
import { forbidden, malformedRequest } from "../errors";

/** What each may do is listed in docs/roles.md, which the tests run. */
export const ROLES = ["admin", "run", "read", "verify", "metrics"] as const;
export type Role = (typeof ROLES)[number];

/** What people may do: `member` acts for itself; the others have rights in the project as well. */
export const PERSON_ROLES = ["member", "approver", "auditor", "admin"] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** What an operation may demand: the role of a key, or a right that only people have. */
export type Right = Role | "approve" | "audit";

const RIGHTS: Readonly<Record<PersonRole, readonly Right[]>> = {
  member: ["run"],
  approver: ["run", "approve"],
  auditor: ["run", "read", "audit"],
  admin: ["admin", "run"],
};

/**
 * `incarnation`: of the project (see `requireIncarnation`). Every principal that this area returns has one; without it, the
 * principal is one of the project that exists now. `address`: that of the client of a request; absent at the terminal and
 * for scheduled runs. `basis`: of a request with preconditions.
 */
export type Principal = {
  projectId: string;
  incarnation?: string;
  address?: string | undefined;
  basis?: Basis | undefined;
} &
  /** A project API key. `users`: the only users that it may act for; null: any. */
  (
    | {
        kind: "key";
        keyId: string;
        role: Role;
        users: readonly string[] | null;
        /** The subject of the token of a workload, which has the rights of a key. `keyId` is the id of the workload. */
        workload?: string;
      }
    /** The operator at the terminal, with access to the data folder. */
    | { kind: "operator" }
    /**
     * A user token, or a browser in which a person is signed in: tools run only for its own user. `role`: in the project, of
     * people who sign in here; absent: `member`. `grant`: what the person has allowed the client that brings the token;
     * `signIn`: the sign-in of this client whose tokens end together.
     */
    | { kind: "user"; userId: string; role?: PersonRole; grant?: string; signIn?: string }
  );

export type UserPrincipal = Extract<Principal, { kind: "user" }>;

/** The principal of a user in the project of another principal. */
export function asUser({ projectId, incarnation, address }: Principal, userId: string): UserPrincipal {
  return { kind: "user", projectId, userId, address, ...(incarnation === undefined ? {} : { incarnation }) };
}

/** The role of a key. That of a user token is `run`, or `admin` for an administrator; that of the operator is `admin`. */
export function roleOfPrincipal(principal: Principal): Role {
  if (principal.kind === "key") return principal.role;
  if (principal.kind === "operator") return "admin";
  return principal.role === "admin" ? "admin" : "run";
}

function has(principal: Principal, right: Right): boolean {
  if (principal.kind === "user") return RIGHTS[principal.role ?? "member"].includes(right);
  return roleOfPrincipal(principal) === right;
}

function isRoleOfKeys(right: Right): right is Role {
  return right !== "approve" && right !== "audit";
}

function rolesOfPeople(allowed: readonly Right[]): PersonRole[] {
  return PERSON_ROLES.filter((role) => RIGHTS[role].some((right) => allowed.includes(right)));
}

/** Throws `forbidden` unless the principal has one of these rights. `advice`: a sentence about what to do. */
export function requireRole(principal: Principal, allowed: readonly Right[], advice?: string): void {
  if (allowed.some((right) => has(principal, right))) return;
  const refusal =
    principal.kind === "user" && principal.role !== undefined
      ? `Your role ${principal.role} does not allow this. It needs ${rolesOfPeople(allowed).join(" or ")}.`
      : `This needs a key with the role ${allowed.filter(isRoleOfKeys).join(" or ")}; ${
          principal.kind === "user"
            ? "a user token cannot do it"
            : `this one has ${roleOfPrincipal(principal)}`
        }.`;
  throw forbidden(advice === undefined ? refusal : `${refusal} ${advice}`, {
    challenge: `Bearer error="insufficient_scope", scope="${allowed[0]}"`,
  });
}

/**
 * The user that the principal acts for: a key must name the user in `user_id`, a user token acts for its own user.
 * Throws `malformed_request` if `user_id` is missing, `invalid_parameter` if it is not a valid id, `forbidden` for another user
 * than that of the token, and for a key that is pinned to other users. `own`: the user of a worker, for the consent of this
 * worker; otherwise no caller acts for one.
 */
export function actFor(principal: Principal, userId: string | undefined, own?: string): string {
  if (principal.kind === "user") {
    if (userId === undefined || userId === principal.userId) return principal.userId;
    throw forbidden("user_id differs from the user of the token. Omit it, or use a token of that user.");
  }
  if (userId === undefined || userId.trim() === "") {
    const message = "user_id is required: with a project API key, name the user that it acts for.";
    throw malformedRequest(message, { fieldErrors: [{ field: "user_id", rule: "required", message }] });
  }
  if (userId === own) checkUserId(userId);
  else checkCallerId(userId);
  if (principal.kind === "key" && principal.users !== null && !principal.users.includes(userId)) {
    throw forbidden("This API key is pinned to other users and cannot act for this one.");
  }
  return userId;
}

/**
 * The users whose records the principal may see; undefined: all. A pinned key sees those of its users, a user token those of
 * its user. People who administer or audit the project see those of all.
 */
export function visibleUsers(principal: Principal): readonly string[] | undefined {
  if (principal.kind === "operator") return undefined;
  if (principal.kind === "key") return principal.users ?? undefined;
  return principal.role === "admin" || principal.role === "auditor" ? undefined : [principal.userId];
}

/** Whether the principal may see records of a user. */
export function maySee(principal: Principal, userId: string): boolean {
  return visibleUsers(principal)?.includes(userId) ?? true;
}

/** Whether the principal may send a user to a consent, and so learn the address that the user opens. */
export function maySend(principal: Principal, userId: string): boolean {
  if (principal.kind === "user") return principal.userId === userId;
  return roleOfPrincipal(principal) !== "read" && maySee(principal, userId);
}

/** Whether the principal may end records of a user, such as a scheduled run. An auditor sees those of all, and ends its own. */
export function mayEnd(principal: Principal, userId: string): boolean {
  const isAuditor = principal.kind === "user" && principal.role === "auditor";
  return isAuditor ? principal.userId === userId : maySee(principal, userId);
}
