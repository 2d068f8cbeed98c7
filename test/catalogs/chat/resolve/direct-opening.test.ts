// Direct conversations: with whom they are opened.
import { describe, expect, test } from "bun:test";
import { ChatClient } from "../../../../catalogs/chat/client";
import { openConversation } from "../../../../catalogs/chat/resolve/direct";
import { Connection, failureOf } from "../run";
import { refusal, Stub } from "../stub";

const people = (userIds: string[], usernames: string[] = [], emails: string[] = []) => ({
  userIds,
  usernames,
  emails,
});
const OPENED = { channel: { id: "D1" } };
const own = { grant: { facts: { user_id: "UME" } } };
const users = (stub: Stub) => stub.sent("conversations.open").map(({ params }) => params["users"]);

describe("who is in it", () => {
  test("everyone once, without the user", async () => {
    await using stub = new Stub()
      .on("conversations.open", OPENED)
      .on("users.lookupByEmail", { user: { id: "U1" } });
    const client = new ChatClient(new Connection(stub.apiUrl, own).context());
    await openConversation(client, people(["U2", "UME", "U1"], [], ["one@example.com"]));
    expect(stub.sent("conversations.open")[0]?.params).toEqual({ users: "U2,U1", return_im: "true" });
  });

  test("only the user, for notes", async () => {
    await using stub = new Stub().on("conversations.open", OPENED);
    await openConversation(new ChatClient(new Connection(stub.apiUrl, own).context()), people(["UME"]));
    expect(users(stub)).toEqual(["UME"]);
  });

  test("the user's id is requested once per connection if the grant does not store it", async () => {
    await using stub = new Stub().on("conversations.open", OPENED).on("auth.test", { user_id: "UME" });
    const connection = new Connection(stub.apiUrl);
    await openConversation(new ChatClient(connection.context()), people(["U1", "UME"]));
    await openConversation(new ChatClient(connection.context()), people(["U1"]));
    expect(users(stub)).toEqual(["U1", "U1"]);
    expect(stub.calls("auth.test")).toBe(1);
  });

  const many = (count: number) => Array.from({ length: count }, (_, n) => `U${n}`);

  test("at most eight others", async () => {
    await using stub = new Stub().on("conversations.open", OPENED);
    const connection = new Connection(stub.apiUrl, own);
    await openConversation(new ChatClient(connection.context()), people([...many(8), "UME"]));
    expect(stub.calls()).toBe(1);
    const error = await failureOf(openConversation(new ChatClient(connection.context()), people(many(9))));
    expect(error.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(stub.calls()).toBe(1);
  });

  test("nine may be eight and the user; ten never are", async () => {
    await using stub = new Stub().on("conversations.open", OPENED).on("auth.test", { user_id: "U0" });
    const connection = new Connection(stub.apiUrl);
    const tooMany = openConversation(new ChatClient(connection.context()), people(many(10)));
    expect((await failureOf(tooMany)).kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(stub.calls()).toBe(0);
    await openConversation(new ChatClient(connection.context()), people(many(9)));
    expect(users(stub)).toEqual(["U1,U2,U3,U4,U5,U6,U7,U8"]);
  });

  test("a person who is not found is named", async () => {
    await using stub = new Stub().on("conversations.open", refusal("user_not_found"));
    const client = new ChatClient(new Connection(stub.apiUrl, own).context());
    const error = await failureOf(openConversation(client, people(["U404"])));
    expect(error.kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
    expect(error.message).toContain("U404");
  });

  test("an answer without the id is a failure of the platform", async () => {
    await using stub = new Stub().on("conversations.open", { channel: {} });
    const client = new ChatClient(new Connection(stub.apiUrl, own).context());
    expect((await failureOf(openConversation(client, people(["U1"])))).kind).toBe(
      "UPSTREAM_RUNTIME_SERVER_ERROR",
    );
  });
});
