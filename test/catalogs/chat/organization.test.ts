// A grant for a whole organization, as the stand-in gives it: no workspace in the grant, the organization's id in auth.test,
// and memberships that are not listed.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ChatSandbox, startChatSandbox } from "../../sandbox/chat";
import { ALL_SCOPES, Connection } from "./run";

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox({ orgInstall: "restricted" });
});
afterAll(() => sandbox.stop());

function connection(): Connection {
  const { accessToken: token } = sandbox.issueToken("alice", ALL_SCOPES);
  const facts = { enterprise_id: "E000000001", is_enterprise_install: true };
  return new Connection(sandbox.apiUrl, { token, grant: { scopes: ALL_SCOPES, facts } });
}

test("its only workspace is asked for and used, for names, people and conversations", async () => {
  const own = connection();
  sandbox.clearRequests();
  await own.run("SendMessage", { channel_name: "secret", message: "hi" });
  await own.run("GetUsersInfo", { usernames: ["bob"] });
  expect(await own.run("ListUsers")).toMatchObject({ users: expect.arrayContaining([expect.anything()]) });
  const lists = sandbox.requests.filter(({ method }) => /^(users|conversations)\.list$/.test(method));
  expect(new Set(lists.map(({ params }) => params["team_id"]))).toEqual(new Set([sandbox.team.id]));
  expect(sandbox.calls("auth.teams.list")).toBe(1);
});

test("conversations come from the whole workspace, each type by itself", async () => {
  const output = await connection().run("ListConversations");
  const names = (output as { conversations: { name: string | null }[] }).conversations.map(
    ({ name }) => name,
  );
  expect(names).toContain("secret");
  expect(names).not.toContain("old-news");
});
