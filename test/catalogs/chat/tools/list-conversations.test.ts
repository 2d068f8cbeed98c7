// Chat.ListConversations: whose they are, of which types, and pages that hold only some of what the platform lists.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { ConversationMetadata } from "../../../../catalogs/chat/records/conversation";
import { type ChatSandbox, startChatSandbox } from "../../../sandbox/chat";
import { ALL_SCOPES, Connection, connectionOf, shaped } from "../run";
import { page, refusal, Stub, throttle } from "../stub";

let sandbox: ChatSandbox;
beforeAll(async () => {
  sandbox = await startChatSandbox();
  // Carol is in neither of these.
  for (const name of ["one", "two", "three"]) await sandbox.addChannel(name);
  const { bob, carol } = sandbox.people;
  const message = { message: "hi" };
  await connectionOf(sandbox).run("SendMessage", { ...message, user_ids: [bob.id] });
  await connectionOf(sandbox).run("SendMessage", { ...message, user_ids: [bob.id, carol.id] });
  sandbox.clearRequests();
});
afterAll(() => sandbox.stop());
afterEach(() => {
  sandbox.clearFaults();
  sandbox.clearRequests();
});

const LISTED = Type.Object({
  conversations: Type.Array(ConversationMetadata),
  next_cursor: Type.Union([Type.String(), Type.Null()]),
});

async function list(connection: Connection, input: { [key: string]: unknown } = {}) {
  return shaped(LISTED, await connection.run("ListConversations", input));
}
async function names(connection: Connection, input: { [key: string]: unknown } = {}) {
  return (await list(connection, input)).conversations.map(({ name, id }) => name ?? id);
}
const sent = (name: string) => sandbox.requests.map(({ params }) => params[name]);
const GROUP = "mpdm-alice--bob--carol-1";

describe("what is listed", () => {
  test("are those of all types that the user is a member of, without archived channels", async () => {
    const { conversations, next_cursor } = await list(connectionOf(sandbox));
    expect(conversations.map(({ name, conversation_type: type }) => [name, type])).toEqual(
      expect.arrayContaining([
        ["general", "public_channel"],
        ["secret", "private_channel"],
        [GROUP, "mpim"],
        [null, "im"],
      ]),
    );
    expect(conversations.map(({ name }) => name)).not.toContain("old-news");
    expect(next_cursor).toBeNull();
    expect(sandbox.requests.map(({ params }) => params)).toEqual([
      { types: "public_channel,private_channel,mpim,im", exclude_archived: "true", limit: "200" },
    ]);
  });

  test("are not those of others", async () => {
    expect(await names(connectionOf(sandbox, "carol"))).toEqual(["general", GROUP]);
  });

  test("is told as it is", async () => {
    const { conversations } = await list(connectionOf(sandbox));
    const { secret, general } = sandbox.channels;
    expect(conversations.find(({ id }) => id === secret.id)).toEqual({
      id: secret.id,
      name: "secret",
      conversation_type: "private_channel",
      is_private: true,
      is_archived: false,
      is_member: true,
      purpose: "",
      // The listing of memberships does not count.
      num_members: null,
    });
    expect(conversations.find(({ id }) => id === general.id)).toMatchObject({
      is_private: false,
      purpose: expect.stringMatching(/./),
    });
    expect(conversations.find(({ conversation_type: type }) => type === "mpim")).toMatchObject({
      purpose: "Group messaging with: @alice @bob @carol",
      num_members: 3,
    });
    expect(conversations.find(({ conversation_type: type }) => type === "im")).toEqual({
      id: expect.stringMatching(/^D/),
      name: null,
      conversation_type: "im",
      is_private: true,
      is_archived: false,
      is_member: true,
      purpose: "",
      num_members: 2,
      user: sandbox.people.bob.id,
      is_user_deleted: false,
    });
  });

  test("holds group messages and newer private channels, whatever their other flags say", async () => {
    await using stub = new Stub().on(
      "users.conversations",
      page("channels", [
        { id: "G1", name: "mpdm-a--b-1", is_group: true, is_mpim: true, is_channel: false },
        { id: "C1", name: "team", is_channel: true, is_private: true, is_group: false, is_member: true },
      ]),
    );
    const { conversations } = await list(new Connection(stub.apiUrl));
    expect(conversations.map(({ id, conversation_type: type }) => [id, type])).toEqual([
      ["G1", "mpim"],
      ["C1", "private_channel"],
    ]);
  });
});

describe("where the platform refuses to list memberships", () => {
  const refused = (code: string) => {
    sandbox.fail("users.conversations", { kind: "error", error: code });
    return connectionOf(sandbox);
  };

  test.each(["enterprise_is_restricted", "unknown_method"])(
    "with %s, the workspace is listed, each type by itself, without what others are in",
    async (code) => {
      expect((await names(refused(code))).toSorted()).toEqual(
        (await names(connectionOf(sandbox))).toSorted(),
      );
      const types = ["public_channel", "private_channel", "mpim", "im"];
      expect(sent("types").slice(1, 5)).toEqual(types);
    },
  );

  test("it is asked once, and cursors continue in the right listing", async () => {
    const connection = refused("enterprise_is_restricted");
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const part = await list(connection, { limit: 1, next_cursor: cursor });
      found.push(...part.conversations.map(({ name, id }) => name ?? id));
      cursor = part.next_cursor;
    }
    expect(sandbox.calls("users.conversations")).toBe(1);
    expect(found.toSorted()).toEqual((await names(connectionOf(sandbox))).toSorted());
  });

  test("a type whose scope was lost is left out", async () => {
    sandbox.fail("users.conversations", { kind: "error", error: "enterprise_is_restricted" });
    const scopes = ALL_SCOPES.filter((scope) => scope !== "groups:read");
    const found = await names(connectionOf(sandbox, "alice", scopes));
    expect(found).toContain("general");
    expect(found).not.toContain("secret");
  });
});

test("people in direct messages have a name where it is known, without a call for it", async () => {
  const connection = connectionOf(sandbox);
  await connection.run("GetUsersInfo", { user_ids: [sandbox.people.bob.id] });
  sandbox.clearRequests();
  const { conversations } = await list(connection, { conversation_types: "im" });
  expect(conversations).toMatchObject([{ name: null, user: sandbox.people.bob.id, user_name: "bob" }]);
  expect(sandbox.calls()).toBe(1);
});

describe("types", () => {
  test.each([
    [["public_channel"], "public_channel"],
    [["private_channel", "public_channel"], "private_channel,public_channel"],
    [["multi_person_direct_message"], "mpim"],
    [["direct_message"], "im"],
    [["mpim", "im"], "mpim,im"],
    [["direct_message", "im"], "im"],
    ["direct_message", "im"],
    ['["direct_message"]', "im"],
    [["", "im", " "], "im"],
    ['["", "im"]', "im"],
    ["", "public_channel,private_channel,mpim,im"],
    [[], "public_channel,private_channel,mpim,im"],
    [null, "public_channel,private_channel,mpim,im"],
  ])("%p are requested as %s", async (conversation_types, types) => {
    await list(connectionOf(sandbox), { conversation_types });
    expect(sent("types")).toEqual([types]);
  });

  test("of which there is only one hold nothing else", async () => {
    expect(await names(connectionOf(sandbox), { conversation_types: "multi_person_direct_message" })).toEqual(
      [GROUP],
    );
    expect(await names(connectionOf(sandbox), { conversation_types: ["private_channel"] })).toEqual([
      "secret",
    ]);
  });

  test.each([["dm"], ["Public_Channel"], [["public_channel", "group"]], [7]])(
    "%p is refused without a call",
    async (types) => {
      const error = await connectionOf(sandbox).failure("ListConversations", { conversation_types: types });
      expect(error).toMatchObject({ kind: "TOOL_RUNTIME_BAD_INPUT_VALUE", details: { statusCode: 400 } });
      expect(sandbox.calls()).toBe(0);
    },
  );
});

describe("a scope that was lost", () => {
  const without = (...scopes: string[]) => ALL_SCOPES.filter((scope) => !scopes.includes(scope));

  test("leaves the other types, if none were requested", async () => {
    const connection = connectionOf(sandbox, "alice", without("groups:read", "im:read"));
    const { conversations } = await list(connection);
    expect(new Set(conversations.map(({ conversation_type: type }) => type))).toEqual(
      new Set(["public_channel", "mpim"]),
    );
    expect(sent("types")).toEqual(["public_channel,private_channel,mpim,im", "public_channel,mpim"]);
  });

  test("is detected once in a listing of many pages", async () => {
    sandbox.fail("users.conversations", { kind: "delay", ms: 0 });
    sandbox.fail("users.conversations", { kind: "short_page", items: 1 });
    await list(connectionOf(sandbox, "alice", without("im:read")));
    expect(sent("types")).toEqual([
      "public_channel,private_channel,mpim,im",
      "public_channel,private_channel,mpim",
      "public_channel,private_channel,mpim",
    ]);
  });

  test("is an error if its type was requested", async () => {
    const connection = connectionOf(sandbox, "alice", without("im:read"));
    const error = await connection.failure("ListConversations", { conversation_types: ["im", "mpim"] });
    expect(error).toMatchObject({ needed: ["im:read"], details: { statusCode: 403 } });
    expect(sandbox.calls()).toBe(1);
  });

  test("is an error if no other type remains", async () => {
    await using stub = new Stub().on(
      "users.conversations",
      refusal("missing_scope", { provided: "chat:write" }),
    );
    const error = await new Connection(stub.apiUrl).failure("ListConversations");
    expect(error.kind).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
    expect(stub.calls()).toBe(1);
  });
});

describe("pages", () => {
  test.each([1, 2, 3])("of %d are filled up, and list each one once", async (limit) => {
    const connection = connectionOf(sandbox, "carol");
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const part = await list(connection, { limit, next_cursor: cursor });
      expect(part.conversations.length === limit || part.next_cursor === null).toBe(true);
      found.push(...part.conversations.map(({ name, id }) => name ?? id));
      cursor = part.next_cursor;
    }
    expect(found).toEqual(["general", GROUP]);
  });

  test("that are empty or short do not end the listing; the cursor is sent back unchanged", async () => {
    const next = (n: number): string => `cursor-${n}==`;
    const own = (id: number) => ({ id: `C${id}`, name: `n${id}`, is_channel: true, is_member: true });
    await using stub = new Stub().on(
      "users.conversations",
      page("channels", [], next(1)),
      page(
        "channels",
        Array.from({ length: 37 }, (_, n) => own(n)),
        next(2),
      ),
      page("channels", [own(99)], ""),
    );
    const { conversations, next_cursor } = await list(new Connection(stub.apiUrl));
    expect(conversations).toHaveLength(38);
    expect(next_cursor).toBeNull();
    const asked = stub.sent().map(({ params }) => [params["cursor"], params["limit"]]);
    expect(asked).toEqual([
      [undefined, "200"],
      [next(1), "200"],
      [next(2), "163"],
    ]);
  });

  test("that hit a rate limit return what was read", async () => {
    await using stub = new Stub().on(
      "users.conversations",
      page("channels", [{ id: "D1", is_im: true, user: "U1" }], "two"),
      throttle("60"),
    );
    expect(await list(new Connection(stub.apiUrl))).toMatchObject({
      conversations: [{ id: "D1" }],
      next_cursor: "two",
    });
  });

  test("with an expired cursor ask for a new start", async () => {
    const error = await connectionOf(sandbox).failure("ListConversations", { next_cursor: "bmV4dDo0MDE=" });
    expect(error.message).toContain("Start again without `next_cursor`");
    expect(sent("cursor")).toEqual(["bmV4dDo0MDE="]);
  });
});

test("a listed conversation is known by name: a message to it takes one call", async () => {
  const connection = connectionOf(sandbox);
  await list(connection);
  sandbox.clearRequests();
  await connection.run("SendMessage", { channel_name: "secret", message: "hi" });
  expect(sandbox.requests.map(({ method }) => method)).toEqual(["chat.postMessage"]);
});

test("a group message is not found as a channel", async () => {
  const connection = connectionOf(sandbox);
  await list(connection);
  const error = await connection.failure("SendMessage", { channel_name: GROUP, message: "hi" });
  expect(error.kind).toBe("TOOL_RUNTIME_RETRY");
});

test("a grant of a whole organization names the workspace", async () => {
  await using organization = await startChatSandbox({ orgInstall: true });
  const { accessToken } = organization.issueToken("alice", ALL_SCOPES);
  const facts = { team_id: organization.team.id, is_enterprise_install: true };
  await list(new Connection(organization.apiUrl, { token: accessToken, grant: { facts } }));
  expect(organization.requests[0]?.params["team_id"]).toBe(organization.team.id);

  await list(connectionOf(sandbox));
  expect(sandbox.requests[0]?.params).not.toHaveProperty("team_id");
});
