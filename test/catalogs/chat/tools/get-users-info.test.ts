// Chat.GetUsersInfo against the stand-in of the platform, and against a scripted one.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { ScopesLost } from "../../../../src/tools";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { Connection, connectionOf, shaped } from "../run";
import { refusal, Stub, throttle } from "../stub";

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox();
});
afterAll(() => sandbox.stop());
afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

const methods = (): string[] => sandbox.requests.map(({ method }) => method);
const NAMED = Type.Object({ users: Type.Array(Type.Object({ name: Type.String() })) });
const names = (output: unknown): string[] => shaped(NAMED, output).users.map(({ name }) => name);

describe("who", () => {
  test("by id comes whole", async () => {
    const { bob } = sandbox.people;
    expect(await connectionOf(sandbox).run("GetUsersInfo", { user_ids: [bob.id] })).toEqual({
      users: [
        {
          id: bob.id,
          name: "bob",
          is_bot: false,
          email: bob.email,
          display_name: "Bob",
          real_name: "Bob Example",
          timezone: "America/New_York",
        },
      ],
    });
    expect(methods()).toEqual(["users.info"]);
  });

  test("by username, without case or sign", async () => {
    const output = await connectionOf(sandbox).run("GetUsersInfo", { usernames: ["@Carol", "BOB"] });
    expect(names(output)).toEqual(["carol", "bob"]);
    expect(methods()).toEqual(["users.list"]);
  });

  test("by address", async () => {
    const { bob, carol } = sandbox.people;
    const output = await connectionOf(sandbox).run("GetUsersInfo", { emails: [carol.email, bob.email] });
    expect(names(output)).toEqual(["carol", "bob"]);
    expect(methods()).toEqual(["users.lookupByEmail", "users.lookupByEmail"]);
  });

  test("in all ways: ids first, then usernames, then addresses, without duplicates", async () => {
    const { bob, carol, admin, robot } = sandbox.people;
    const output = await connectionOf(sandbox).run("GetUsersInfo", {
      emails: [admin.email, bob.email],
      usernames: ["carol", "alice"],
      user_ids: [robot.id, carol.id, carol.id],
    });
    expect(names(output)).toEqual(["robot", "carol", "alice", "admin", "bob"]);
  });

  test("of another organization has a real name all the same", async () => {
    const output = await connectionOf(sandbox).run("GetUsersInfo", { user_ids: [sandbox.people.erin.id] });
    expect(output).toMatchObject({ users: [{ real_name: "Erin Example", email: null, timezone: null }] });
  });

  test("is cached for ten minutes", async () => {
    const connection = connectionOf(sandbox);
    const input = { user_ids: [sandbox.people.bob.id] };
    await connection.run("GetUsersInfo", input);
    await connection.run("GetUsersInfo", input);
    expect(methods()).toHaveLength(1);
    connection.clock.move(601_000);
    await connection.run("GetUsersInfo", input);
    expect(methods()).toHaveLength(2);
  });
});

test.each<[string, { [key: string]: unknown }]>([
  ["nothing", {}],
  ["null, empty lists and blank texts", { user_ids: null, usernames: [], emails: ["", " "] }],
  ["an address that is none", { emails: ["bob@sandbox"], user_ids: ["U1"] }],
  ["a text for a list", { user_ids: "U1" }],
  ["an unknown parameter", { user_id: "U1" }],
])("%s is refused without a call", async (_, input) => {
  const error = await connectionOf(sandbox).failure("GetUsersInfo", input);
  expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", details: { statusCode: 400 } });
  expect(sandbox.calls()).toBe(0);
});

describe("somebody who is missing", () => {
  test("is named, and those who were found are returned", async () => {
    const { bob, carol, alice } = sandbox.people;
    const output = await connectionOf(sandbox).run("GetUsersInfo", {
      user_ids: [bob.id, "U0404"],
      usernames: ["alise", "carol"],
      emails: ["nobody@sandbox.example"],
    });
    const reason = expect.stringContaining(`{"id":"${alice.id}","name":"alice"`);
    expect(output).toMatchObject({
      users: [{ id: bob.id }, { id: carol.id }],
      missing: [{ what: "U0404, alise, nobody@sandbox.example", reason }],
    });
  });

  test("because the platform failed is named, and those who were found are returned", async () => {
    await using stub = new Stub()
      .on("users.info", ({ params }) =>
        params["user"] === "U2" ? new Response("<html>", { status: 500 }) : { user: { id: params["user"] } },
      )
      .on("users.list", throttle("60"))
      .on("users.lookupByEmail", throttle("60"));
    const connection = new Connection(stub.apiUrl);
    expect(await connection.run("GetUsersInfo", { user_ids: ["U1", "U2", "U3"] })).toMatchObject({
      users: [{ id: "U1" }, { id: "U3" }],
      missing: [{ what: "U2", reason: expect.stringContaining("HTTP 500") }],
    });
    expect(await connection.run("GetUsersInfo", { user_ids: ["U1"], emails: ["a@b.example"] })).toMatchObject(
      { users: [{ id: "U1" }], missing: [{ what: "a@b.example", reason: expect.stringContaining("60 s") }] },
    );
    expect(await connection.run("GetUsersInfo", { user_ids: ["U1"], usernames: ["ada"] })).toMatchObject({
      users: [{ id: "U1" }],
      missing: [{ what: "ada", reason: expect.stringContaining("60 s") }],
    });
    const error = await connection.failure("GetUsersInfo", { user_ids: ["U2"] });
    expect(error.kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
  });

  test("is an error if none are found: it names all and suggests existing ones", async () => {
    const error = await connectionOf(sandbox).failure("GetUsersInfo", {
      user_ids: ["U0404"],
      usernames: ["alise"],
      emails: ["nobody@sandbox.example"],
    });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.details).toMatchObject({ statusCode: 404, retryAfterMs: 500 });
    expect(error.message).toContain("U0404, alise (nearest: alice), nobody@sandbox.example");
    const { alice } = sandbox.people;
    expect(error.details.additionalPromptContent).toContain(
      `{"id":"${alice.id}","name":"alice","email":"${alice.email}","display_name":"Alice"}`,
    );
    expect(error.details.additionalPromptContent).not.toContain("robot");
  });

  test("by id only does not list the workspace", async () => {
    const error = await connectionOf(sandbox).failure("GetUsersInfo", { user_ids: ["U0404"] });
    expect(error.details.additionalPromptContent).toContain("Chat.ListUsers");
    expect(methods()).toEqual(["users.info"]);
  });

  test("may be a person whom this user may not see", async () => {
    sandbox.fail("users.info", { kind: "error", error: "user_not_visible" });
    const error = await connectionOf(sandbox).failure("GetUsersInfo", { user_ids: ["U0404"] });
    expect(error.kind).toBe("TOOL_RUNTIME_RETRY");
  });
});

test("ids are looked up once, at most three at a time", async () => {
  await using stub = new Stub().on("users.info", async ({ params }) => {
    await Bun.sleep(2);
    return { user: { id: params["user"] } };
  });
  const user_ids = Array.from({ length: 20 }, (_, n) => `U${n % 10}`);
  await new Connection(stub.apiUrl).run("GetUsersInfo", { user_ids });
  expect(stub.calls()).toBe(10);
  expect(stub.busiest).toBe(3);
});

test("a rate limit is waited for once; the queued ids do not run into it", async () => {
  await using stub = new Stub().on("users.info", throttle("2"), ({ params }) => ({
    user: { id: params["user"] },
  }));
  const connection = new Connection(stub.apiUrl);
  const user_ids = Array.from({ length: 20 }, (_, n) => `U${n}`);
  const output = await connection.run("GetUsersInfo", { user_ids });
  expect(output).toMatchObject({ users: user_ids.map((id) => ({ id })) });
  expect(stub.calls()).toBe(21);
});

test("one that is too long ends it at once, with the time to wait", async () => {
  await using stub = new Stub().on("users.info", throttle("40"));
  const user_ids = Array.from({ length: 20 }, (_, n) => `U${n}`);
  const error = await new Connection(stub.apiUrl).failure("GetUsersInfo", { user_ids });
  expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", details: { retryAfterMs: 40_000 } });
  expect(stub.calls()).toBeLessThanOrEqual(3);
});

test("a lost scope is named", async () => {
  await using stub = new Stub().on(
    "users.lookupByEmail",
    refusal("missing_scope", { needed: "users:read.email", provided: "users:read" }),
  );
  const error = await new Connection(stub.apiUrl).failure("GetUsersInfo", { emails: ["ada@example.com"] });
  if (!(error instanceof ScopesLost)) throw error;
  expect(error.needed).toEqual(["users:read.email"]);
});
