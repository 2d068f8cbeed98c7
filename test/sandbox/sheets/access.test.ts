// Tokens, scopes and files: refusals.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startSheetsSandbox, type SheetsSandbox } from ".";
import { callerOf, callerWith, DRIVE, DRIVE_FILE, DRIVE_READONLY, EMAIL, PROFILE } from "./test-client";

let sandbox: SheetsSandbox;
let id: string;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
beforeEach(() => {
  id = sandbox.addFile({ opened: false });
});
afterAll(() => sandbox.stop());

const read = (): string => `/v4/spreadsheets/${id}?fields=spreadsheetId`;
const write = (): [string, string, object] => [
  "PUT",
  `/v4/spreadsheets/${id}/values/A1?valueInputOption=RAW`,
  { values: [["x"]] },
];

test.each([
  ["no token", null, "CREDENTIALS_MISSING"],
  ["an unknown token", "ya29.nonsense", "ACCESS_TOKEN_EXPIRED"],
])("%s is 401", async (_, token, reason) => {
  expect(await callerWith(sandbox, token)("GET", read())).toMatchObject({
    status: 401,
    body: { error: { status: "UNAUTHENTICATED", details: [{ reason }] } },
  });
});

test("an expired token and a revoked grant are 401", async () => {
  const { accessToken } = sandbox.issueToken("alice", [DRIVE]);
  sandbox.expireToken(accessToken);
  expect((await callerWith(sandbox, accessToken)("GET", read())).status).toBe(401);
  const other = sandbox.issueToken("alice", [DRIVE]).accessToken;
  sandbox.revoke(other);
  expect((await callerWith(sandbox, other)("GET", read())).status).toBe(401);
});

test("a token without a scope of the interface is 403", async () => {
  expect(await callerOf(sandbox, "alice", [EMAIL])("GET", read())).toMatchObject({
    status: 403,
    body: { error: { details: [{ reason: "ACCESS_TOKEN_SCOPE_INSUFFICIENT" }] } },
  });
});

test("with single files, a file does not exist until it is opened", async () => {
  const alice = callerOf(sandbox);
  expect(await alice("GET", read())).toMatchObject({ status: 404, body: { error: { status: "NOT_FOUND" } } });
  sandbox.open(id, "alice");
  expect((await alice("GET", read())).status).toBe(200);
  expect((await alice(...write())).status).toBe(200);
  // For another application it still does not exist.
  expect((await callerOf(sandbox, "alice", [DRIVE_FILE], "99-other")("GET", read())).status).toBe(404);
});

test("another person's file is 403 for a wide scope until it is shared", async () => {
  const bob = callerOf(sandbox, "bob", [DRIVE]);
  expect(await bob("GET", read())).toMatchObject({
    status: 403,
    body: { error: { status: "PERMISSION_DENIED" } },
  });
  sandbox.share(id, "bob", "reader");
  expect((await bob("GET", read())).status).toBe(200);
  expect((await bob(...write())).status).toBe(403);
  sandbox.share(id, "bob", "writer");
  expect((await bob(...write())).status).toBe(200);
});

test("a scope that reads everything does not write", async () => {
  const alice = callerOf(sandbox, "alice", [DRIVE_READONLY, DRIVE_FILE]);
  expect((await alice("GET", read())).status).toBe(200);
  expect((await alice(...write())).status).toBe(403);
  expect((await callerOf(sandbox, "alice", [DRIVE_READONLY])(...write())).status).toBe(403);
});

test("an unknown address returns an HTML page", async () => {
  const answer = await fetch(`${sandbox.url}/v4/spreadsheet/${id}`);
  expect(answer.status).toBe(404);
  expect(answer.headers.get("content-type")).toContain("text/html");
});

test.each<[string, string[], object]>([
  [
    "profile and address",
    [PROFILE, EMAIL],
    {
      sub: "100000000000000000028",
      name: "Bob Dupont",
      email: "bob@corp.example",
      email_verified: true,
      hd: "corp.example",
    },
  ],
  ["address only", [EMAIL], { email: "bob@corp.example" }],
])("user info has the granted fields: %s", async (_, scopes, expected) => {
  const answer = await callerOf(sandbox, "bob", scopes)("GET", "/v1/userinfo");
  expect(answer.body).toMatchObject(expected);
  if (!scopes.includes(PROFILE)) expect(answer.body).not.toHaveProperty("name");
});

test("user info refuses in the form of OAuth, and has one address only", async () => {
  expect(await callerWith(sandbox, "x")("GET", "/v1/userinfo")).toMatchObject({
    status: 401,
    body: { error: "invalid_request" },
  });
  expect((await callerOf(sandbox)("GET", "/v1/userinfo")).status).toBe(403);
  expect((await callerOf(sandbox, "alice", [EMAIL])("GET", "/v1/userinfo/")).status).toBe(404);
});
