// Chat.ListUsers: who is listed, and pages that neither lose nor repeat anybody.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { BasicUser } from "../../../../catalogs/chat/records/user";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { ALL_SCOPES, Connection, connectionOf, shaped } from "../run";
import { page, Stub, throttle } from "../stub";

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox({ extraPeople: ["frank", "grace"] });
});
afterAll(() => sandbox.stop());
afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

const LISTED = Type.Object({
  users: Type.Array(BasicUser),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

async function list(connection: Connection, input: { [key: string]: unknown } = {}) {
  const output = shaped(LISTED, await connection.run("ListUsers", input));
  return { names: output.users.map(({ name }) => name), next: output.next_cursor };
}

const EVERYBODY = ["admin", "alice", "bob", "carol", "frank", "grace"];
const limits = () => sandbox.requests.map(({ params }) => params["limit"]);

describe("who is listed", () => {
  test("people of the workspace, without bots and the deactivated", async () => {
    expect(await list(connectionOf(sandbox))).toEqual({ names: EVERYBODY, next: null });
    expect(limits()).toEqual(["200"]);
  });

  test("bots too, when they are not excluded; the deactivated never", async () => {
    const { names } = await list(connectionOf(sandbox), { exclude_bots: false });
    expect(names.toSorted()).toEqual([...EVERYBODY, "robot", "slackbot"].toSorted());
    const text = await list(connectionOf(sandbox), { exclude_bots: "false" });
    expect(text.names).toHaveLength(names.length);
  });

  test("with all fields", async () => {
    const { alice } = sandbox.people;
    const { users } = shaped(LISTED, await connectionOf(sandbox).run("ListUsers"));
    expect(users[1]).toEqual({
      id: alice.id,
      name: "alice",
      is_bot: false,
      email: alice.email,
      display_name: "Alice",
      real_name: "Alice Example",
      timezone: "Europe/Berlin",
    });
  });
});

describe("pages", () => {
  test.each([1, 2, 3, 4, 5])("of %d list each person once", async (limit) => {
    const connection = connectionOf(sandbox);
    const names: (string | null)[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const part = await list(connection, { limit, next_cursor: cursor });
      expect(part.names.length === limit || part.next === null).toBe(true);
      names.push(...part.names);
      cursor = part.next;
    }
    expect(names).toEqual(EVERYBODY);
  });

  test("are filled up by requests for only the missing people", async () => {
    // Of the first four people all count; then come dave, frank and grace.
    const { names } = await list(connectionOf(sandbox), { limit: 5 });
    expect(names).toEqual(["admin", "alice", "bob", "carol", "frank"]);
    expect(limits()).toEqual(["5", "1"]);
  });

  test("that are short or empty do not end the listing", async () => {
    sandbox.fail("users.list", { kind: "empty_page" });
    sandbox.fail("users.list", { kind: "short_page", items: 2 });
    sandbox.fail("users.list", { kind: "empty_page" });
    expect(await list(connectionOf(sandbox))).toEqual({ names: EVERYBODY, next: null });
    expect(sandbox.calls()).toBe(4);
  });

  test("with a repeated cursor are the end", async () => {
    sandbox.fail("users.list", { kind: "repeated_cursor" }, 20);
    const { next } = await list(connectionOf(sandbox), { limit: 2 });
    expect(next).not.toBeNull();
    const again = await list(connectionOf(sandbox), { limit: 2, next_cursor: next });
    expect(again.next).toBeNull();
    expect(sandbox.calls()).toBe(2);
  });

  test.each([
    [0, "1"],
    [-5, "1"],
    [501, "200"],
    ["7", "7"],
    [null, "200"],
  ])("of limit %p request %s first", async (limit, asked) => {
    await list(connectionOf(sandbox), { limit });
    expect(limits()[0]).toBe(asked);
  });

  test("hold at most 500, read in parts of 200", async () => {
    await using stub = new Stub();
    const member = (n: number) => ({ id: `U${n}`, name: `n${n}` });
    stub.on("users.list", ({ params }) => {
      const start = Number(params["cursor"] ?? 0);
      const size = Number(params["limit"]);
      return page(
        "members",
        Array.from({ length: size }, (_, n) => member(start + n)),
        String(start + size),
      );
    });
    const { names, next } = await list(new Connection(stub.apiUrl), { limit: 1_000_000 });
    expect(names).toHaveLength(500);
    expect(next).toBe("500");
    expect(stub.sent().map(({ params }) => params["limit"])).toEqual(["200", "200", "100"]);
  });

  test.each([1.5, "1.5", "ten", "", true])("of limit %p are refused without a call", async (limit) => {
    const error = await connectionOf(sandbox).failure("ListUsers", { limit });
    expect(error.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(sandbox.calls()).toBe(0);
  });

  test("with an expired cursor ask for a new start", async () => {
    const error = await connectionOf(sandbox).failure("ListUsers", { next_cursor: "bmV4dDo0MDE=" });
    expect(error.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(error.message).toContain("Start again without `next_cursor`");
    expect(sandbox.requests[0]?.params["cursor"]).toBe("bmV4dDo0MDE=");
  });
});

test("a rate limit in the middle returns what was read", async () => {
  await using stub = new Stub().on(
    "users.list",
    page("members", [{ id: "U1", name: "ada" }], "two"),
    throttle("60"),
  );
  expect(await list(new Connection(stub.apiUrl))).toEqual({ names: ["ada"], next: "two" });
});

test("listed people are known by handle and by id", async () => {
  const connection = connectionOf(sandbox);
  await list(connection);
  sandbox.clearRequests();
  await connection.run("GetUsersInfo", { usernames: ["bob"], user_ids: [sandbox.people.carol.id] });
  expect(sandbox.calls()).toBe(0);
});

test("a grant of a whole organization names the workspace", async () => {
  await using organization = await startChatSandbox({ orgInstall: true });
  const { accessToken } = organization.issueToken("alice", ALL_SCOPES);
  const facts = { team_id: organization.team.id, is_enterprise_install: true };
  const connection = new Connection(organization.apiUrl, { token: accessToken, grant: { facts } });
  await list(connection);
  expect(organization.requests[0]?.params["team_id"]).toBe(organization.team.id);

  await list(connectionOf(sandbox));
  expect(sandbox.requests[0]?.params).not.toHaveProperty("team_id");
});
