// Channels by name, through Chat.SendMessage: every page, the right one of several, and the errors of none.
import { describe, expect, test } from "bun:test";
import { Connection } from "../run";
import { page, refusal, Stub, throttle } from "../stub";

const channel = (id: string, name: string, more = {}) => ({
  id,
  name,
  name_normalized: name,
  is_channel: true,
  is_member: true,
  ...more,
});
const channels = (...items: { [key: string]: unknown }[]) => page("channels", items);
const POSTED = { channel: "C1", ts: "1.0", message: { text: "hi" } };
const crowd = (size: number) => Array.from({ length: size }, (_, n) => channel(`C${n}`, `team-${n}`));
const send = (connection: Connection, channel_name: string) =>
  connection.run("SendMessage", { message: "hi", channel_name });
const stubWith = (...pages: Parameters<Stub["on"]>[1][]) =>
  new Stub().on("conversations.list", ...pages).on("chat.postMessage", POSTED);
const postedTo = (stub: Stub) => stub.sent("chat.postMessage").map(({ params }) => params["channel"]);

describe("an archived channel", () => {
  const old = channel("C0", "general", { is_archived: true });

  test("is named with its id, and nothing is sent", async () => {
    await using stub = stubWith(channels(old));
    const error = await new Connection(stub.apiUrl).failure("SendMessage", {
      message: "hi",
      channel_name: "general",
    });
    expect(error.message).toBe('The channel "general" is archived (id C0).');
    expect(error.details.additionalPromptContent).toContain("`conversation_id` set to C0");
    expect(postedTo(stub)).toEqual([]);
  });

  test.each([
    ["before", [old, channel("C1", "general", { is_member: false })]],
    ["after", [channel("C1", "general", { is_member: false }), old]],
  ])("listed %s a channel in use with the same name is not chosen", async (_, items) => {
    await using stub = stubWith(channels(...items));
    await send(new Connection(stub.apiUrl), "general");
    expect(postedTo(stub)).toEqual(["C1"]);
  });

  test("on an earlier page than a channel in use is not chosen", async () => {
    await using stub = stubWith(page("channels", [old], "two=="), channels(channel("C1", "general")));
    await send(new Connection(stub.apiUrl), "general");
    expect(postedTo(stub)).toEqual(["C1"]);
  });
});

describe("the scan", () => {
  test("continues after an empty and a short page, and stops at the name", async () => {
    await using stub = stubWith(
      page("channels", [], "two=="),
      page("channels", crowd(37), "three=="),
      page("channels", [channel("C999", "target")], "four=="),
    );
    await send(new Connection(stub.apiUrl), "target");
    expect(stub.sent("conversations.list").map(({ params }) => params["cursor"])).toEqual([
      undefined,
      "two==",
      "three==",
    ]);
    expect(postedTo(stub)).toEqual(["C999"]);
  });

  test("asks for private channels and then for public ones, in the largest pages", async () => {
    await using stub = stubWith(channels(), channels(channel("C1", "general")));
    await send(new Connection(stub.apiUrl), "general");
    expect(stub.sent("conversations.list").map(({ params }) => params)).toEqual([
      { types: "private_channel", limit: "999" },
      { types: "public_channel", limit: "999" },
    ]);
  });

  test.each([
    ["an empty text", ""],
    ["null", null],
  ])("ends with %s for a cursor", async (_, next_cursor) => {
    await using stub = stubWith({ channels: [channel("C1", "general")], response_metadata: { next_cursor } });
    const error = await new Connection(stub.apiUrl).failure("SendMessage", {
      message: "hi",
      channel_name: "none",
    });
    expect(error.message).toContain("Not found, ");
    expect(stub.calls()).toBe(2);
  });

  test("ends without any cursor field", async () => {
    await using stub = stubWith({ channels: [] });
    await new Connection(stub.apiUrl).failure("SendMessage", { message: "hi", channel_name: "none" });
    expect(stub.calls()).toBe(2);
  });

  test("stops at a repeated cursor", async () => {
    await using stub = stubWith(
      page("channels", [channel("C1", "one")], "a"),
      page("channels", [channel("C2", "two")], "b"),
      page("channels", [channel("C3", "three")], "a"),
      channels(),
    );
    const error = await new Connection(stub.apiUrl).failure("SendMessage", {
      message: "hi",
      channel_name: "none",
    });
    expect(error.kind).toBe("TOOL_RUNTIME_RETRY");
    expect(stub.calls("conversations.list")).toBe(4);
  });

  test.each([
    ["limit_required", refusal("limit_required")],
    ["a 5xx", new Response("<html>", { status: 502 })],
  ])("continues with small pages after %s", async (_, first) => {
    await using stub = stubWith(first, page("channels", [], "two"), channels(channel("C1", "general")));
    await send(new Connection(stub.apiUrl), "general");
    expect(stub.sent("conversations.list").map(({ params }) => params["limit"])).toEqual([
      "999",
      "200",
      "200",
    ]);
  });

  test("gives up after a second failure", async () => {
    await using stub = stubWith(new Response("<html>", { status: 502 }));
    const error = await new Connection(stub.apiUrl).failure("SendMessage", {
      message: "hi",
      channel_name: "x",
    });
    expect(error.kind).toBe("UPSTREAM_RUNTIME_SERVER_ERROR");
    expect(stub.calls()).toBe(2);
  });
});

describe("the name", () => {
  test.each(["general", "#general", " #General ", "GENERAL", "# general"])("%p is found", async (name) => {
    await using stub = stubWith(channels(channel("C1", "other"), channel("C2", "general")));
    await send(new Connection(stub.apiUrl), name);
    expect(postedTo(stub)).toEqual(["C2"]);
  });

  test("may be the normalized one", async () => {
    await using stub = stubWith(channels(channel("C1", "café", { name_normalized: "cafe" })));
    await send(new Connection(stub.apiUrl), "Cafe");
    expect(postedTo(stub)).toEqual(["C1"]);
  });

  test("must be more than a sign", async () => {
    await using stub = stubWith();
    const error = await new Connection(stub.apiUrl).failure("SendMessage", {
      message: "hi",
      channel_name: "#",
    });
    expect(error.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
    expect(stub.calls()).toBe(0);
  });

  test.each([
    ["the one that the user is in", [{ is_member: false }, { is_member: true, is_ext_shared: true }]],
    ["then the one that is not shared", [{ is_ext_shared: true }, { is_ext_shared: false }]],
  ])("of several channels finds %s", async (_, [first, second]) => {
    for (const items of [
      [channel("COTHER", "general", first), channel("CMEANT", "general", second)],
      [channel("CMEANT", "general", second), channel("COTHER", "general", first)],
    ]) {
      await using stub = stubWith(channels(...items));
      await send(new Connection(stub.apiUrl), "general");
      expect(postedTo(stub)).toEqual(["CMEANT"]);
    }
  });

  test("that is shaped like an id is tried as one", async () => {
    await using stub = stubWith();
    await send(new Connection(stub.apiUrl), "C0123456789");
    expect(postedTo(stub)).toEqual(["C0123456789"]);
    expect(stub.calls()).toBe(1);
  });

  test("that only looks like an id is looked up", async () => {
    await using stub = stubWith(channels(channel("C2", "general12")));
    stub.on("chat.postMessage", refusal("channel_not_found"), POSTED);
    await send(new Connection(stub.apiUrl), "GENERAL12");
    expect(postedTo(stub)).toEqual(["GENERAL12", "C2"]);
  });
});

describe("no such channel", () => {
  test("is an error that suggests the closest names, at most a hundred", async () => {
    await using stub = stubWith(channels(...crowd(150), channel("CGEN", "general")));
    const error = await new Connection(stub.apiUrl).failure("SendMessage", {
      message: "hi",
      channel_name: "genral",
    });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.details).toMatchObject({ statusCode: 404, retryAfterMs: 500 });
    expect(error.message).toContain('channel "genral"');
    const known = error.details.additionalPromptContent ?? "";
    expect(error.message).toContain("(nearest: general)");
    expect(known).toStartWith("Correct `channel_name` and call again. ");
    expect(known).toContain('Known channels: [{"id":"CGEN","name":"general"}');
    expect(JSON.parse(known.slice(known.indexOf("[")))).toHaveLength(100);
    expect(stub.calls("chat.postMessage")).toBe(0);
  });

  test("is only 'so far' when the rate limit stopped the scan, which continues there later", async () => {
    await using stub = stubWith(
      page("channels", [channel("C1", "one")], "two"),
      throttle("60"),
      channels(channel("C2", "target")),
    );
    const connection = new Connection(stub.apiUrl);
    const error = await connection.failure("SendMessage", { message: "hi", channel_name: "target" });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", canRetry: true });
    expect(error.message).toContain("Not found so far");
    expect(error.details.retryAfterMs).toBe(60_000);
    expect(error.details.additionalPromptContent).toContain('"one"');

    connection.clock.move(60_000);
    await send(connection, "target");
    expect(stub.sent("conversations.list").map(({ params }) => params["cursor"])).toEqual([
      undefined,
      "two",
      "two",
    ]);
  });

  test("is only 'so far' when the time ran out", async () => {
    await using stub = new Stub();
    const connection = new Connection(stub.apiUrl);
    let pages = 0;
    stub.on("conversations.list", () => {
      connection.clock.move(7000);
      return page("channels", [channel(`C${++pages}`, `team-${pages}`)], `page-${pages}`);
    });
    const error = await connection.failure("SendMessage", { message: "hi", channel_name: "target" });
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_RETRY", canRetry: true });
    expect(error.message).toContain("Not found so far");
    expect(pages).toBe(5);
  });

  test("is only 'so far' when a page does not come in time", async () => {
    await using stub = new Stub();
    const connection = new Connection(stub.apiUrl, { timeMs: 50 });
    stub.on("conversations.list", async () => {
      connection.clock.move(50);
      await Bun.sleep(5000);
      return channels();
    });
    const error = await connection.failure("SendMessage", { message: "hi", channel_name: "target" });
    expect(error.message).toContain("Not found so far");
    expect(stub.calls()).toBe(1);
  });

  test("is cached for half a minute, then looked up again", async () => {
    await using stub = stubWith(channels(channel("C1", "one")));
    const connection = new Connection(stub.apiUrl);
    const fail = () => connection.failure("SendMessage", { message: "hi", channel_name: "new" });
    await fail();
    connection.clock.move(29_000);
    await fail();
    expect(stub.calls()).toBe(2);

    connection.clock.move(2000);
    stub.on("conversations.list", channels(channel("C2", "new")));
    await send(connection, "new");
    expect(stub.calls("conversations.list")).toBe(3);
  });
});
