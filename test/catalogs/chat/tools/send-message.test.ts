// Chat.SendMessage against the stand-in of the platform.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { Value } from "typebox/value";
import { GrantDead, ScopesLost } from "../../../../src/tools";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { ALL_SCOPES, Connection, connectionOf } from "../run";
import { refusal, Stub } from "../stub";

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox({ extraPeople: ["frank", "grace"] });
});
afterAll(() => sandbox.stop());
afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

const alice = (scopes?: readonly string[]): Connection => connectionOf(sandbox, "alice", scopes);
const methods = (): string[] => sandbox.requests.map(({ method }) => method);
const texts = async (channel: string): Promise<string[]> =>
  (await sandbox.messages(channel)).map(({ text }) => text);
/** Where a message went, by the tool's output. */
function channelOf(output: unknown): string {
  if (!Value.Check(SENT, output)) throw new Error("The output names no channel.");
  return output.data.channel;
}
const SENT = Type.Object({ data: Type.Object({ channel: Type.String() }) });
const toGeneral = () => ({ conversation_id: sandbox.channels.general.id });

describe("to whom", () => {
  test("a conversation by its id takes one call", async () => {
    const output = await alice().run("SendMessage", { ...toGeneral(), message: "by id" });
    expect(output).toMatchObject({
      success: true,
      data: { ok: true, channel: sandbox.channels.general.id, message: { text: "by id" } },
    });
    expect(methods()).toEqual(["chat.postMessage"]);
    expect(await texts(sandbox.channels.general.id)).toContain("by id");
  });

  test("a channel by its name takes the listing, and one call once it is known", async () => {
    const connection = alice();
    await connection.run("SendMessage", { channel_name: "#Random", message: "one" });
    const first = ["conversations.list", "conversations.list", "chat.postMessage"];
    expect(methods()).toEqual(first);
    await connection.run("SendMessage", { channel_name: "random", message: "two" });
    expect(methods()).toEqual([...first, "chat.postMessage"]);
  });

  test("a private channel on a later page gets exactly one message", async () => {
    sandbox.fail("conversations.list", { kind: "empty_page" }, 2);
    await alice().run("SendMessage", { channel_name: "secret", message: "psst" });
    const lists = sandbox.requests.filter(({ method }) => method === "conversations.list");
    expect(lists).toHaveLength(3);
    for (const { params } of lists) expect(params["types"]).toBe("private_channel");
    expect(sandbox.calls("chat.postMessage")).toBe(1);
    expect(await texts(sandbox.channels.secret.id)).toEqual(["psst"]);
  });

  test("a person by id takes two calls", async () => {
    const { bob } = sandbox.people;
    const output = await alice().run("SendMessage", { user_ids: [bob.id], message: "hello" });
    expect(methods()).toEqual(["conversations.open", "chat.postMessage"]);
    expect(output).toMatchObject({ data: { channel: expect.stringMatching(/^D/) } });
  });

  test("people by address take a call each and two", async () => {
    const { bob, carol } = sandbox.people;
    await alice().run("SendMessage", { emails: [bob.email, carol.email], message: "hello" });
    expect(methods().toSorted()).toEqual([
      "chat.postMessage",
      "conversations.open",
      "users.lookupByEmail",
      "users.lookupByEmail",
    ]);
  });

  test("people by handle take the listing and two, and two once they are known", async () => {
    const connection = alice();
    const input = { usernames: ["@Bob", "carol"], message: "hello" };
    await connection.run("SendMessage", input);
    expect(methods()).toEqual(["users.list", "conversations.open", "chat.postMessage"]);
    await connection.run("SendMessage", input);
    expect(methods().slice(3)).toEqual(["conversations.open", "chat.postMessage"]);
  });

  test("people have one conversation, whichever way they are given", async () => {
    const { bob, carol, alice: self } = sandbox.people;
    const mixed = await alice().run("SendMessage", {
      user_ids: [bob.id, self.id],
      usernames: ["frank"],
      emails: [carol.email, bob.email],
      message: "one",
    });
    const named = await alice().run("SendMessage", { usernames: ["frank", "bob", "carol"], message: "two" });
    expect(channelOf(named)).toBe(channelOf(mixed));
    expect(await texts(channelOf(mixed))).toEqual(["one", "two"]);
  });

  test("the user themselves gets a note", async () => {
    const output = await alice().run("SendMessage", { usernames: ["alice"], message: "remember" });
    expect(await texts(channelOf(output))).toEqual(["remember"]);
  });

  test("without stored facts, the user's own id is requested at the same time", async () => {
    const { accessToken } = sandbox.issueToken("alice", ALL_SCOPES);
    const connection = new Connection(sandbox.apiUrl, { token: accessToken });
    await connection.run("SendMessage", { user_ids: [sandbox.people.bob.id], message: "hello" });
    expect(methods()).toEqual(["auth.test", "conversations.open", "chat.postMessage"]);
  });
});

describe("input that breaks a rule sends nothing", () => {
  const people = { usernames: ["bob"] };
  test.each<[string, { [key: string]: unknown }]>([
    ["no selector", {}],
    [
      "blank selectors",
      { conversation_id: "", channel_name: " ", user_ids: [], emails: [""], usernames: null },
    ],
    ["id and name", { conversation_id: "C1", channel_name: "general" }],
    ["id and people", { conversation_id: "C1", ...people }],
    ["name and people", { channel_name: "general", ...people }],
    ["a name that is only a sign", { channel_name: " # " }],
    ["an address that is none", { emails: ["bob@sandbox"] }],
    ["ten people", { user_ids: Array.from({ length: 10 }, (_, n) => `U${n}`) }],
    ["nine others", { user_ids: Array.from({ length: 9 }, (_, n) => `U${n}`) }],
    ["no message", { conversation_id: "C1", message: "" }],
    ["a blank message", { conversation_id: "C1", message: " \n\t" }],
    ["a missing message", { conversation_id: "C1", message: null }],
    ["too long a message", { conversation_id: "C1", message: "x".repeat(40_001) }],
  ])("%s", async (_, input) => {
    const error = await alice().failure("SendMessage", { message: "hi", ...input });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", details: { statusCode: 400 } });
    expect(sandbox.calls()).toBe(0);
  });
});

describe("the text", () => {
  test.each([
    "a & b &token=x <@U1> 50% + é\n2",
    "  spaces around stay \r\n",
    "*bold* <!here> &amp; 🎉 \u0000",
  ])("%p arrives unchanged", async (message) => {
    await using stub = new Stub().on("chat.postMessage", { channel: "C1", ts: "1.0", message: {} });
    await new Connection(stub.apiUrl).run("SendMessage", { conversation_id: "C1", message });
    expect(stub.requests[0]?.params).toEqual({ channel: "C1", text: message });
  });

  test("may have 40,000 characters, with any number of code units", async () => {
    await using stub = new Stub().on("chat.postMessage", {});
    const message = "🎉".repeat(40_000);
    await new Connection(stub.apiUrl).run("SendMessage", { conversation_id: "C1", message });
    expect(stub.requests[0]?.params["text"]).toBe(message);
  });

  test("that the platform refuses as too long is neither split nor retried", async () => {
    sandbox.fail("chat.postMessage", { kind: "error", error: "msg_too_long" });
    const error = await alice().failure("SendMessage", { ...toGeneral(), message: "x".repeat(4001) });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", canRetry: false });
    expect(error.message).toContain("40000");
    expect(sandbox.calls("chat.postMessage")).toBe(1);
  });
});

describe("exactly one message", () => {
  const post = (connection = alice()) => ({
    connection,
    input: { ...toGeneral(), message: crypto.randomUUID() },
  });
  const arrived = async (message: string): Promise<number> =>
    (await texts(sandbox.channels.general.id)).filter((text) => text === message).length;

  test("when the connection breaks after it was posted: the outcome is unknown, nothing is sent again", async () => {
    const { connection, input } = post();
    sandbox.fail("chat.postMessage", { kind: "reset_after" });
    const error = await connection.failure("SendMessage", input);
    expect(error).toMatchObject({ canRetry: false, details: { extra: { outcome: "unknown" } } });
    expect(sandbox.calls("chat.postMessage")).toBe(1);
    expect(await arrived(input.message)).toBe(1);
  });

  test.each([
    ["the connection breaks before", { kind: "reset_before" }],
    ["a gateway answers", { kind: "server_error" }],
    ["the answer is empty", { kind: "empty_body" }],
    ["the answer is not JSON", { kind: "not_json" }],
    ["the platform has an internal error", { kind: "error", error: "internal_error" }],
  ] as const)("or none when %s, and no second try", async (_, fault) => {
    const { connection, input } = post();
    sandbox.fail("chat.postMessage", fault);
    const error = await connection.failure("SendMessage", input);
    expect(error).toMatchObject({ canRetry: false, details: { extra: { outcome: "unknown" } } });
    expect(sandbox.calls("chat.postMessage")).toBe(1);
    expect(await arrived(input.message)).toBeLessThanOrEqual(1);
  });

  test("when the platform is slower than the time limit", async () => {
    const { connection, input } = post();
    sandbox.fail("chat.postMessage", { kind: "delay", ms: 5000 });
    const error = await connection.failure("SendMessage", input, { requestMs: 250 });
    expect(error).toMatchObject({
      kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT",
      canRetry: false,
      details: { extra: { outcome: "unknown" } },
    });
    expect(sandbox.calls("chat.postMessage")).toBe(1);
  });

  test.each([
    ["429", { kind: "rate_limit", retryAfter: 2 }],
    ["rate_limited with 200", { kind: "rate_limited_ok" }],
  ] as const)("after a wait when %s came before the work", async (_, fault) => {
    const { connection, input } = post();
    sandbox.fail("chat.postMessage", fault);
    await connection.run("SendMessage", input);
    expect(connection.clock.sleeps).toHaveLength(1);
    expect(await arrived(input.message)).toBe(1);
  });

  test("and none when the token has expired, which the runtime may refresh", async () => {
    const { accessToken } = sandbox.issueToken("alice", ALL_SCOPES);
    sandbox.expireToken(accessToken);
    const { connection, input } = post(new Connection(sandbox.apiUrl, { token: accessToken }));
    const error = await connection.failure("SendMessage", input);
    expect(error).toBeInstanceOf(GrantDead);
    expect(error.details.developerMessage).toBe("token_expired");
    expect(await arrived(input.message)).toBe(0);
  });
});

describe("refusals", () => {
  test("several people without their scope: it is named alone, and nothing is posted", async () => {
    const { bob, carol } = sandbox.people;
    const connection = alice(ALL_SCOPES.filter((scope) => scope !== "mpim:write"));
    const error = await connection.failure("SendMessage", { user_ids: [bob.id, carol.id], message: "hi" });
    if (!(error instanceof ScopesLost)) throw error;
    expect(error.needed).toEqual(["mpim:write"]);
    expect(error.message).toContain("mpim:write");
    expect(error.message).not.toContain("channels:write");
    expect(error.provided).not.toContain("mpim:write");
    expect(sandbox.calls("chat.postMessage")).toBe(0);
  });

  test("one person without the scope", async () => {
    const connection = alice(ALL_SCOPES.filter((scope) => scope !== "im:write"));
    const error = await connection.failure("SendMessage", { usernames: ["bob"], message: "hi" });
    expect(error).toMatchObject({ needed: ["im:write"] });
  });

  test("an archived channel", async () => {
    const conversation_id = sandbox.channels.archived.id;
    const error = await alice().failure("SendMessage", { conversation_id, message: "hi" });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_BAD_REQUEST", details: { statusCode: 403 } });
  });

  test("a channel that the user has not joined", async () => {
    const { accessToken } = sandbox.issueToken("carol", ALL_SCOPES);
    const connection = new Connection(sandbox.apiUrl, { token: accessToken });
    const error = await connection.failure("SendMessage", { channel_name: "random", message: "hi" });
    expect(error.kind).toBe("UPSTREAM_RUNTIME_BAD_REQUEST");
    expect(error.message).toContain("join");
  });

  test("a conversation that does not exist is named", async () => {
    const error = await alice().failure("SendMessage", { conversation_id: "C404404404", message: "hi" });
    expect(error.kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
    expect(error.message).toContain("C404404404");
  });

  test("a deactivated person", async () => {
    const error = await alice().failure("SendMessage", { usernames: ["dave"], message: "hi" });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_BAD_REQUEST", details: { statusCode: 403 } });
  });
});

test("listings name the workspace for a grant of the whole organization, and otherwise do not", async () => {
  await using organization = await startChatSandbox({ orgInstall: true });
  const { accessToken } = organization.issueToken("alice", ALL_SCOPES);
  const facts = {
    user_id: organization.people.alice.id,
    team_id: organization.team.id,
    is_enterprise_install: true,
  };
  const connection = new Connection(organization.apiUrl, { token: accessToken, grant: { facts } });
  await connection.run("SendMessage", { channel_name: "general", message: "hi" });
  await connection.run("SendMessage", { usernames: ["bob"], message: "hi" });
  const lists = organization.requests.filter(({ method }) => method.endsWith(".list"));
  expect(lists.map(({ params }) => params["team_id"])).toEqual(lists.map(() => organization.team.id));

  await alice().run("SendMessage", { channel_name: "general", message: "hi" });
  expect(sandbox.requests[0]?.params).not.toHaveProperty("team_id");
});

test.each<[string, { [key: string]: unknown }]>([
  ["odd fields", { channel: 7, ts: 1512085950.5, message: "text", extra: [1] }],
  ["no fields", {}],
])("a message that was sent is a success, even when the answer has %s", async (_, answer) => {
  await using stub = new Stub().on("chat.postMessage", answer);
  const output = await new Connection(stub.apiUrl).run("SendMessage", {
    conversation_id: "C1",
    message: "hi",
  });
  expect(output).toMatchObject({ success: true, data: { ok: true } });
});

test("the platform's answer is returned whole", async () => {
  const answer = {
    channel: "C1",
    ts: "1.000200",
    message: { text: "a &amp; b", blocks: [{}] },
    warning: "x",
  };
  await using stub = new Stub().on("chat.postMessage", answer);
  const output = await new Connection(stub.apiUrl).run("SendMessage", {
    conversation_id: "C1",
    message: "a & b",
  });
  expect(output).toEqual({ success: true, data: { ok: true, ...answer } });
});

test("a failed lookup posts nothing", async () => {
  await using stub = new Stub().on("users.lookupByEmail", refusal("users_not_found"));
  const grant = { facts: { user_id: "U1" } };
  const connection = new Connection(stub.apiUrl, { grant });
  await connection.failure("SendMessage", { user_ids: ["U2"], emails: ["x@example.com"], message: "hi" });
  expect(stub.requests.map(({ method }) => method)).toEqual(["users.lookupByEmail"]);
});
