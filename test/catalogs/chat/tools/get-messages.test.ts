// Chat.GetMessages against the stand-in of the platform: selectors, shapes, windows, pages.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { ALL_SCOPES, Connection, connectionOf, shaped } from "../run";
import { page, refusal, Stub, throttle } from "../stub";

/** The clock of connections starts here, and the stand-in's stands still here. */
const NOW = Date.parse("2026-03-08T12:00:00Z");
const at = (secondsAgo: number): string => `${NOW / 1000 - secondsAgo}.000000`;

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox({ now: () => NOW, extraPeople: ["frank"] });
});
afterAll(() => sandbox.stop());
beforeEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

const READ = Type.Object({
  messages: Type.Array(Type.Object({}, { additionalProperties: true })),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});
const TEXTS = Type.Object({ messages: Type.Array(Type.Object({ text: Type.String() })) });

async function read(connection: Connection, input: { [key: string]: unknown }) {
  return shaped(READ, await connection.run("GetMessages", input));
}
async function texts(
  input: { [key: string]: unknown },
  connection = connectionOf(sandbox),
): Promise<string[]> {
  return shaped(TEXTS, await connection.run("GetMessages", input)).messages.map(({ text }) => text);
}
const methods = (): string[] => sandbox.requests.map(({ method }) => method);
const historySent = () => sandbox.requests.find(({ method }) => method === "conversations.history")?.params;

describe("where", () => {
  test("by id takes one call and one for each person, and one once they are known", async () => {
    const { id: conversation_id } = await sandbox.addChannel("by-id", { members: ["alice", "bob"] });
    await sandbox.addMessage(conversation_id, { text: "first", user: "alice" });
    await sandbox.addMessage(conversation_id, { text: "second", user: "bob" });
    const connection = connectionOf(sandbox);
    expect(await texts({ conversation_id }, connection)).toEqual(["second", "first"]);
    expect(methods()).toEqual(["conversations.history", "users.info", "users.info"]);
    await texts({ conversation_id }, connection);
    expect(methods().slice(3)).toEqual(["conversations.history"]);
    expect(historySent()).toEqual({ channel: conversation_id, limit: "20" });
  });

  test("by the channel's name takes the listing first", async () => {
    await sandbox.addMessage(sandbox.channels.secret.id, { text: "psst" });
    expect(await texts({ channel_name: "#secret" })).toEqual(["psst"]);
    expect(methods()).toEqual(["conversations.list", "conversations.history", "users.info"]);
  });

  test("by people, in all ways, is their direct conversation", async () => {
    const { bob, carol } = sandbox.people;
    const people = { user_ids: [bob.id], emails: [carol.email] };
    await connectionOf(sandbox).run("SendMessage", { ...people, message: "to both" });
    await connectionOf(sandbox).run("SendMessage", { usernames: ["bob"], message: "to bob" });
    expect(await texts(people)).toEqual(["to both"]);
    expect(await texts({ usernames: ["carol", "@Bob"] })).toEqual(["to both"]);
    expect(await texts({ user_ids: [bob.id] })).toEqual(["to bob"]);
  });

  test("by people without a conversation is empty, and creates none", async () => {
    const connection = connectionOf(sandbox, "carol");
    const input = { usernames: ["frank"] };
    expect(await read(connection, input)).toEqual({ messages: [], next_cursor: null });
    expect(sandbox.requests.at(-1)).toMatchObject({
      method: "conversations.open",
      params: { prevent_creation: "true" },
    });
    expect(await read(connection, input)).toEqual({ messages: [], next_cursor: null });
    const listed = await connection.run("ListConversations", { conversation_types: "im" });
    expect(listed).toMatchObject({ conversations: [] });
  });
});

describe("input that breaks a rule sends nothing", () => {
  const general = { conversation_id: "C1" };
  test.each<[string, { [key: string]: unknown }, string]>([
    ["no selector", {}, "BAD_INPUT_VALUE"],
    [
      "blank selectors",
      { conversation_id: "", user_ids: [], usernames: [" "], emails: null },
      "BAD_INPUT_VALUE",
    ],
    ["id and name", { ...general, channel_name: "general" }, "BAD_INPUT_VALUE"],
    ["id and people", { ...general, usernames: ["bob"] }, "BAD_INPUT_VALUE"],
    ["name and people", { channel_name: "general", emails: ["bob@sandbox.example"] }, "BAD_INPUT_VALUE"],
    ["an address that is none", { emails: ["bob"] }, "BAD_INPUT_VALUE"],
    ["nine others", { user_ids: Array.from({ length: 9 }, (_, n) => `U${n}`) }, "BAD_INPUT_VALUE"],
    [
      "both oldest forms",
      { ...general, oldest_relative: "01:00:00", oldest_datetime: "2026-03-08 02:30:00" },
      "BAD_INPUT_VALUE",
    ],
    [
      "both latest forms",
      { ...general, latest_relative: "01:00:00", latest_datetime: "2026-03-08 02:30:00" },
      "BAD_INPUT_VALUE",
    ],
    [
      "an oldest bound after the latest",
      { ...general, oldest_relative: "00:01:00", latest_relative: "00:02:00" },
      "BAD_INPUT_VALUE",
    ],
    ["two parts for three", { ...general, oldest_relative: "1:2" }, "RETRY"],
    ["a sign", { ...general, oldest_relative: "-1:00:00" }, "RETRY"],
    ["an impossible date", { ...general, latest_datetime: "2026-02-30 00:00:00" }, "RETRY"],
    ["a fraction of a message", { ...general, limit: 2.5 }, "BAD_INPUT_VALUE"],
  ])("%s", async (_, input, kind) => {
    const error = await connectionOf(sandbox).failure("GetMessages", input);
    expect(error).toMatchObject({ kind: `TOOL_RUNTIME_${kind}`, details: { statusCode: 400 } });
    expect(sandbox.calls()).toBe(0);
  });
});

describe("messages", () => {
  test("of every shape are returned whole, with names and times", async () => {
    const { id: conversation_id } = await sandbox.addChannel("shapes", { members: ["alice", "bob"] });
    const { alice, bob } = sandbox.people;
    const blocks = [{ type: "divider" }];
    const files = [{ id: "F1", name: "a.pdf" }];
    const reactions = [{ name: "tada", count: 1, users: [bob.id] }];
    await sandbox.addMessage(conversation_id, { ts: at(30), user: null, fields: { blocks, bot_id: "B1" } });
    await sandbox.addMessage(conversation_id, { ts: at(20), user: "bob", fields: { files } });
    await sandbox.addMessage(conversation_id, {
      ts: at(10),
      text: `<@${bob.id}> a &amp; b`,
      fields: { reactions },
    });
    const { messages } = await read(connectionOf(sandbox), { conversation_id });
    expect(messages).toEqual([
      {
        type: "message",
        ts: at(10),
        datetime_timestamp: "2026-03-08 11:59:50",
        user: { id: alice.id, name: "alice" },
        text: `<@bob (id:${bob.id})> a &amp; b`,
        reactions: [{ name: "tada", count: 1, users: [{ id: bob.id, name: "bob" }] }],
      },
      {
        type: "message",
        ts: at(20),
        datetime_timestamp: "2026-03-08 11:59:40",
        user: { id: bob.id, name: "bob" },
        text: "",
        files,
      },
      {
        type: "message",
        ts: at(30),
        datetime_timestamp: "2026-03-08 11:59:30",
        text: "",
        blocks,
        bot_id: "B1",
      },
    ]);
  });

  test("contain no replies in threads", async () => {
    const { id: conversation_id } = await sandbox.addChannel("threads");
    const thread_ts = await sandbox.addMessage(conversation_id, { text: "parent" });
    await sandbox.addMessage(conversation_id, { text: "reply", fields: { thread_ts } });
    expect(await texts({ conversation_id })).toEqual(["parent"]);
  });

  test("have no names if people may not be looked up", async () => {
    const { id: conversation_id } = await sandbox.addChannel("nameless");
    await sandbox.addMessage(conversation_id, { text: "hi" });
    const connection = connectionOf(sandbox, "alice", ["channels:history"]);
    const { messages } = await read(connection, { conversation_id });
    expect(messages).toMatchObject([{ user: { id: sandbox.people.alice.id, name: null } }]);
  });
});

describe("windows", () => {
  let conversation_id: string;
  beforeAll(async () => {
    conversation_id = (await sandbox.addChannel("timeline")).id;
    for (const minutes of [0, 10, 60, 120, 1440]) {
      await sandbox.addMessage(conversation_id, { text: String(minutes), ts: at(minutes * 60) });
    }
  });

  test.each<[string, { [key: string]: unknown }, string[]]>([
    ["no filter: all", {}, ["0", "10", "60", "120", "1440"]],
    ["only an oldest bound: from it up to now", { oldest_relative: "00:01:00" }, ["0", "10", "60"]],
    ["… absolute", { oldest_datetime: "2026-03-08 11:00:00" }, ["0", "10", "60"]],
    [
      "only latest_datetime: from the beginning",
      { latest_datetime: "2026-03-08 11:00:00" },
      ["60", "120", "1440"],
    ],
    ["only latest_relative: from then up to now", { latest_relative: "00:01:00" }, ["0", "10", "60"]],
    ["both bounds", { oldest_relative: "00:02:00", latest_relative: "00:00:10" }, ["10", "60", "120"]],
    ["mixed", { oldest_relative: "01:00:00", latest_datetime: "2026-03-08 10:30:00" }, ["120", "1440"]],
    ["blank filters: all", { oldest_relative: "", latest_datetime: null }, ["0", "10", "60", "120", "1440"]],
  ])("%s", async (_, filters, expected) => {
    expect(await texts({ conversation_id, ...filters })).toEqual(expected);
  });

  test("a part of a window has its newest messages, and paging goes backwards", async () => {
    const connection = connectionOf(sandbox);
    const filters = { conversation_id, oldest_relative: "00:02:00", limit: 2 };
    const first = await read(connection, filters);
    expect(first.messages).toMatchObject([{ text: "0" }, { text: "10" }]);
    const second = await read(connection, { ...filters, next_cursor: first.next_cursor });
    expect(second.messages).toMatchObject([{ text: "60" }, { text: "120" }]);
    expect(second.next_cursor).toBeNull();
  });

  test("are sent in seconds, bounds included", async () => {
    await texts({ conversation_id, oldest_datetime: "2026-03-08 02:30:00" });
    expect(historySent()).toEqual({
      channel: conversation_id,
      limit: "20",
      oldest: "1772937000",
      latest: "1772971200",
      inclusive: "true",
    });
  });
});

describe("pages", () => {
  test.each([
    [undefined, "20"],
    [null, "20"],
    [0, "1"],
    [-3, "1"],
    ["15", "15"],
    [100, "100"],
    [101, "100"],
  ])("of limit %p request %s", async (limit, asked) => {
    await texts({ conversation_id: sandbox.channels.general.id, ...(limit !== undefined && { limit }) });
    expect(historySent()?.["limit"]).toBe(asked);
  });

  test("that are short are returned as they are, because further requests may use up the rate limit", async () => {
    await using stub = new Stub().on("conversations.history", page("messages", [{ text: "one" }], "two=="));
    const output = await read(new Connection(stub.apiUrl), { conversation_id: "C1", limit: 100 });
    expect(output).toMatchObject({ messages: [{ text: "one" }], next_cursor: "two==" });
    expect(stub.calls()).toBe(1);
    await read(new Connection(stub.apiUrl), { conversation_id: "C1", next_cursor: "two==" });
    expect(stub.sent()[1]?.params["cursor"]).toBe("two==");
  });

  test("with a repeated cursor are the end", async () => {
    await using stub = new Stub().on("conversations.history", page("messages", [], "two"));
    const output = await read(new Connection(stub.apiUrl), { conversation_id: "C1", next_cursor: "two" });
    expect(output.next_cursor).toBeNull();
  });

  test("with an expired cursor ask for a new start", async () => {
    const error = await connectionOf(sandbox).failure("GetMessages", {
      conversation_id: sandbox.channels.general.id,
      next_cursor: "bmV4dDo0MDE=",
    });
    expect(error.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(error.message).toContain("Start again without `next_cursor`");
  });

  test("that hit a rate limit wait for it once", async () => {
    await using stub = new Stub().on(
      "conversations.history",
      throttle("2"),
      page("messages", [{ text: "one" }]),
    );
    const connection = new Connection(stub.apiUrl);
    await read(connection, { conversation_id: "C1" });
    expect(connection.clock.sleeps).toEqual([2000]);
  });

  test("that hit one of a minute fail at once with the time to wait", async () => {
    await using stub = new Stub().on("conversations.history", throttle("60"));
    const error = await new Connection(stub.apiUrl).failure("GetMessages", { conversation_id: "C1" });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", details: { retryAfterMs: 60_000 } });
    expect(stub.calls()).toBe(1);
  });
});

describe("a conversation that cannot be read", () => {
  test("is named", async () => {
    const error = await connectionOf(sandbox).failure("GetMessages", { conversation_id: "C404404404" });
    expect(error.kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
    expect(error.message).toContain("C404404404");
  });

  test("of a missing person names the person", async () => {
    const error = await connectionOf(sandbox).failure("GetMessages", { usernames: ["bob", "zoe"] });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", details: { statusCode: 404 } });
    expect(error.message).toContain("zoe");
  });

  test("without a scope names that scope", async () => {
    const connection = connectionOf(
      sandbox,
      "alice",
      ALL_SCOPES.filter((scope) => scope !== "groups:history"),
    );
    const error = await connection.failure("GetMessages", { conversation_id: sandbox.channels.secret.id });
    expect(error).toMatchObject({ needed: ["groups:history"] });
  });

  test("by a cached name is looked up once more", async () => {
    await using stub = new Stub()
      .on("conversations.list", page("channels", [{ id: "COLD", name: "one", is_channel: true }]))
      .on("conversations.history", page("messages", []));
    const connection = new Connection(stub.apiUrl);
    await read(connection, { channel_name: "one" });
    stub
      .on("conversations.list", page("channels", [{ id: "CNEW", name: "one", is_channel: true }]))
      .on("conversations.history", refusal("channel_not_found"), page("messages", []));
    await read(connection, { channel_name: "one" });
    expect(stub.sent("conversations.history").map(({ params }) => params["channel"])).toEqual([
      "COLD",
      "COLD",
      "CNEW",
    ]);
  });
});
