// Conversations and messages of the sandbox where the third-party emulator differs from the platform.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startChatSandbox, type ChatSandbox } from ".";
import { record, records, strings, text, type JsonRecord } from "../../../catalogs/sandbox/chat/json";
import { callerOf, type Call } from "./test-client";

const NOW = 1_750_000_000;
let sandbox: ChatSandbox;
let alice: Call;
let bob: Call;
let carol: Call;

beforeAll(async () => {
  sandbox = await startChatSandbox({ now: () => NOW * 1000 });
  [alice, bob, carol] = [callerOf(sandbox, "alice"), callerOf(sandbox, "bob"), callerOf(sandbox, "carol")];
});

afterAll(() => sandbox.stop());

const ids = {
  general: () => sandbox.channels.general.id,
  random: () => sandbox.channels.random.id,
  secret: () => sandbox.channels.secret.id,
  archived: () => sandbox.channels.archived.id,
  partners: () => sandbox.channels.partners.id,
  alice: () => sandbox.people.alice.id,
  bob: () => sandbox.people.bob.id,
  carol: () => sandbox.people.carol.id,
  dave: () => sandbox.people.dave.id,
};
const list = (body: JsonRecord, field: string, part: string): string[] =>
  records(body, field).map((item) => text(item, part));
const nextCursor = (body: JsonRecord): string => text(record(body, "response_metadata"), "next_cursor");
const channelId = (body: JsonRecord): string => text(record(body, "channel"), "id");

describe("conversations", () => {
  test("a list without types has only public channels", async () => {
    const names = list(await alice("conversations.list"), "channels", "name");
    expect(names).toEqual(["general", "random", "old-news", "partners"]);
  });

  test("archived channels can be excluded", async () => {
    const names = list(await alice("conversations.list", { exclude_archived: "true" }), "channels", "name");
    expect(names).toEqual(["general", "random", "partners"]);
  });

  test("a private channel is listed for members only", async () => {
    const types = { types: "private_channel" };
    expect(list(await alice("conversations.list", types), "channels", "name")).toEqual(["secret"]);
    expect(list(await carol("conversations.list", types), "channels", "name")).toEqual([]);
  });

  test.each(["conversations.info", "conversations.members", "conversations.history"])(
    "%s does not find a private channel for others",
    async (method) => {
      expect(await carol(method, { channel: ids.secret() })).toEqual({
        ok: false,
        error: "channel_not_found",
      });
    },
  );

  test("a newer private channel is a channel, not a group", async () => {
    const { channel } = await alice("conversations.info", { channel: ids.secret() });
    expect(channel).toMatchObject({ is_channel: true, is_private: true, is_group: false });
  });

  test("a name is not an id", async () => {
    expect(await alice("conversations.info", { channel: "general" })).toMatchObject({ ok: false });
  });

  test("members are counted only on request", async () => {
    const channel = ids.random();
    const plain = record(await alice("conversations.info", { channel }), "channel");
    const counted = record(
      await alice("conversations.info", { channel, include_num_members: "true" }),
      "channel",
    );
    expect(plain).not.toHaveProperty("num_members");
    expect(counted["num_members"]).toBe(3);
  });

  test("users.conversations has the caller's own, without count and membership", async () => {
    const channels = records(await carol("users.conversations"), "channels");
    expect(channels.map((channel) => channel["name"])).toEqual(["general"]);
    expect(channels[0]).not.toHaveProperty("num_members");
    expect(channels[0]).not.toHaveProperty("is_member");
  });

  test("users.conversations of another person shows no private channel that the caller cannot see", async () => {
    const body = await carol("users.conversations", {
      user: ids.bob(),
      types: "public_channel,private_channel",
    });
    expect(list(body, "channels", "name")).toEqual(["general", "random", "old-news", "partners"]);
  });
});

describe("conversations.open", () => {
  test("a direct message has neither name nor count", async () => {
    const body = await alice("conversations.open", { users: ids.bob(), return_im: "true" });
    const channel = record(body, "channel");
    expect(channel).toMatchObject({ is_im: true, user: ids.bob(), is_user_deleted: false });
    for (const field of ["name", "num_members", "is_private", "topic"])
      expect(channel).not.toHaveProperty(field);
  });

  test("without return_im it returns only an id, and the second time already_open", async () => {
    const first = await bob("conversations.open", { users: ids.carol() });
    const second = await bob("conversations.open", { users: ids.carol() });
    expect(Object.keys(record(first, "channel"))).toEqual(["id"]);
    expect(second).toEqual({ ok: true, no_op: true, already_open: true, channel: { id: channelId(first) } });
  });

  test("a group message is named after all members", async () => {
    const users = `${ids.bob()},${ids.carol()}`;
    const { channel } = await alice("conversations.open", { users, return_im: "true" });
    expect(channel).toMatchObject({
      name: "mpdm-alice--bob--carol-1",
      is_group: true,
      is_mpim: true,
      is_channel: false,
    });
  });

  test("prevent_creation creates nothing", async () => {
    const before = list(await carol("conversations.list", { types: "im" }), "channels", "id");
    const body = await carol("conversations.open", { users: ids.alice(), prevent_creation: "true" });
    expect(body).toEqual({ ok: false, error: "channel_not_found" });
    expect(list(await carol("conversations.list", { types: "im" }), "channels", "id")).toEqual(before);
  });

  test("the caller's own id opens the same notes to oneself every time", async () => {
    const opened = await Promise.all(["", ""].map(() => carol("conversations.open", { users: ids.carol() })));
    const [first = "", second] = opened.map(channelId);
    expect(first).toStartWith("D");
    expect(second).toBe(first);
    await carol("chat.postMessage", { channel: first, text: "remember" });
    expect(await sandbox.messages(first)).toMatchObject([{ user: ids.carol(), text: "remember" }]);
    expect(list(await carol("conversations.list", { types: "im" }), "channels", "id")).toContain(first);
    expect(await alice("conversations.info", { channel: first })).toMatchObject({ ok: false });
  });

  test.each([
    ["an empty list", () => "", "not_enough_users"],
    ["an unknown id", () => "U0NOBODY00", "user_not_found"],
    ["a deactivated person", () => ids.dave(), "user_disabled"],
    ["the caller among others", () => `${ids.alice()},${ids.bob()}`, "invalid_user_combination"],
    ["more than eight", () => Array.from({ length: 9 }, (_, i) => `U${i}`).join(","), "too_many_users"],
  ])("%s is refused", async (_, users, error) => {
    expect(await alice("conversations.open", { users: users() })).toEqual({ ok: false, error });
  });
});

describe("chat.postMessage", () => {
  test("posts, returns channel and timestamp, and can be read", async () => {
    const body = await alice("chat.postMessage", { channel: ids.partners(), text: "a & b <@U1> é\n2" });
    expect(body).toMatchObject({ ok: true, channel: ids.partners(), message: { text: "a & b <@U1> é\n2" } });
    const messages = await sandbox.messages(ids.partners());
    expect(messages.at(-1)).toEqual({ ts: text(body, "ts"), user: ids.alice(), text: "a & b <@U1> é\n2" });
  });

  test.each([
    ["a public channel without membership", "carol", ids.random, "x", "not_in_channel"],
    ["a private channel without membership", "carol", ids.secret, "x", "channel_not_found"],
    ["an archived channel", "alice", ids.archived, "x", "is_archived"],
    ["a channel's name", "alice", () => "general", "x", "channel_not_found"],
    ["a person's id", "alice", ids.bob, "x", "channel_not_found"],
    ["blank text", "alice", ids.general, " \n", "no_text"],
    ["far too much text", "alice", ids.general, "x".repeat(50_001), "msg_too_long"],
  ])("%s is refused", async (_, person, channel, content, error) => {
    const call = callerOf(sandbox, person);
    expect(await call("chat.postMessage", { channel: channel(), text: content })).toEqual({
      ok: false,
      error,
    });
  });

  test("text beyond 40,000 characters is truncated, with a warning", async () => {
    const body = await alice("chat.postMessage", { channel: ids.partners(), text: "é".repeat(40_001) });
    expect(text(record(body, "message"), "text")).toHaveLength(40_000);
    expect(body).toMatchObject({ ok: true, warning: "message_truncated" });
  });
});

describe("conversations.history", () => {
  let channel: string;

  beforeAll(async () => {
    channel = (await sandbox.addChannel("timeline")).id;
    for (const second of [10, 20, 30, 40]) {
      await sandbox.addMessage(channel, { text: String(second), ts: `${NOW + second}.000000` });
    }
    const thread_ts = `${NOW + 10}.000000`;
    await sandbox.addMessage(channel, { text: "reply", ts: `${NOW + 35}.000000`, fields: { thread_ts } });
  });

  const at = (second: number): string => String(NOW + second);

  test.each([
    ["no bounds", {}, ["40", "30", "20", "10"]],
    ["bounds are excluded", { oldest: at(10), latest: at(40) }, ["30", "20"]],
    ["inclusive bounds", { oldest: at(10), latest: at(40), inclusive: "true" }, ["40", "30", "20", "10"]],
    ["latest alone", { latest: at(25) }, ["20", "10"]],
    ["decimals count", { oldest: `${at(19)}.999999`, latest: `${at(20)}.000001` }, ["20"]],
    ["a limit returns the newest", { limit: "2" }, ["40", "30"]],
    ["oldest alone returns the earliest, newest first", { oldest: at(5), limit: "2" }, ["20", "10"]],
    ["oldest and latest return the newest", { oldest: at(5), latest: at(50), limit: "2" }, ["40", "30"]],
  ])("%s", async (_, params, expected) => {
    const body = await alice("conversations.history", { channel, ...params });
    expect(list(body, "messages", "text")).toEqual(expected);
  });

  test.each([
    [{ oldest: "yesterday" }, "invalid_ts_oldest"],
    [{ latest: "1750000000000" }, "invalid_ts_latest"],
    [{ limit: "1000" }, "invalid_limit"],
    [{ cursor: "bmV4dF90czoxNTEyMDg1ODYxMDAwNTQz" }, "invalid_cursor"],
    [{ oldest: "" }, "invalid_arguments"],
  ])("%p is refused", async (params, error) => {
    expect(await alice("conversations.history", { channel, ...params })).toMatchObject({ ok: false, error });
  });

  test("the cursor leads to the next page, and the last page has none", async () => {
    const first = await alice("conversations.history", { channel, limit: "3" });
    const second = await alice("conversations.history", { channel, limit: "3", cursor: nextCursor(first) });
    expect([first["has_more"], second["has_more"]]).toEqual([true, false]);
    expect(list(second, "messages", "text")).toEqual(["10"]);
    expect(second).not.toHaveProperty("response_metadata");
  });

  test("a posted message has the time of the sandbox's clock", async () => {
    const { ts } = await alice("chat.postMessage", { channel, text: "now" });
    expect(String(ts)).toMatch(new RegExp(`^${NOW}\\.\\d{6}$`));
  });

  test("a message of any shape can be added", async () => {
    const fields = { subtype: "bot_message", blocks: [{ type: "divider" }] };
    const ts = await sandbox.addMessage(ids.secret(), { user: null, fields });
    const body = await alice("conversations.history", { channel: ids.secret() });
    expect(records(body, "messages")).toEqual([{ type: "message", text: "", ts, ...fields }]);
  });

  test("a bot reads public channels only where it is a member", async () => {
    const robot = callerOf(sandbox, "robot");
    expect(await robot("conversations.history", { channel })).toEqual({ ok: false, error: "not_in_channel" });
    expect(await carol("conversations.history", { channel })).toMatchObject({ ok: true });
  });

  test("members of a shared channel include external people", async () => {
    const body = await alice("conversations.members", { channel: ids.partners() });
    expect(strings(body, "members")).toContain(sandbox.people.erin.id);
  });
});
