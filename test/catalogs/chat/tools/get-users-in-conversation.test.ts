// Chat.GetUsersInConversation: who is in it, bots and strangers, and pages by the members' own cursor.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { BasicUser } from "../../../../catalogs/chat/records/user";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { Connection, connectionOf, shaped } from "../run";
import { page, refusal, Stub, throttle } from "../stub";

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

async function list(connection: Connection, input: { [key: string]: unknown }) {
  const output = shaped(LISTED, await connection.run("GetUsersInConversation", input));
  return { names: output.users.map(({ name }) => name), next: output.next_cursor };
}

const general = () => ({ conversation_id: sandbox.channels.general.id });
const methods = (): string[] => sandbox.requests.map(({ method }) => method);
const sorted = (names: (string | null)[]) => names.toSorted();

describe("who is in it", () => {
  test("by id takes one call and one for each person, and one once they are known", async () => {
    const connection = connectionOf(sandbox);
    const { names } = await list(connection, { conversation_id: sandbox.channels.random.id });
    expect(names).toEqual(["admin", "alice", "bob"]);
    expect(methods()).toEqual(["conversations.members", "users.info", "users.info", "users.info"]);
    await list(connection, { conversation_id: sandbox.channels.random.id });
    expect(methods().slice(4)).toEqual(["conversations.members"]);
  });

  test("by the channel's name takes the listing first", async () => {
    const { names } = await list(connectionOf(sandbox), { channel_name: "#Secret" });
    expect(sorted(names)).toEqual(["alice", "bob"]);
    expect(methods().slice(0, 2)).toEqual(["conversations.list", "conversations.members"]);
  });

  test("are returned with all fields, without bots", async () => {
    const { users } = shaped(LISTED, await connectionOf(sandbox).run("GetUsersInConversation", general()));
    const { bob } = sandbox.people;
    expect(users.find(({ id }) => id === bob.id)).toEqual({
      id: bob.id,
      name: "bob",
      is_bot: false,
      email: bob.email,
      display_name: "Bob",
      real_name: "Bob Example",
      timezone: "America/New_York",
    });
    expect(sorted(users.map(({ name }) => name))).toEqual([
      "admin",
      "alice",
      "bob",
      "carol",
      "frank",
      "grace",
    ]);
    expect(sandbox.requests.some(({ params }) => params["user"] === sandbox.people.robot.id)).toBe(true);
  });

  test("may be people of another organization, by their profile", async () => {
    const { users } = shaped(
      LISTED,
      await connectionOf(sandbox).run("GetUsersInConversation", { channel_name: "partners" }),
    );
    expect(users.find(({ id }) => id === sandbox.people.erin.id)).toMatchObject({
      real_name: "Erin Example",
      email: null,
    });
  });

  test("may be a person whom the platform does not show: only the id is returned", async () => {
    await using stub = new Stub()
      .on("conversations.members", { members: ["U1", "U2", "U3"] })
      .on("users.info", ({ params }) =>
        params["user"] === "U2" ? refusal("user_not_visible") : { user: { id: params["user"], name: "ada" } },
      );
    expect(
      await new Connection(stub.apiUrl).run("GetUsersInConversation", { conversation_id: "C1" }),
    ).toMatchObject({
      users: [
        { id: "U1", name: "ada" },
        {
          id: "U2",
          name: null,
          is_bot: null,
          email: null,
          display_name: null,
          real_name: null,
          timezone: null,
        },
        { id: "U3", name: "ada" },
      ],
    });
  });
});

test.each<[string, { [key: string]: unknown }]>([
  ["nothing", {}],
  ["blank texts", { conversation_id: " ", channel_name: "" }],
  ["id and name", { conversation_id: "C1", channel_name: "general" }],
  ["a name that is only a sign", { channel_name: "#" }],
  ["people", { usernames: ["bob"] }],
])("%s is refused without a call", async (_, input) => {
  const error = await connectionOf(sandbox).failure("GetUsersInConversation", input);
  expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", details: { statusCode: 400 } });
  expect(sandbox.calls()).toBe(0);
});

test("the error contains the rule", async () => {
  const error = await connectionOf(sandbox).failure("GetUsersInConversation", {
    conversation_id: "C1",
    channel_name: "general",
  });
  expect(error.message).toContain("exactly one of `conversation_id` and `channel_name`");
});

describe("pages", () => {
  test("are limited by members: bots count, though they are left out", async () => {
    const connection = connectionOf(sandbox);
    const names: (string | null)[] = [];
    let parts = 0;
    for (let cursor: string | null = ""; cursor !== null; parts++) {
      const part = await list(connection, { ...general(), limit: 2, next_cursor: cursor });
      names.push(...part.names);
      cursor = part.next;
    }
    expect(sorted(names)).toEqual(["admin", "alice", "bob", "carol", "frank", "grace"]);
    expect(parts).toBe(4);
  });

  test("that are short or empty do not end the listing", async () => {
    sandbox.fail("conversations.members", { kind: "empty_page" });
    sandbox.fail("conversations.members", { kind: "short_page", items: 1 });
    const { names, next } = await list(connectionOf(sandbox), general());
    expect(names).toHaveLength(6);
    expect(next).toBeNull();
    expect(sandbox.calls("conversations.members")).toBe(3);
  });

  test("hold 200 members, and 500 at most, in parts of 200, if the workspace's people are few", async () => {
    const people = Array.from({ length: 700 }, (_, n) => ({ id: `U${n}`, name: `n${n}` }));
    await using stub = new Stub()
      .on("users.list", page("members", people))
      .on("users.info", ({ params }) => ({ user: { id: params["user"] } }));
    stub.on("conversations.members", ({ params }) => {
      const start = Number(params["cursor"] ?? 0);
      const size = Number(params["limit"]);
      const members = Array.from({ length: size }, (_, n) => `U${start + n}`);
      return { members, response_metadata: { next_cursor: String(start + size) } };
    });
    const limits = () => stub.sent("conversations.members").map(({ params }) => params["limit"]);
    await list(new Connection(stub.apiUrl), { conversation_id: "C1" });
    expect(limits()).toEqual(["200"]);
    const { names, next } = await list(new Connection(stub.apiUrl), { conversation_id: "C1", limit: 900 });
    expect(names).toHaveLength(500);
    expect(next).toBe("500");
    expect(limits().slice(1)).toEqual(["200", "200", "100"]);
  });

  test("have at most 50 people who take a call each; the next part begins after them", async () => {
    const all = Array.from({ length: 120 }, (_, n) => `U${n}`);
    await using stub = new Stub()
      .on("users.list", refusal("something_new"))
      .on("users.info", ({ params }) => ({ user: { id: params["user"], name: "n" } }));
    stub.on("conversations.members", ({ params }) => {
      const start = Number(params["cursor"] ?? 0);
      const end = Math.min(start + Number(params["limit"]), all.length);
      const next_cursor = end === all.length ? "" : String(end);
      return { members: all.slice(start, end), response_metadata: { next_cursor } };
    });
    const parts: string[][] = [];
    for (let next_cursor: unknown = ""; next_cursor !== null;) {
      // Another connection each time, so that nothing is cached.
      const input = { conversation_id: "C1", next_cursor, limit: parts.length === 1 ? 30 : 200 };
      const part = (await new Connection(stub.apiUrl).run("GetUsersInConversation", input)) as {
        users: { id: string }[];
        next_cursor: unknown;
      };
      parts.push(part.users.map(({ id }) => id));
      next_cursor = part.next_cursor;
    }
    expect(parts.map((part) => part.length)).toEqual([50, 30, 40]);
    expect(parts.flat()).toEqual(all);
  });

  test("keep a person whose look-up fails, and say what is missing", async () => {
    await using stub = new Stub()
      .on("conversations.members", { members: ["U1", "U2"] })
      .on("users.info", ({ params }) =>
        params["user"] === "U2"
          ? new Response("<html>", { status: 500 })
          : { user: { id: "U1", name: "ada" } },
      );
    expect(
      await new Connection(stub.apiUrl).run("GetUsersInConversation", { conversation_id: "C1" }),
    ).toMatchObject({
      users: [
        { id: "U1", name: "ada" },
        { id: "U2", name: null },
      ],
      next_cursor: null,
      missing: [{ what: "the profiles of U2", reason: expect.stringContaining("Call Chat.GetUsersInfo") }],
    });
  });

  test("have only ids, and say when to ask for the names, if the rate limit allows none", async () => {
    await using stub = new Stub()
      .on("conversations.members", { members: ["U1"] })
      .on("users.info", throttle("60"));
    expect(
      await new Connection(stub.apiUrl).run("GetUsersInConversation", { conversation_id: "C1" }),
    ).toMatchObject({
      users: [{ id: "U1", name: null }],
      missing: [
        {
          what: "the profiles of U1",
          reason: "The platform's rate limit is reached. Call Chat.GetUsersInfo with these ids in 60 s.",
        },
      ],
    });
  });

  test("end before a page whose people hit a rate limit, and no person is lost", async () => {
    await using stub = new Stub()
      .on(
        "conversations.members",
        { members: ["U1"], response_metadata: { next_cursor: "two" } },
        { members: ["U2", "U3", "U4", "U5"] },
      )
      .on("users.info", { user: { id: "U1" } }, throttle("60"));
    const connection = new Connection(stub.apiUrl);
    const output = await connection.run("GetUsersInConversation", { conversation_id: "C1" });
    expect(output).toMatchObject({ users: [{ id: "U1" }], next_cursor: "two" });

    connection.clock.move(60_000);
    stub.on("users.info", ({ params }) => ({ user: { id: params["user"] } }));
    const rest = await connection.run("GetUsersInConversation", {
      conversation_id: "C1",
      next_cursor: "two",
    });
    expect(rest).toMatchObject({ users: [{ id: "U2" }, { id: "U3" }, { id: "U4" }, { id: "U5" }] });
  });

  test("end before a person who hits a rate limit; the next part continues from there", async () => {
    const members = ["U1", "U2", "U3", "U4", "U5", "U6"];
    await using stub = new Stub().on("conversations.members", { members });
    let answers = 0;
    stub.on("users.info", ({ params }) =>
      ++answers <= 3 ? { user: { id: params["user"] } } : throttle("60"),
    );
    const connection = new Connection(stub.apiUrl);
    const input = { conversation_id: "C1" };
    const first = await connection.run("GetUsersInConversation", input);
    expect(first).toMatchObject({ users: members.slice(0, 3).map((id) => ({ id })), next_cursor: "3~" });

    connection.clock.move(60_000);
    stub.on("users.info", ({ params }) => ({ user: { id: params["user"] } }));
    expect(await connection.run("GetUsersInConversation", { ...input, next_cursor: "3~" })).toMatchObject({
      users: members.slice(3).map((id) => ({ id })),
      next_cursor: null,
    });
    expect(stub.calls("users.info")).toBeLessThanOrEqual(9);
  });
});

describe("a conversation that cannot be read", () => {
  test("is named", async () => {
    const error = await connectionOf(sandbox).failure("GetUsersInConversation", {
      conversation_id: "C404404404",
    });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_NOT_FOUND", details: { statusCode: 404 } });
    expect(error.message).toContain("C404404404");
  });

  test("may be a private one of others", async () => {
    const error = await connectionOf(sandbox, "carol").failure("GetUsersInConversation", {
      conversation_id: sandbox.channels.secret.id,
    });
    expect(error.kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
  });

  test("of a direct message without its scope names that one", async () => {
    await using stub = new Stub().on(
      "conversations.members",
      refusal("missing_scope", {
        needed: "channels:read,groups:read,mpim:read,im:read",
        provided: "mpim:read",
      }),
    );
    const error = await new Connection(stub.apiUrl).failure("GetUsersInConversation", {
      conversation_id: "D1",
    });
    expect(error).toMatchObject({ needed: ["im:read"] });
  });
});
