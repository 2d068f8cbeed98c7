// Roles of principals, and the users that they may act for.
import { describe, expect, test } from "bun:test";
import { RuntimeError } from "../../src/errors";
import { actFor, actorOf, maySee, type Principal, requireRole, type Role, ROLES } from "../../src/identity";

const anybody: Principal = { kind: "key", keyId: "key_1", projectId: "default", role: "run", users: null };
const pinned: Principal = { ...anybody, users: ["alice", "bob"] };
const operator: Principal = { kind: "operator", projectId: "default" };
const alice: Principal = { kind: "user", projectId: "default", userId: "alice" };

function refused(work: () => unknown): RuntimeError {
  try {
    work();
  } catch (error) {
    if (error instanceof RuntimeError) return error;
  }
  throw new Error("it was not refused");
}

describe("a principal acts for", () => {
  test.each<[string, Principal, string | undefined, string]>([
    ["the user that a key names", anybody, "alice", "alice"],
    ["the user exactly as named", anybody, " Alice@Example.com ", " Alice@Example.com "],
    ["a user that the key is pinned to", pinned, "bob", "bob"],
    ["the user that the terminal names", operator, "alice", "alice"],
    ["the user of the token, unnamed", alice, undefined, "alice"],
    ["the user of the token, named", alice, "alice", "alice"],
  ])("%s", (_name, principal, userId, expected) => {
    expect(actFor(principal, userId)).toBe(expected);
  });
});

describe("a principal does not act for", () => {
  test.each<[string, Principal, string | undefined, number, string]>([
    ["no user: a key must name one", anybody, undefined, 400, "malformed_request"],
    ["an empty name", anybody, "", 400, "malformed_request"],
    ["a name of spaces", anybody, " \t ", 400, "malformed_request"],
    ["no user, at the terminal", operator, undefined, 400, "malformed_request"],
    ["no user, with a pinned key", pinned, undefined, 400, "malformed_request"],
    ["a user that the key is not pinned to", pinned, "carol", 403, "forbidden"],
    ["a user that differs by case from the pinned one", pinned, "Alice", 403, "forbidden"],
    ["a user that differs by a space from the pinned one", pinned, "alice ", 403, "forbidden"],
    ["any user, with a key that is pinned to none", { ...pinned, users: [] }, "alice", 403, "forbidden"],
    ["another user than the token's", alice, "bob", 403, "forbidden"],
    ["an empty name, with a token", alice, "", 403, "forbidden"],
  ])("%s", (_name, principal, userId, status, name) => {
    const error = refused(() => actFor(principal, userId));

    expect([error.status, error.name]).toEqual([status, name as never]);
  });

  test("no user, with an error that names the field", () => {
    expect(refused(() => actFor(anybody, undefined)).fieldErrors).toMatchObject([
      { field: "user_id", rule: "required" },
    ]);
  });

  test("another user, with an error that does not repeat the name", () => {
    expect(refused(() => actFor(pinned, "planted-name")).message).not.toContain("planted");
  });
});

describe("a principal may see", () => {
  test.each<[string, Principal, string, boolean]>([
    ["everybody's, with a key", anybody, "carol", true],
    ["everybody's, at the terminal", operator, "carol", true],
    ["those that the key is pinned to", pinned, "bob", true],
    ["no others", pinned, "carol", false],
    ["the token's own", alice, "alice", true],
    ["not another user's", alice, "bob", false],
  ])("%s", (_name, principal, userId, expected) => {
    expect(maySee(principal, userId)).toBe(expected);
  });
});

describe("a role", () => {
  const rows = ROLES.flatMap((role) =>
    ROLES.map((admitted): [Role, Role, boolean] => [role, admitted, role === admitted]),
  );
  test.each(rows)("%s, where %s is admitted: %p", (role, admitted, expected) => {
    const attempt = (): void => requireRole({ ...anybody, role }, [admitted]);

    if (expected) expect(attempt).not.toThrow();
    else expect(refused(attempt)).toMatchObject({ status: 403, name: "forbidden" });
  });

  test("that a refusal names is one that such a caller can have", () => {
    const member: Principal = { ...alice, role: "member" };

    expect(refused(() => requireRole(anybody, ["admin", "read", "approve"])).message).toBe(
      "This needs a key with the role admin or read; this one has run.",
    );
    expect(refused(() => requireRole(member, ["admin", "read", "approve"])).message).toBe(
      "Your role member does not allow this. It needs approver or auditor or admin.",
    );
  });

  test("of the operator is admin, of a user token run", () => {
    expect(() => requireRole(operator, ["admin"])).not.toThrow();
    expect(() => requireRole(alice, ["run"])).not.toThrow();
    expect(refused(() => requireRole(alice, ["admin", "read"])).message).toBe(
      "This needs a key with the role admin or read; a user token cannot do it.",
    );
  });
});

test.each<[string, Principal]>([
  ["key:key_1", anybody],
  ["operator", operator],
  ["user:alice", alice],
])("the audit trail names a principal %s", (actor, principal) => {
  expect(actorOf(principal)).toBe(actor);
});
