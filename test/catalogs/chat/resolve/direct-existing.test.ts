// Direct conversations for tools that read: found in one call, or in the listing where the scope for that is missing;
// never created.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { ChatClient } from "../../../../catalogs/chat/client";
import { existingConversation } from "../../../../catalogs/chat/resolve/direct";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { ALL_SCOPES, Connection, connectionOf, failureOf } from "../run";
import { page, refusal, Stub, throttle } from "../stub";

const people = (userIds: string[], usernames: string[] = []) => ({ userIds, usernames, emails: [] });
const grantOf = (...scopes: string[]) => ({ grant: { facts: { user_id: "UME" }, scopes } });
const idOf = async (connection: Connection, userIds: string[], usernames?: string[]) => {
  const found = await existingConversation(new ChatClient(connection.context()), people(userIds, usernames));
  return found?.["id"];
};

describe("with the scope", () => {
  test.each([
    ["channel_not_found", refusal("channel_not_found")],
    ["no conversation in the answer", { no_op: true }],
  ])("%s means that there is none yet", async (_, answer) => {
    await using stub = new Stub().on("conversations.open", answer);
    expect(await idOf(new Connection(stub.apiUrl, grantOf("im:write")), ["U1"])).toBeUndefined();
    expect(stub.requests.map(({ params }) => params)).toEqual([
      { users: "U1", return_im: "true", prevent_creation: "true" },
    ]);
  });

  test("an id may come bare", async () => {
    await using stub = new Stub().on("conversations.open", { channel: "D1" });
    expect(await idOf(new Connection(stub.apiUrl, grantOf("im:write")), ["U1"])).toBe("D1");
  });

  test("a person who does not exist is named", async () => {
    await using stub = new Stub().on("conversations.open", refusal("user_not_found"));
    const error = await failureOf(idOf(new Connection(stub.apiUrl, grantOf("im:write")), ["U404"]));
    expect(error.kind).toBe("UPSTREAM_RUNTIME_NOT_FOUND");
    expect(error.message).toContain("U404");
  });
});

describe("without the scope, one person", () => {
  const direct = (id: string, user: string) => ({ id, is_im: true, user });

  test("is searched in the direct messages, page after page", async () => {
    await using stub = new Stub().on(
      "conversations.list",
      page("channels", [direct("D1", "U9")], "two"),
      page("channels", [], "three"),
      page("channels", [direct("D2", "U1")], "four"),
    );
    expect(await idOf(new Connection(stub.apiUrl, grantOf("mpim:write")), ["U1"])).toBe("D2");
    expect(stub.requests.map(({ method, params }) => [method, params["types"], params["cursor"]])).toEqual([
      ["conversations.list", "im", undefined],
      ["conversations.list", "im", "two"],
      ["conversations.list", "im", "three"],
    ]);
  });

  test("who is the user themselves has notes", async () => {
    await using stub = new Stub().on("conversations.list", page("channels", [direct("D1", "UME")]));
    expect(await idOf(new Connection(stub.apiUrl, grantOf()), ["UME"])).toBe("D1");
  });

  test("without a conversation has none", async () => {
    await using stub = new Stub().on("conversations.list", page("channels", [direct("D1", "U9")]));
    expect(await idOf(new Connection(stub.apiUrl, grantOf()), ["U1"])).toBeUndefined();
  });

  test("is unknown when the rate limit or the time stops the listing", async () => {
    await using stub = new Stub().on("conversations.list", page("channels", [], "two"), throttle("60"));
    const connection = new Connection(stub.apiUrl, grantOf());
    expect((await failureOf(idOf(connection, ["U1"]))).kind).toBe("UPSTREAM_RUNTIME_RATE_LIMIT");

    connection.clock.move(60_000);
    let pages = 0;
    stub.on("conversations.list", () => {
      connection.clock.move(20_000);
      return page("channels", [], `page-${++pages}`);
    });
    const error = await failureOf(idOf(connection, ["U1"]));
    expect(error).toMatchObject({ kind: "NETWORK_TRANSPORT_RUNTIME_TIMEOUT", canRetry: true });
  });

  test("a listing with a repeated cursor ends", async () => {
    await using stub = new Stub().on("conversations.list", page("channels", [], "two"));
    expect(await idOf(new Connection(stub.apiUrl, grantOf()), ["U1"])).toBeUndefined();
    expect(stub.calls()).toBe(2);
  });
});

describe("without the scope, several people", () => {
  const group = (id: string, num_members?: number) => ({
    id,
    is_mpim: true,
    ...(num_members && { num_members }),
  });
  const members: Record<string, string[]> = {
    G1: ["UME", "U1", "U3"],
    G2: ["UME", "U1", "U2"],
    G3: ["UME", "U1", "U2", "U3"],
    G4: ["UME", "U1"],
  };

  test("are compared with the members of groups of their size", async () => {
    await using stub = new Stub()
      .on("conversations.list", page("channels", [group("G3", 4), group("G1", 3), group("G2", 3)]))
      .on("conversations.members", ({ params }) => ({ members: members[params["channel"] ?? ""] ?? [] }));
    expect(await idOf(new Connection(stub.apiUrl, grantOf("im:write")), ["U2", "U1"])).toBe("G2");
    expect(stub.sent("conversations.list")[0]?.params["types"]).toBe("mpim");
    const asked = stub.sent("conversations.members").map(({ params }) => params["channel"]);
    expect(asked.toSorted()).toEqual(["G1", "G2"]);
  });

  test("may be in a group without a size, and never in a smaller or larger one", async () => {
    await using stub = new Stub()
      .on("conversations.list", page("channels", [group("G3"), group("G4"), group("G2")]))
      .on("conversations.members", ({ params }) => ({ members: members[params["channel"] ?? ""] ?? [] }));
    expect(await idOf(new Connection(stub.apiUrl, grantOf()), ["U1", "U2"])).toBe("G2");
    expect(await idOf(new Connection(stub.apiUrl, grantOf()), ["U2", "U3"])).toBeUndefined();
  });

  test("are found in groups with several pages of members or none", async () => {
    await using stub = new Stub()
      .on("conversations.list", page("channels", [group("G9", 3), group("G2", 3)]))
      .on("conversations.members", ({ params }) => {
        if (params["channel"] === "G9") return refusal("channel_not_found");
        return params["cursor"] === undefined ? page("members", [], "two") : { members: members["G2"] };
      });
    expect(await idOf(new Connection(stub.apiUrl, grantOf()), ["U1", "U2"])).toBe("G2");
  });
});

describe("a scope that the grant claims and the token lacks", () => {
  const lost = refusal("missing_scope", {
    needed: "channels:write,groups:write,mpim:write,im:write",
    provided: "im:read",
  });

  test("is not used again, and the listing is searched", async () => {
    await using stub = new Stub()
      .on("conversations.open", lost)
      .on("conversations.list", page("channels", [{ id: "D1", is_im: true, user: "U1" }]));
    const connection = new Connection(stub.apiUrl, grantOf("im:write", "mpim:write"));
    expect(await idOf(connection, ["U1"])).toBe("D1");
    expect(await idOf(connection, ["U1"])).toBe("D1");
    expect(stub.calls("conversations.open")).toBe(1);
  });
});

describe("at the platform", () => {
  let sandbox: ChatSandbox;
  beforeAll(async () => {
    sandbox = await startChatSandbox({ extraPeople: ["frank"] });
  });
  afterAll(() => sandbox.stop());
  beforeEach(() => sandbox.clearRequests());

  const readOnly = ALL_SCOPES.filter((scope) => !scope.endsWith(":write"));

  test("nothing is created, with the scope or without; existing ones are found both ways", async () => {
    const connections = [connectionOf(sandbox), connectionOf(sandbox, "alice", readOnly)];
    for (const names of [["bob"], ["bob", "carol"], ["alice"]]) {
      for (const connection of connections) expect(await idOf(connection, [], names)).toBeUndefined();
      await connectionOf(sandbox).run("SendMessage", { usernames: names, message: "hi" });
      const [first, second] = await Promise.all(connections.map((connection) => idOf(connection, [], names)));
      expect(first).toMatch(/^[DGC]/);
      expect(second).toBe(first);
    }
  });

  test("a reader works without it, and a writer gets an error that names it", async () => {
    await connectionOf(sandbox, "bob").run("SendMessage", { usernames: ["carol"], message: "hi carol" });
    const reader = connectionOf(sandbox, "carol", readOnly);
    expect(await reader.run("GetMessages", { usernames: ["bob"] })).toMatchObject({
      messages: [{ text: "hi carol" }],
    });
    expect(await reader.run("GetConversationMetadata", { usernames: ["bob"] })).toMatchObject({
      user: sandbox.people.bob.id,
    });
    expect(sandbox.calls("conversations.open")).toBe(1);
    const error = await reader.failure("SendMessage", { usernames: ["bob"], message: "hi" });
    expect(error).toMatchObject({ needed: ["im:write"], details: { statusCode: 403 } });
  });
});
