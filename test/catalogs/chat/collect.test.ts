// Listings that are handed back: where they end, and what becomes of them when something comes between.
import { describe, expect, test } from "bun:test";
import { ChatClient } from "../../../catalogs/chat/client";
import { collect } from "../../../catalogs/chat/collect";
import { nextCursorIn } from "../../../catalogs/chat/upstream/exchange";
import { objectsIn } from "../../../catalogs/upstream/json";
import { Connection, failureOf } from "./run";
import { page, refusal, Stub, throttle } from "./stub";

const LIMIT = { default: 200, maximum: 500 };

/** Lists members, of whom only those with a name count. */
function list(connection: Connection, request: { limit?: number; next_cursor?: string } = {}, options = {}) {
  const client = new ChatClient(connection.context(options));
  return collect(client, request, LIMIT, async (cursor, limit) => {
    const body = await client.call("users.list", { limit, cursor }, { paging: true });
    const items = objectsIn(body, "members").filter(({ name }) => name !== undefined);
    return { items, counts: items.length, next: nextCursorIn(body) };
  });
}

const missing = (reason: string) => ({ what: "the rest of the list", reason });
const ADA = { id: "U1", name: "ada" };
const BOB = { id: "U2", name: "bob" };
const members = (items: { [key: string]: unknown }[], next?: string) => page("members", items, next);

describe("a rate limit", () => {
  test("that fits is waited for once, and ends the listing the second time", async () => {
    await using stub = new Stub().on(
      "users.list",
      members([ADA], "two"),
      throttle("1"),
      members([BOB], "three"),
      throttle("1"),
    );
    const connection = new Connection(stub.apiUrl);
    expect(await list(connection)).toEqual({
      items: [ADA, BOB],
      next_cursor: "three",
      missing: [missing("The platform's rate limit is reached. Continue with next_cursor in 1 s.")],
    });
    expect(connection.clock.sleeps).toEqual([1000]);
    expect(stub.calls()).toBe(4);
  });

  test("that is too long returns what was read, even if none of it counted", async () => {
    await using stub = new Stub().on("users.list", members([{ id: "U9" }], "two"), throttle("60"));
    expect(await list(new Connection(stub.apiUrl))).toEqual({
      items: [],
      next_cursor: "two",
      missing: [missing("The platform's rate limit is reached. Continue with next_cursor in 60 s.")],
    });
  });

  test("is an error when nothing was read", async () => {
    await using stub = new Stub().on("users.list", throttle("60"));
    const error = await failureOf(list(new Connection(stub.apiUrl), { next_cursor: "one" }));
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", details: { retryAfterMs: 60_000 } });
  });
});

test("returns what was read when the time is spent", async () => {
  await using stub = new Stub();
  const connection = new Connection(stub.apiUrl);
  let pages = 0;
  stub.on("users.list", () => {
    connection.clock.move(11_000);
    return members([ADA], `page-${++pages}`);
  });
  expect(await list(connection)).toEqual({
    items: [ADA, ADA, ADA],
    next_cursor: "page-3",
    missing: [missing("The time of one call was used up. Continue with next_cursor.")],
  });
  expect(pages).toBe(3);
});

test("returns what was read when a page does not arrive in time", async () => {
  await using stub = new Stub();
  const connection = new Connection(stub.apiUrl, { timeMs: 100 });
  stub.on("users.list", members([ADA], "two"), async () => {
    connection.clock.move(100);
    await Bun.sleep(5000);
    return members([]);
  });
  expect(await list(connection)).toMatchObject({ items: [ADA], next_cursor: "two", missing: [{}] });
});

test.each([
  ["a 5xx", new Response("<html>", { status: 503 })],
  ["a transient code", refusal("internal_error")],
])("returns what was read when %s comes twice", async (_, failure) => {
  await using stub = new Stub().on("users.list", members([ADA], "two"), failure);
  const { items, next_cursor, missing: parts } = await list(new Connection(stub.apiUrl));
  expect({ items, next_cursor }).toEqual({ items: [ADA], next_cursor: "two" });
  expect(parts[0]?.reason).toContain("Continue with next_cursor.");
});

test("returns what was read when a cursor of the listing itself has expired", async () => {
  await using stub = new Stub().on("users.list", members([ADA], "two"), refusal("invalid_cursor"));
  expect(await list(new Connection(stub.apiUrl))).toEqual({
    items: [ADA],
    next_cursor: null,
    missing: [missing("The platform ended its listing early. Call again without next_cursor.")],
  });
});

test("any other failure in the middle is an error", async () => {
  await using stub = new Stub().on("users.list", members([ADA], "two"), refusal("something_new"));
  expect((await failureOf(list(new Connection(stub.apiUrl)))).kind).toBe("UPSTREAM_RUNTIME_UNMAPPED");
});

test("a caller that disconnects in the middle gets an error, not a part", async () => {
  const caller = new AbortController();
  await using stub = new Stub().on("users.list", members([ADA], "two"), async () => {
    caller.abort();
    await Bun.sleep(5000);
    return members([]);
  });
  const error = await failureOf(list(new Connection(stub.apiUrl), {}, { signal: caller.signal }));
  expect(error.kind).toBe("NETWORK_TRANSPORT_RUNTIME_TIMEOUT");
});

describe("cursors", () => {
  test.each(["", "  "])("%p is the beginning", async (next_cursor) => {
    await using stub = new Stub().on("users.list", members([ADA]));
    await list(new Connection(stub.apiUrl), { next_cursor });
    expect(stub.requests[0]?.params).not.toHaveProperty("cursor");
  });

  test.each(["bmV4dDo0MDE=", " spaces and = stay "])("%p is passed on unchanged", async (cursor) => {
    await using stub = new Stub().on("users.list", members([ADA], `next ${cursor}`));
    const part = await list(new Connection(stub.apiUrl), { limit: 1, next_cursor: cursor });
    expect(stub.requests[0]?.params["cursor"]).toBe(cursor);
    expect(part.next_cursor).toBe(`next ${cursor}`);
  });

  test("that are repeated, at once or later, are the end", async () => {
    await using stub = new Stub().on(
      "users.list",
      members([ADA], "a"),
      members([], "b"),
      members([BOB], "a"),
    );
    expect(await list(new Connection(stub.apiUrl))).toEqual({
      items: [ADA, BOB],
      next_cursor: null,
      missing: [],
    });
    expect(stub.calls()).toBe(3);
  });

  test.each([[null], [undefined], [""]])("of %p are the end", async (next_cursor) => {
    await using stub = new Stub().on("users.list", { members: [ADA], response_metadata: { next_cursor } });
    expect((await list(new Connection(stub.apiUrl))).next_cursor).toBeNull();
  });
});

test("a page that is larger than requested is returned whole, so that no item is lost", async () => {
  await using stub = new Stub().on("users.list", members([ADA, BOB], "two"));
  expect(await list(new Connection(stub.apiUrl), { limit: 1 })).toEqual({
    items: [ADA, BOB],
    next_cursor: "two",
    missing: [],
  });
});
