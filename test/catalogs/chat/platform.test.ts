// The platform as it is: long messages, mentions, deactivated people, ids of people in place of conversations, types that
// the app may not list, and hidden history. The stand-in's behaviour has its sources beside it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { ScopesLost } from "../../../src/tools";
import { type ChatSandbox, startChatSandbox } from "../../sandbox/chat";
import { SPLIT_AT } from "../../../catalogs/sandbox/chat/behaviour/messages";
import { ALL_SCOPES, Connection, connectionOf } from "./run";
import { page, refusal, Stub } from "./stub";

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox();
});
afterAll(() => sandbox.stop());
afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

const POSTED = { channel: "C1", ts: "1.0", message: {} };

describe("a long message", () => {
  test("that the platform posts as several is warned about", async () => {
    const { id } = sandbox.channels.random;
    const before = (await sandbox.messages(id)).length;
    const output = await connectionOf(sandbox).run("SendMessage", {
      conversation_id: id,
      message: "x".repeat(SPLIT_AT + 1),
    });
    expect(await sandbox.messages(id)).toHaveLength(before + 2);
    expect(output).toMatchObject({
      warnings: [expect.stringContaining("may post it as several messages; `ts` is the id of one of them")],
    });
  });

  test("that fits has no warning", async () => {
    const input = { conversation_id: sandbox.channels.random.id, message: "🎉".repeat(SPLIT_AT) };
    expect(await connectionOf(sandbox).run("SendMessage", input)).not.toHaveProperty("warnings");
  });

  test.each([
    ["warning", { warning: "message_truncated" }],
    ["warnings", { warning: "x", response_metadata: { warnings: ["message_truncated"] } }],
  ])("that the platform has cut, as its %s tell, is reported", async (_, told) => {
    await using stub = new Stub().on("chat.postMessage", { ...POSTED, ...told });
    const output = await new Connection(stub.apiUrl).run("SendMessage", {
      conversation_id: "C1",
      message: "hi",
    });
    expect(output).toMatchObject({ warnings: [expect.stringContaining("has cut the message")] });
  });
});

describe("mentions", () => {
  test.each([
    ["<@ada (id:U2)> hi", "<@U2> hi"],
    ["<@Ada von L. (she) (id:U2)>, <@W3> and <@bob (id:W4)>", "<@U2>, <@W3> and <@W4>"],
    ["<@ada> and (id:U2) stay; a < b (id:U3)>", "<@ada> and (id:U2) stay; a < b (id:U3)>"],
  ])("%p is sent as %p", async (message, text) => {
    await using stub = new Stub().on("chat.postMessage", POSTED);
    await new Connection(stub.apiUrl).run("SendMessage", { conversation_id: "C1", message });
    expect(stub.requests[0]?.params["text"]).toBe(text);
  });

  test("that were read can be sent back", async () => {
    const { bob } = sandbox.people;
    const { id: conversation_id } = sandbox.channels.random;
    await sandbox.addMessage(conversation_id, { text: `<@${bob.id}> hello` });
    const connection = connectionOf(sandbox);
    const read = (await connection.run("GetMessages", { conversation_id, limit: 1 })) as {
      messages: { text: string }[];
    };
    const message = read.messages[0]?.text ?? "";
    expect(message).toBe(`<@bob (id:${bob.id})> hello`);
    await connection.run("SendMessage", { conversation_id, message });
    expect((await sandbox.messages(conversation_id)).at(-1)?.text).toBe(`<@${bob.id}> hello`);
  });
});

describe("a deactivated person", () => {
  const listed = () =>
    new Stub()
      .on("conversations.open", refusal("user_disabled"))
      .on(
        "conversations.list",
        page("channels", [{ id: "D1", is_im: true, user: "U9", is_user_deleted: true }]),
      )
      .on("conversations.history", page("messages", [{ ts: "1.0", text: "still here" }]));
  const connectionTo = (stub: Stub) =>
    new Connection(stub.apiUrl, { grant: { scopes: ALL_SCOPES, facts: { user_id: "U1" } } });

  test("is read from the listing, where the conversation remains", async () => {
    await using stub = listed();
    expect(await connectionTo(stub).run("GetMessages", { user_ids: ["U9"] })).toMatchObject({
      messages: [{ text: "still here" }],
    });
    expect(await connectionTo(stub).run("GetConversationMetadata", { user_ids: ["U9"] })).toMatchObject({
      id: "D1",
      is_user_deleted: true,
    });
  });

  test("without a conversation has no messages", async () => {
    await using stub = listed().on("conversations.list", page("channels", []));
    expect(await connectionTo(stub).run("GetMessages", { user_ids: ["U9"] })).toMatchObject({ messages: [] });
  });

  test("cannot be written to", async () => {
    await using stub = listed();
    const error = await connectionTo(stub).failure("SendMessage", { user_ids: ["U9"], message: "hi" });
    expect(error.message).toContain("deactivated");
  });
});

describe("the id of a person as conversation_id", () => {
  const bob = () => ({ conversation_id: sandbox.people.bob.id });

  test("means the direct conversation, for writing and reading", async () => {
    const connection = connectionOf(sandbox);
    await connection.run("SendMessage", { ...bob(), message: "hello" });
    expect(await connection.run("GetMessages", bob())).toMatchObject({ messages: [{ text: "hello" }] });
    expect(await connection.run("GetConversationMetadata", bob())).toMatchObject({ conversation_type: "im" });
    expect(
      sandbox.requests.find(({ method }) => method === "chat.postMessage")?.params["channel"],
    ).toStartWith("D");
  });

  test("is refused without a call where people cannot be given", async () => {
    const error = await connectionOf(sandbox).failure("GetUsersInConversation", bob());
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE" });
    expect(error.message).toContain("is the id of a person");
    expect(sandbox.calls()).toBe(0);
  });
});

describe("types that the platform refuses", () => {
  const refused = (headers: Record<string, string>) =>
    new Stub().on("users.conversations", () =>
      Response.json({ ok: false, error: "invalid_types" }, { headers }),
    );
  const run = (stub: Stub) =>
    new Connection(stub.apiUrl).failure("ListConversations", { conversation_types: ["mpim"] });

  test("are a missing scope if the token lacks it", async () => {
    await using stub = refused({ "x-oauth-scopes": "channels:read" });
    const error = await run(stub);
    if (!(error instanceof ScopesLost)) throw error;
    expect(error.needed).toEqual(["mpim:read"]);
  });

  test("may be a missing scope of the app", async () => {
    await using stub = refused({});
    expect((await run(stub)).message).toContain("The app may lack a scope");
  });
});

test("messages that the plan of the workspace hides are named as missing", async () => {
  await using stub = new Stub().on("conversations.history", { messages: [], is_limited: true });
  expect(await new Connection(stub.apiUrl).run("GetMessages", { conversation_id: "C1" })).toMatchObject({
    messages: [],
    missing: [{ what: "older messages", reason: expect.stringContaining("90 days") }],
  });
});

describe("several types", () => {
  test("page badly in one listing, so that each is listed by itself", async () => {
    for (let n = 0; n < 45; n++) await sandbox.addChannel(`more-${n}`);
    sandbox.clearRequests();
    await connectionOf(sandbox).run("SendMessage", { channel_name: "more-44", message: "hi" });
    // With both types in one listing: two pages of 24 channels.
    const lists = sandbox.requests.filter(({ method }) => method === "conversations.list");
    expect(lists.map(({ params }) => params["types"])).toEqual(["private_channel", "public_channel"]);
  });
});
