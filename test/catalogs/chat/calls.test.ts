// What each tool costs in calls: for a connection that knows nothing yet, and once more with the same input.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChatSandbox, startChatSandbox } from "../../sandbox/chat";
import { Connection, connectionOf } from "./run";

let sandbox: ChatSandbox;
let channel: string;
beforeAll(async () => {
  sandbox = await startChatSandbox();
  channel = (await sandbox.addChannel("busy", { members: ["alice", "bob", "carol"] })).id;
  for (const user of ["alice", "bob", "carol", "alice"])
    await sandbox.addMessage(channel, { user, text: "hi" });
  const { bob, carol } = sandbox.people;
  for (const user_ids of [[bob.id], [bob.id, carol.id]]) {
    await connectionOf(sandbox).run("SendMessage", { user_ids, message: "hi" });
  }
});
afterAll(() => sandbox.stop());

/** The methods that a run calls, without order, with their number when it is not 1. */
async function callsOf(
  connection: Connection,
  name: string,
  input: { [key: string]: unknown },
): Promise<string> {
  sandbox.clearRequests();
  await connection.run(name, input);
  const counts = Map.groupBy(sandbox.requests, ({ method }) => method);
  return [...counts]
    .map(([method, { length }]) => (length === 1 ? method : `${length} ${method}`))
    .toSorted()
    .join(", ");
}

const bob = () => sandbox.people.bob;
const carol = () => sandbox.people.carol;
const message = "hi";
const people = "3 users.info";

test.each<[tool: string, how: string, () => { [key: string]: unknown }, cold: string, warm: string]>([
  ["WhoAmI", "", () => ({}), "users.info", "users.info"],
  ["GetUsersInfo", "by id", () => ({ user_ids: [bob().id, carol().id] }), "2 users.info", ""],
  ["GetUsersInfo", "by username", () => ({ usernames: ["bob", "carol"] }), "users.list", ""],
  [
    "GetUsersInfo",
    "by address",
    () => ({ emails: [bob().email, carol().email] }),
    "2 users.lookupByEmail",
    "2 users.lookupByEmail",
  ],
  ["ListUsers", "", () => ({}), "users.list", "users.list"],
  [
    "SendMessage",
    "by id",
    () => ({ conversation_id: channel, message }),
    "chat.postMessage",
    "chat.postMessage",
  ],
  [
    "SendMessage",
    "by channel name",
    () => ({ channel_name: "busy", message }),
    "2 conversations.list, chat.postMessage",
    "chat.postMessage",
  ],
  [
    "SendMessage",
    "by user ids",
    () => ({ user_ids: [bob().id, carol().id], message }),
    "chat.postMessage, conversations.open",
    "chat.postMessage, conversations.open",
  ],
  [
    "SendMessage",
    "by addresses",
    () => ({ emails: [bob().email, carol().email], message }),
    "2 users.lookupByEmail, chat.postMessage, conversations.open",
    "2 users.lookupByEmail, chat.postMessage, conversations.open",
  ],
  [
    "SendMessage",
    "by usernames",
    () => ({ usernames: ["bob", "carol"], message }),
    "chat.postMessage, conversations.open, users.list",
    "chat.postMessage, conversations.open",
  ],
  [
    "GetUsersInConversation",
    "by id",
    () => ({ conversation_id: channel }),
    `${people}, conversations.members`,
    "conversations.members",
  ],
  [
    "GetUsersInConversation",
    "by channel name",
    () => ({ channel_name: "busy" }),
    `2 conversations.list, ${people}, conversations.members`,
    "conversations.members",
  ],
  [
    "GetMessages",
    "by id",
    () => ({ conversation_id: channel }),
    `${people}, conversations.history`,
    "conversations.history",
  ],
  [
    "GetMessages",
    "by channel name",
    () => ({ channel_name: "busy" }),
    `2 conversations.list, ${people}, conversations.history`,
    "conversations.history",
  ],
  [
    "GetMessages",
    "by user id",
    () => ({ user_ids: [bob().id] }),
    "conversations.history, conversations.open, users.info",
    "conversations.history, conversations.open",
  ],
  [
    "GetMessages",
    "by username, whose listing tells the names too",
    () => ({ usernames: ["bob"] }),
    "conversations.history, conversations.open, users.list",
    "conversations.history, conversations.open",
  ],
  [
    "GetConversationMetadata",
    "by id",
    () => ({ conversation_id: channel }),
    "conversations.info",
    "conversations.info",
  ],
  [
    "GetConversationMetadata",
    "by channel name",
    () => ({ channel_name: "busy" }),
    "2 conversations.list",
    "conversations.info",
  ],
  [
    "GetConversationMetadata",
    "by user ids",
    () => ({ user_ids: [bob().id, carol().id] }),
    "conversations.open",
    "conversations.open",
  ],
  ["ListConversations", "", () => ({}), "users.conversations", "users.conversations"],
])("%s %s", async (name, _, input, cold, warm) => {
  const connection = connectionOf(sandbox);
  expect(await callsOf(connection, name, input())).toBe(cold);
  expect(await callsOf(connection, name, input())).toBe(warm);
});

test("WhoAmI takes one call more when the grant does not tell whose it is", async () => {
  const { accessToken } = sandbox.issueToken("alice", ["users:read"]);
  const connection = new Connection(sandbox.apiUrl, { token: accessToken });
  expect(await callsOf(connection, "WhoAmI", {})).toBe("auth.test, users.info");
});
