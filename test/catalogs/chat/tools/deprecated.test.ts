// The deprecated tools: each gives what its replacement gives for the input that it stands for.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { connectionOf, shaped, tool } from "../run";

type Input = { [key: string]: unknown };
const NOW = Date.parse("2026-03-08T12:00:00Z");

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox({ now: () => NOW });
  const { bob, carol } = sandbox.people;
  for (const [minutes, text] of [
    [90, "old"],
    [30, "new"],
  ] as const) {
    await sandbox.addMessage(sandbox.channels.random.id, { text, ts: `${NOW / 1000 - minutes * 60}.000000` });
  }
  for (const user_ids of [[bob.id], [bob.id, carol.id]]) {
    await connectionOf(sandbox).run("SendMessage", { user_ids, message: `to ${user_ids.length}` });
  }
});
afterAll(() => sandbox.stop());
beforeEach(() => sandbox.clearRequests());

const random = () => ({ conversation_id: sandbox.channels.random.id });
const userId = () => ({ user_id: sandbox.people.bob.id });
const window = { oldest_relative: "00:01:00" };

/** The deprecated tool with its scopes and no others: readers have none for writing. */
function run(name: string, input: Input): Promise<unknown> {
  const scopes = tool(name).authorization?.scopes ?? [];
  return connectionOf(sandbox, "alice", scopes).run(name, input);
}

describe("returns what its replacement returns", () => {
  test.each<[string, () => Input, string, () => Input]>([
    ["GetMessagesInChannelByName", () => ({ channel_name: "random" }), "GetMessages", random],
    [
      "GetMessagesInChannelByName",
      () => ({ channel_name: "#Random", ...window, limit: 1 }),
      "GetMessages",
      () => ({ ...random(), ...window, limit: 1 }),
    ],
    ["GetMessagesInConversationById", random, "GetMessages", random],
    [
      "GetMessagesInDirectMessageConversationByUsername",
      () => ({ username: "@Bob" }),
      "GetMessages",
      () => ({ usernames: ["bob"] }),
    ],
    [
      "GetMessagesInMultiPersonDmConversationByUsernames",
      () => ({ usernames: ["carol", "bob"] }),
      "GetMessages",
      () => ({ usernames: ["bob", "carol"] }),
    ],
    [
      "ListConversationsMetadata",
      () => ({ conversation_types: "direct_message" }),
      "ListConversations",
      () => ({ conversation_types: ["direct_message"] }),
    ],
    ["ListConversationsMetadata", () => ({}), "ListConversations", () => ({})],
    [
      "ListPublicChannelsMetadata",
      () => ({}),
      "ListConversations",
      () => ({ conversation_types: "public_channel" }),
    ],
    [
      "ListPrivateChannelsMetadata",
      () => ({ limit: 5 }),
      "ListConversations",
      () => ({ conversation_types: "private_channel" }),
    ],
    [
      "ListGroupDirectMessageConversationsMetadata",
      () => ({}),
      "ListConversations",
      () => ({ conversation_types: "mpim" }),
    ],
    [
      "ListDirectMessageConversationsMetadata",
      () => ({}),
      "ListConversations",
      () => ({ conversation_types: "im" }),
    ],
    ["GetConversationMetadataById", random, "GetConversationMetadata", random],
    [
      "GetChannelMetadataByName",
      () => ({ channel_name: "random", next_cursor: "ignored" }),
      "GetConversationMetadata",
      random,
    ],
    [
      "GetDirectMessageConversationMetadataByUsername",
      () => ({ username: "bob", next_cursor: "ignored" }),
      "GetConversationMetadata",
      () => ({ usernames: ["bob"] }),
    ],
  ])("%s", async (name, input, replacement, replacing) => {
    const expected = await connectionOf(sandbox).run(replacement, replacing());
    expect(await run(name, input())).toEqual(expected);
    expect(tool(name).replacement).toBe(`Chat.${replacement}`);
    expect(tool(name).output).toBe(tool(replacement).output);
  });

  test("GetMultiPersonDmConversationMetadataByUsernames", async () => {
    const output = await run("GetMultiPersonDmConversationMetadataByUsernames", {
      usernames: ["bob", "carol"],
      next_cursor: "ignored",
    });
    expect(output).toMatchObject({
      name: "mpdm-alice--bob--carol-1",
      conversation_type: "mpim",
      num_members: 3,
    });
  });
});

describe("has its own result", () => {
  test("GetUserInfoById: the bare person", async () => {
    const { bob } = sandbox.people;
    expect(await run("GetUserInfoById", userId())).toEqual({
      id: bob.id,
      name: "bob",
      is_bot: false,
      email: bob.email,
      display_name: "Bob",
      real_name: "Bob Example",
      timezone: "America/New_York",
    });
  });

  test.each<[string, () => Input]>([
    ["GetMembersInConversationById", random],
    ["GetMembersInChannelByName", () => ({ channel_name: "random" })],
  ])("%s: members for users", async (name, input) => {
    const named = Type.Object({ name: Type.String() });
    const output = shaped(
      Type.Object({ members: Type.Array(named), next_cursor: Type.Null() }),
      await run(name, { ...input(), limit: 50 }),
    );
    expect(output.members.map((member) => member.name)).toEqual(["admin", "alice", "bob"]);
    expect(output).not.toHaveProperty("users");
  });

  test.each<[string, Input]>([
    ["SendDmToUser", { user_name: "bob" }],
    ["SendMessageToChannel", { channel_name: "secret" }],
  ])("%s: one message", async (name, input) => {
    const message = crypto.randomUUID();
    const Sent = Type.Object({ success: Type.Literal(true), data: Type.Object({ channel: Type.String() }) });
    const { data } = shaped(Sent, await run(name, { ...input, message }));
    const arrived = (await sandbox.messages(data.channel)).filter(({ text }) => text === message);
    expect(arrived).toHaveLength(1);
    expect(sandbox.calls("chat.postMessage")).toBe(1);
  });
});

describe("limits", () => {
  const byId = (name: string) => (name.startsWith("List") ? {} : random());

  test.each<[string, string, unknown, string]>([
    ["GetMessagesInConversationById", "conversations.history", undefined, "20"],
    ["GetMessagesInConversationById", "conversations.history", null, "20"],
    ["GetMessagesInConversationById", "conversations.history", 1000, "100"],
    ["GetMessagesInConversationById", "conversations.history", 0, "1"],
    ["GetMembersInConversationById", "conversations.members", undefined, "200"],
    ["GetMembersInConversationById", "conversations.members", null, "200"],
    ["GetMembersInConversationById", "conversations.members", 0, "1"],
    ["ListPublicChannelsMetadata", "users.conversations", undefined, "200"],
    ["ListPublicChannelsMetadata", "users.conversations", null, "200"],
    ["ListPublicChannelsMetadata", "users.conversations", "7", "7"],
    ["ListConversationsMetadata", "users.conversations", -1, "1"],
  ])("%s: %s of limit %p requests %s", async (name, method, limit, asked) => {
    await run(name, { ...byId(name), ...(limit !== undefined && { limit }) });
    const request = sandbox.requests.find((sent) => sent.method === method);
    expect(request?.params["limit"]).toBe(asked);
  });
});

describe("invalid input sends nothing", () => {
  test.each<[string, Input]>([
    ["GetUserInfoById", {}],
    ["GetUserInfoById", { user_id: " " }],
    ["SendDmToUser", { user_name: "", message: "hi" }],
    ["SendDmToUser", { user_name: "bob", message: " " }],
    ["SendMessageToChannel", { channel_name: " ", message: "hi" }],
    ["SendMessageToChannel", { channel_name: "general" }],
    ["GetMembersInConversationById", { conversation_id: "" }],
    ["GetMembersInChannelByName", { channel_name: "" }],
    ["GetMessagesInChannelByName", { channel_name: "" }],
    ["GetMessagesInConversationById", { conversation_id: " " }],
    [
      "GetMessagesInConversationById",
      { conversation_id: "C1", oldest_relative: "01:00:00", oldest_datetime: "2026-03-08 02:30:00" },
    ],
    ["GetMessagesInDirectMessageConversationByUsername", { username: "" }],
    ["GetMessagesInMultiPersonDmConversationByUsernames", { usernames: [] }],
    ["GetMessagesInMultiPersonDmConversationByUsernames", { usernames: ["", " "] }],
    ["GetConversationMetadataById", { conversation_id: "" }],
    ["GetChannelMetadataByName", { channel_name: "" }],
    ["GetDirectMessageConversationMetadataByUsername", { username: null }],
    ["GetMultiPersonDmConversationMetadataByUsernames", { usernames: [""] }],
    ["ListConversationsMetadata", { conversation_types: ["dm"] }],
    ["ListPublicChannelsMetadata", { next_cursor: "x" }],
  ])("%s: %p", async (name, input) => {
    const error = await connectionOf(sandbox).failure(name, input);
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", details: { statusCode: 400 } });
    expect(sandbox.calls()).toBe(0);
  });
});

test("a name that is not found is retryable, as with the replacement", async () => {
  const error = await connectionOf(sandbox).failure("SendDmToUser", { user_name: "bobb", message: "hi" });
  expect(error).toMatchObject({
    kind: "TOOL_RUNTIME_RETRY",
    details: { statusCode: 404, retryAfterMs: 500 },
  });
  expect(error.details.additionalPromptContent).toContain('"bob"');
});

test.each([
  ["SendDmToUser", { user_name: "bobb", message: "hi" }, "`user_name`"],
  ["GetMessagesInDirectMessageConversationByUsername", { username: "bobb" }, "`username`"],
  ["GetDirectMessageConversationMetadataByUsername", { username: "bobb" }, "`username`"],
  ["GetUserInfoById", { user_id: "U0404" }, "`user_id`"],
])("an error of %s names its own parameter", async (name, input, parameter) => {
  const { message, details } = await connectionOf(sandbox).failure(name, input);
  const text = `${message} ${details.additionalPromptContent}`;
  expect(text).toContain(parameter);
  expect(text).not.toMatch(/`user(name|_id)s`/);
});

test("a cursor continues the listing", async () => {
  const Part = Type.Object({
    messages: Type.Array(Type.Object({ text: Type.String() })),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  });
  const first = shaped(Part, await run("GetMessagesInConversationById", { ...random(), limit: 1 }));
  const input = { ...random(), limit: 1, next_cursor: first.next_cursor };
  const second = shaped(Part, await run("GetMessagesInConversationById", input));
  expect([first, second].map(({ messages }) => messages[0]?.text)).toEqual(["new", "old"]);
  expect(second.next_cursor).toBeNull();
});
