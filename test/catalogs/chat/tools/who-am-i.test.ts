// Chat.WhoAmI against the stand-in of the platform, and with profiles that it does not have.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { Connection } from "../run";
import { refusal, Stub } from "../stub";

const SCOPES = ["users:read", "users:read.email"];

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox();
});
afterAll(() => sandbox.stop());
beforeEach(() => sandbox.clearRequests());

function connectionOf(facts: { [key: string]: string }, scopes = SCOPES): Connection {
  const { accessToken } = sandbox.issueToken("alice", scopes);
  return new Connection(sandbox.apiUrl, { token: accessToken, grant: { facts } });
}

test("the profile takes one call if the grant stores the user", async () => {
  const { alice } = sandbox.people;
  const { team } = sandbox;
  const output = await connectionOf({ user_id: alice.id, team_id: team.id, team_name: team.name }).run(
    "WhoAmI",
  );
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["users.info"]);
  expect(output).toMatchObject({
    user_id: alice.id,
    username: "alice",
    display_name: "Alice",
    real_name: "Alice Example",
    email: alice.email,
    profile_picture_url: "https://avatars.example/alice-512.png",
    title: "Tester",
    phone: "+1 555 0100",
    first_name: "Alice",
    last_name: "Example",
    pronouns: "they/them",
    team_id: team.id,
    team_name: team.name,
    slack_access: true,
  });
});

test("without it, the user is looked up once per connection", async () => {
  const connection = connectionOf({});
  const output = await connection.run("WhoAmI");
  await connection.run("WhoAmI");
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["auth.test", "users.info", "users.info"]);
  expect(output).toMatchObject({ user_id: sandbox.people.alice.id, team_name: sandbox.team.name });
});

test("an address that the user may not see is left out", async () => {
  const output = await connectionOf({ user_id: sandbox.people.alice.id }, ["users:read"]).run("WhoAmI");
  expect(output).not.toHaveProperty("email");
});

const one = { grant: { facts: { user_id: "U1" } } };

test("missing fields are left out, and the largest picture is used", async () => {
  const profile = {
    real_name: "Ada",
    display_name: null,
    image_24: "24.png",
    image_72: "72.png",
    image_512: "",
  };
  await using stub = new Stub().on("users.info", { user: { id: "U1", name: "ada", profile } });
  const output = await new Connection(stub.apiUrl, one).run("WhoAmI");
  expect(output).toEqual({
    user_id: "U1",
    username: "ada",
    real_name: "Ada",
    profile_picture_url: "72.png",
    slack_access: true,
  });
});

test("an answer without a user is a failure of the platform", async () => {
  await using stub = new Stub().on("users.info", {});
  expect((await new Connection(stub.apiUrl, one).failure("WhoAmI")).kind).toBe(
    "UPSTREAM_RUNTIME_SERVER_ERROR",
  );
});

test("a missing user is named", async () => {
  await using stub = new Stub().on("users.info", refusal("user_not_found"));
  const error = await new Connection(stub.apiUrl, one).failure("WhoAmI");
  expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_NOT_FOUND", message: expect.stringContaining("U1") });
});

test("a parameter is refused without a call", async () => {
  const error = await connectionOf({}).failure("WhoAmI", { user_id: "U1" });
  expect(error.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
  expect(sandbox.calls()).toBe(0);
});
