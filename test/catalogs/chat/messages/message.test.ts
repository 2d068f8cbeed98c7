// Messages with names beside ids: what is replaced, what stays as it came, and how far names are looked for.
import { describe, expect, test } from "bun:test";
import { Value } from "typebox/value";
import { ChatClient } from "../../../../catalogs/chat/client";
import { Message, readable } from "../../../../catalogs/chat/messages/message";
import type { JsonObject } from "../../../../src/tools";
import { Connection } from "../run";
import { refusal, Stub, type StubAnswer, throttle } from "../stub";

const TS = "1772937000.000200";
const DATETIME = "2026-03-08 02:30:00";
const person: StubAnswer = ({ params }) => ({
  user: { id: params["user"], name: `name-${params["user"]}`, profile: {} },
});

async function read(stub: Stub, messages: JsonObject[], connection = new Connection(stub.apiUrl)) {
  const result = await readable(new ChatClient(connection.context()), messages);
  for (const message of result) expect(Value.Check(Message, message)).toBe(true);
  return result;
}
const asked = (stub: Stub) => stub.sent("users.info").map(({ params }) => params["user"]);

describe("a message", () => {
  test("with an empty author costs no call", async () => {
    await using stub = new Stub().on("users.info", person);
    await read(stub, [
      { ts: TS, user: "", text: "by a workflow", reactions: [{ name: "tada", users: [""] }] },
    ]);
    expect(asked(stub)).toEqual([]);
  });

  test("has its author, mentions and reactions named, and its time readable", async () => {
    await using stub = new Stub().on("users.info", person);
    const [message] = await read(stub, [
      {
        type: "message",
        ts: TS,
        user: "U1",
        text: "<@U2> and <@W3|Mary> &amp; <#C1|general> <!here>",
        reactions: [{ name: "tada", count: 2, users: ["U1", "U4"] }],
      },
    ]);
    expect(message).toEqual({
      type: "message",
      ts: TS,
      datetime_timestamp: DATETIME,
      user: { id: "U1", name: "name-U1" },
      text: "<@name-U2 (id:U2)> and <@name-W3 (id:W3)> &amp; <#C1|general> <!here>",
      reactions: [
        {
          name: "tada",
          count: 2,
          users: [
            { id: "U1", name: "name-U1" },
            { id: "U4", name: "name-U4" },
          ],
        },
      ],
    });
    expect(asked(stub).toSorted()).toEqual(["U1", "U2", "U4", "W3"]);
  });

  test.each<[string, JsonObject]>([
    ["of a webhook", { subtype: "bot_message", bot_id: "B1", text: "" }],
    ["of blocks only", { text: "", blocks: [{ type: "divider" }] }],
    ["of attachments only", { attachments: [{ fallback: "x" }] }],
    ["of files only", { files: [{ id: "F1" }] }],
    ["of an odd subtype", { subtype: "tombstone", hidden: true }],
    ["with edits and threads", { thread_ts: TS, reply_count: 3, edited: { user: "U9", ts: TS } }],
    ["with null for text", { text: null }],
    ["with null for its author", { user: null, bot_id: "B1" }],
    ["with null for reactions", { reactions: null }],
  ])("%s is unchanged", async (_, message) => {
    await using stub = new Stub();
    expect(await read(stub, [{ ts: TS, ...message }])).toEqual([
      { ts: TS, ...message, datetime_timestamp: DATETIME },
    ]);
    expect(stub.calls()).toBe(0);
  });

  test.each([[{}], [{ ts: "soon" }], [{ ts: "" }], [{ ts: null }]])(
    "with a time like %p has none to read",
    async (message) => {
      await using stub = new Stub();
      expect(await read(stub, [message])).toEqual([{ ...message, datetime_timestamp: null }]);
    },
  );

  test("keeps a mention unchanged if the name is unknown", async () => {
    await using stub = new Stub().on("users.info", refusal("user_not_found"));
    const [message] = await read(stub, [{ ts: TS, user: "U1", text: "<@U2|label> <@U3>" }]);
    expect(message).toMatchObject({ user: { id: "U1", name: null }, text: "<@U2|label> <@U3>" });
  });
});

describe("names", () => {
  test("of people from elsewhere come from their profile", async () => {
    await using stub = new Stub().on("users.info", {
      user: { id: "U1", profile: { display_name: "", real_name: "Erin Example" } },
    });
    expect(await read(stub, [{ ts: TS, user: "U1" }])).toMatchObject([{ user: { name: "Erin Example" } }]);
  });

  test("are looked up once for many messages, at most three at a time", async () => {
    await using stub = new Stub().on("users.info", async (request) => {
      await Bun.sleep(2);
      return { user: { id: request.params["user"] ?? "", name: "ada" } };
    });
    const messages = Array.from({ length: 40 }, (_, n) => ({ ts: TS, user: `U${n % 8}`, text: "<@U1>" }));
    await read(stub, messages);
    expect(stub.calls()).toBe(8);
    expect(stub.busiest).toBe(3);
  });

  test("are cached for ten minutes; missing ones for half a minute", async () => {
    await using stub = new Stub().on("users.info", (request) =>
      request.params["user"] === "U404" ? refusal("user_not_visible") : { user: { id: "U1", name: "ada" } },
    );
    const connection = new Connection(stub.apiUrl);
    const messages = [{ user: "U1" }, { user: "U404" }];
    const after = async (ms: number): Promise<number> => {
      connection.clock.move(ms);
      const before = stub.calls();
      await read(stub, messages, connection);
      return stub.calls() - before;
    };
    expect(await after(0)).toBe(2);
    expect(await after(29_000)).toBe(0);
    expect(await after(2000)).toBe(1);
    expect(await after(570_000)).toBe(2);
  });

  test("one that cannot be looked up does not affect the others", async () => {
    await using stub = new Stub().on("users.info", (request) =>
      request.params["user"] === "U2" ? refusal("user_not_visible") : { user: { id: "U", name: "ada" } },
    );
    const users = ["U1", "U2", "U3"];
    expect(
      (
        await read(
          stub,
          users.map((user) => ({ user })),
        )
      ).map(({ user }) => user),
    ).toEqual([
      { id: "U1", name: "ada" },
      { id: "U2", name: null },
      { id: "U3", name: "ada" },
    ]);
  });

  test.each<[string, StubAnswer]>([
    ["a rate limit, which is not waited for", throttle("1")],
    ["a missing scope", refusal("missing_scope", { needed: "users:read", provided: "im:history" })],
    ["a dead grant", refusal("token_revoked")],
    ["a platform that is down", new Response("<html>", { status: 502 })],
  ])("are not looked up any more after %s", async (_, answer) => {
    await using stub = new Stub().on("users.info", answer);
    const connection = new Connection(stub.apiUrl);
    const messages = Array.from({ length: 30 }, (_item, n) => ({ ts: TS, user: `U${n}` }));
    const result = await read(stub, messages, connection);
    expect(result.every(({ user }) => JSON.stringify(user).endsWith('"name":null}'))).toBe(true);
    expect(stub.calls()).toBeLessThanOrEqual(6);
    expect(connection.clock.sleeps.every((ms) => ms < 1000)).toBe(true);
  });

  test("of all authors, a hundred mentioned and fifty who reacted are looked up; known ones come on top", async () => {
    await using stub = new Stub().on("users.info", person);
    const connection = new Connection(stub.apiUrl);
    const ids = (letter: string, count: number) => Array.from({ length: count }, (_, n) => `U${letter}${n}`);
    await read(stub, [{ user: "UM199" }, { user: "UR199" }], connection);
    const [message] = await read(
      stub,
      [
        {
          user: "U1",
          text: ids("M", 200)
            .map((id) => `<@${id}>`)
            .join(" "),
          reactions: [{ name: "tada", users: ids("R", 200) }],
        },
      ],
      connection,
    );
    expect(stub.calls()).toBe(2 + 1 + 100 + 50);
    expect(message?.["text"]).toContain("(id:UM199)");
    expect(JSON.stringify(message)).toContain('{"id":"UR199","name":"name-UR199"}');
    expect(JSON.stringify(message)).toContain('{"id":"UR198","name":null}');
  });
});
