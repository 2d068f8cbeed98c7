// Sheets.WhoAmI against the stand-in of the platform, and with profiles that it does not have.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ScopesLost } from "../../../../src/tools";
import { startSheetsSandbox, type SheetsSandbox } from "../../../sandbox/sheets";
import {
  ALL_SCOPES,
  at,
  basesOf,
  Connection,
  DRIVE,
  DRIVE_FILE,
  DRIVE_READONLY,
  EMAIL,
  PROFILE,
} from "../run";
import { page, refusal, Stub, together } from "../stub";

let sandbox: SheetsSandbox;
beforeAll(async () => {
  sandbox = await startSheetsSandbox();
});
beforeEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});
afterAll(() => sandbox.stop());

test("two calls return the profile and what the tools can access", async () => {
  expect(await Connection.to(sandbox, "bob").run("WhoAmI")).toEqual({
    user_id: "100000000000000000028",
    email: "bob@corp.example",
    email_verified: true,
    name: "Bob Dupont",
    given_name: "Bob",
    family_name: "Dupont",
    picture_url: "https://pictures.example/bob.png",
    organization_domain: "corp.example",
    environment: { granted_scopes: [...ALL_SCOPES], file_access: "per_file", storage_used_bytes: 0 },
  });
  expect(sandbox.requests.map(({ method, path }) => [method, path]).toSorted()).toEqual([
    ["about.get", "/drive/v3/about"],
    ["userinfo", "/v1/userinfo"],
  ]);
});

test("both calls run at the same time", async () => {
  const answer = together(2, { sub: "1" });
  await using stub = new Stub().on("userinfo", answer).on("about", answer);
  await new Connection(basesOf(stub.url)).run("WhoAmI");
  expect(stub.busiest).toBe(2);
});

test("the storage limit is a number", async () => {
  const output = await Connection.to(sandbox).run("WhoAmI");
  expect(at(output, "environment.storage_limit_bytes")).toBe(16_106_127_360);
});

test("missing fields of the profile are left out", async () => {
  const output = await Connection.to(sandbox, "carol").run("WhoAmI");
  expect(Object.keys(Object(output)).toSorted()).toEqual([
    "email",
    "email_verified",
    "environment",
    "name",
    "user_id",
  ]);
});

test.each<[string[], string]>([
  [[DRIVE_FILE], "per_file"],
  [[DRIVE_READONLY, DRIVE_FILE], "read_all"],
  [[DRIVE_FILE, DRIVE, DRIVE_READONLY], "all"],
])("the reach of the grant %p is %s", async (wide, expected) => {
  // In another order than asked for, with what the platform adds.
  const scopes = ["openid", ...wide, EMAIL, PROFILE];
  const output = await Connection.to(sandbox, "alice", scopes).run("WhoAmI");
  expect(at(output, "environment")).toMatchObject({ granted_scopes: scopes, file_access: expected });
});

describe("failures", () => {
  test.each([
    ["503", { kind: "server_error" } as const, 4],
    ["a refusal", { kind: "drive_error", reason: "domainPolicy", message: "no" } as const, 1],
    ["nonsense", { kind: "not_json" } as const, 4],
  ])("of the storage alone leave the profile: %s", async (_, fault, calls) => {
    sandbox.fail("about.get", fault, 9);
    const output = await Connection.to(sandbox).run("WhoAmI");
    expect(output).toMatchObject({ name: "Alice Example", environment: { file_access: "per_file" } });
    expect(at(output, "environment")).not.toHaveProperty("storage_used_bytes");
    expect(sandbox.calls("about.get")).toBe(calls);
  });

  test("of the profile are failures", async () => {
    sandbox.fail("userinfo", { kind: "server_error" }, 4);
    const error = await Connection.to(sandbox).failure("WhoAmI");
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_SERVER_ERROR", canRetry: true });
  });

  test("of a token without the profile scopes name them", async () => {
    const { accessToken: token } = sandbox.issueToken("alice", [DRIVE_FILE]);
    const error = await Connection.to(sandbox, "alice", ALL_SCOPES, { token }).failure("WhoAmI");
    expect(error).toBeInstanceOf(ScopesLost);
    expect(error.details.extra).toEqual({ needed_scopes: [PROFILE, EMAIL] });
  });

  test("of the token mean a dead grant", async () => {
    const { accessToken: token } = sandbox.issueToken("alice", ALL_SCOPES);
    sandbox.revoke(token);
    const error = await Connection.to(sandbox, "alice", ALL_SCOPES, { token }).failure("WhoAmI");
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR", details: { statusCode: 401 } });
  });
});

test("missing fields of the profile are taken from the file API", async () => {
  await using stub = new Stub().on("userinfo", { sub: "1", name: "", email_verified: false }).on("about", {
    user: { displayName: "Ada", emailAddress: "ada@x", photoLink: "https://p" },
    storageQuota: { usage: "7", limit: "nonsense" },
  });
  expect(await new Connection(basesOf(stub.url)).run("WhoAmI")).toEqual({
    user_id: "1",
    email: "ada@x",
    name: "Ada",
    picture_url: "https://p",
    email_verified: false,
    environment: { granted_scopes: [], file_access: "per_file", storage_used_bytes: 7 },
  });
});

test.each([refusal(400, { message: "x" }), page(404)])(
  "an odd answer for the profile is a failure: %#",
  async (answer) => {
    await using stub = new Stub().on("userinfo", answer).on("about", {});
    expect((await new Connection(basesOf(stub.url)).failure("WhoAmI")).kind).toStartWith("UPSTREAM_RUNTIME_");
  },
);

test("a parameter is refused without a call", async () => {
  const error = await Connection.to(sandbox).failure("WhoAmI", { user: "bob" });
  expect(error.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
  expect(sandbox.calls()).toBe(0);
});
