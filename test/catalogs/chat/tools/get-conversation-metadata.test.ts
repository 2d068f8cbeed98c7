// Chat.GetConversationMetadata against the stand-in of the platform, and against a scripted one.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { Connection, connectionOf } from "../run";
import { page, refusal, Stub } from "../stub";

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox({ extraPeople: ["frank"] });
  const { bob, carol } = sandbox.people;
  await connectionOf(sandbox).run("SendMessage", { user_ids: [bob.id], message: "hi" });
  await connectionOf(sandbox).run("SendMessage", { user_ids: [bob.id, carol.id], message: "hi" });
});
afterAll(() => sandbox.stop());
beforeEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

const NAME = "GetConversationMetadata";
const methods = (): string[] => sandbox.requests.map(({ method }) => method);
const random = () => ({
  id: sandbox.channels.random.id,
  name: "random",
  conversation_type: "public_channel",
  is_private: false,
  is_archived: false,
  is_member: true,
  purpose: expect.any(String),
  num_members: 3,
});

describe("by id", () => {
  test("takes one call", async () => {
    const conversation_id = sandbox.channels.random.id;
    expect(await connectionOf(sandbox).run(NAME, { conversation_id })).toEqual(random());
    expect(sandbox.requests).toMatchObject([
      { method: "conversations.info", params: { channel: conversation_id, include_num_members: "true" } },
    ]);
  });

  test("shows that the user is not a member, or that it is archived", async () => {
    const { random: other, archived } = sandbox.channels;
    const carol = connectionOf(sandbox, "carol");
    expect(await carol.run(NAME, { conversation_id: other.id })).toMatchObject({ is_member: false });
    expect(await connectionOf(sandbox).run(NAME, { conversation_id: archived.id })).toMatchObject({
      is_archived: true,
    });
  });

  test("names a missing one", async () => {
    const error = await connectionOf(sandbox).failure(NAME, { conversation_id: "C404404404" });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_NOT_FOUND", details: { statusCode: 404 } });
    expect(error.message).toContain("C404404404");
  });
});

describe("by the channel's name", () => {
  test("takes only the listing, which has everything; once cached, one call", async () => {
    const connection = connectionOf(sandbox);
    expect(await connection.run(NAME, { channel_name: "#Random" })).toEqual(random());
    expect(methods()).toEqual(["conversations.list", "conversations.list"]);
    expect(await connection.run(NAME, { channel_name: "random" })).toEqual(random());
    expect(methods()).toEqual(["conversations.list", "conversations.list", "conversations.info"]);
  });

  test("that is cached and gone is looked up again", async () => {
    await using stub = new Stub().on(
      "conversations.list",
      page("channels", [{ id: "COLD", name: "one", is_channel: true }]),
      page("channels", [{ id: "CNEW", name: "one", is_channel: true }]),
    );
    stub.on("conversations.info", refusal("channel_not_found"));
    const connection = new Connection(stub.apiUrl);
    expect(await connection.run(NAME, { channel_name: "one" })).toMatchObject({ id: "COLD" });
    expect(await connection.run(NAME, { channel_name: "one" })).toMatchObject({ id: "CNEW" });
    expect(stub.calls()).toBe(3);
  });

  test("that is an id takes one call", async () => {
    const channel_name = sandbox.channels.random.id;
    expect(await connectionOf(sandbox).run(NAME, { channel_name })).toEqual(random());
    expect(methods()).toEqual(["conversations.info"]);
  });

  test("suggests the closest names for a missing one", async () => {
    const error = await connectionOf(sandbox).failure(NAME, { channel_name: "randon" });
    expect(error).toMatchObject({
      kind: "TOOL_RUNTIME_RETRY",
      details: { statusCode: 404, retryAfterMs: 500 },
    });
    expect(error.details.additionalPromptContent).toContain(
      `[{"id":"${sandbox.channels.random.id}","name":"random"}`,
    );
  });
});

describe("by people", () => {
  test("one of them takes one call", async () => {
    const { bob } = sandbox.people;
    expect(await connectionOf(sandbox).run(NAME, { user_ids: [bob.id] })).toEqual({
      id: expect.stringMatching(/^D/),
      name: null,
      conversation_type: "im",
      is_private: true,
      is_archived: false,
      is_member: true,
      purpose: "",
      num_members: 2,
      user: bob.id,
      is_user_deleted: false,
    });
    expect(methods()).toEqual(["conversations.open"]);
  });

  test("several take one call, and are counted by the name", async () => {
    const { bob, carol } = sandbox.people;
    const output = await connectionOf(sandbox).run(NAME, { user_ids: [bob.id, carol.id] });
    expect(output).toMatchObject({
      name: "mpdm-alice--bob--carol-1",
      conversation_type: "mpim",
      num_members: 3,
      purpose: "Group messaging with: @alice @bob @carol",
    });
    expect(methods()).toEqual(["conversations.open"]);
  });

  test("have the same result in all ways", async () => {
    const { bob, carol } = sandbox.people;
    const byId = await connectionOf(sandbox).run(NAME, { user_ids: [bob.id, carol.id] });
    const mixed = { usernames: ["Bob"], emails: [carol.email] };
    expect(await connectionOf(sandbox).run(NAME, mixed)).toEqual(byId);
  });

  test("without a conversation are not found, and none is created", async () => {
    const look = () => connectionOf(sandbox).failure(NAME, { usernames: ["frank"] });
    const error = await look();
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_NOT_FOUND", details: { statusCode: 404 } });
    expect(error.message).toContain("no conversation with these people yet");
    expect((await look()).message).toBe(error.message);
    const bobs = connectionOf(sandbox, "bob");
    expect(await bobs.run("ListConversations", { conversation_types: "im" })).toMatchObject({
      conversations: [{ user: sandbox.people.alice.id }],
    });
  });

  test("whose record is only an id takes one more call", async () => {
    await using stub = new Stub()
      .on("conversations.open", { channel: { id: "G1" } })
      .on("conversations.info", { channel: { id: "G1", is_mpim: true, name: "mpdm-a--b--c-1" } });
    const grant = { facts: { user_id: "U1" }, scopes: ["mpim:write"] };
    const connection = new Connection(stub.apiUrl, { grant });
    expect(await connection.run(NAME, { user_ids: ["U2", "U3"] })).toMatchObject({ num_members: 3 });
    expect(stub.calls()).toBe(2);
  });
});

test.each<[string, { [key: string]: unknown }]>([
  ["no selector", {}],
  ["id and name", { conversation_id: "C1", channel_name: "general" }],
  ["id and people", { conversation_id: "C1", user_ids: ["U1"] }],
  ["name and people", { channel_name: "general", usernames: ["bob"] }],
])("%s is refused without a call", async (_, input) => {
  const error = await connectionOf(sandbox).failure(NAME, input);
  expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", details: { statusCode: 400 } });
  expect(sandbox.calls()).toBe(0);
});

test("an answer without a conversation is a failure of the platform", async () => {
  await using stub = new Stub().on("conversations.info", {});
  const error = await new Connection(stub.apiUrl).failure(NAME, { conversation_id: "C1" });
  expect(error.kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
});
