// A workspace of 30,000 people and 27,000 channels: names are resolved in the fewest pages, once for all who ask, and
// what is remembered has its bounds.
import { heapStats } from "bun:jsc";
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Connection } from "./run";
import { CHANNEL_PAGES, CHANNELS, largeWorkspace, PEOPLE, PEOPLE_PAGES } from "./large-workspace";
import { page, type Stub } from "./stub";

// Megabytes of JSON take their time on a busy machine.
setDefaultTimeout(60_000);

let stub: Stub;
beforeAll(() => {
  stub = largeWorkspace()
    .on("conversations.open", { channel: { id: "D1", is_im: true, user: "U1" } })
    .on("conversations.history", page("messages", []))
    .on("chat.postMessage", { channel: "C1", ts: "1.0", message: {} });
});
afterAll(() => stub[Symbol.asyncDispose]());

function connection(): Connection {
  return new Connection(stub.apiUrl, { grant: { facts: { user_id: "UME" }, scopes: ["im:write"] } });
}

async function callsOf(method: string, work: () => Promise<unknown>): Promise<number> {
  const before = stub.calls(method);
  await work();
  return stub.calls(method) - before;
}

const last = { channel_name: `channel-${CHANNELS - 1}` };
const lastPerson = { usernames: [`person-${PEOPLE - 1}`] };

test("the last channel takes 28 pages, and none the second time", async () => {
  const own = connection();
  const input = { ...last, message: "hi" };
  expect(await callsOf("conversations.list", () => own.run("SendMessage", input))).toBe(CHANNEL_PAGES);
  expect(await callsOf("conversations.list", () => own.run("SendMessage", input))).toBe(0);
  expect(CHANNEL_PAGES).toBe(28);
});

test("the last person takes 31 pages, and none the second time", async () => {
  const own = connection();
  expect(await callsOf("users.list", () => own.run("GetMessages", lastPerson))).toBe(PEOPLE_PAGES);
  expect(await callsOf("users.list", () => own.run("GetMessages", lastPerson))).toBe(0);
  expect(PEOPLE_PAGES).toBe(31);
});

test("a private channel takes one page", async () => {
  const first = { channel_name: "channel-7" };
  expect(await callsOf("conversations.list", () => connection().run("GetConversationMetadata", first))).toBe(
    1,
  );
});

test("a name that does not exist takes all pages once for all runs", async () => {
  const own = connection();
  const none = () => own.failure("SendMessage", { channel_name: "no-such-channel", message: "hi" });
  expect(await callsOf("conversations.list", () => Promise.all([none(), none(), none()]))).toBe(
    CHANNEL_PAGES,
  );
  expect(await callsOf("conversations.list", none)).toBe(0);
});

test("twenty concurrent runs that search names read each page once", async () => {
  const own = connection();
  const runs = Array.from({ length: 20 }, (_, n) => [
    own.run("SendMessage", { channel_name: `channel-${CHANNELS - 1 - n}`, message: "hi" }),
    own.run("GetMessages", { usernames: [`person-${PEOPLE - 1 - n}`] }),
  ]);
  const lists = await callsOf("users.list", async () => {
    expect(await callsOf("conversations.list", () => Promise.all(runs.flat()))).toBe(CHANNEL_PAGES);
  });
  expect(lists).toBe(PEOPLE_PAGES);
});

test("the cache is limited and is removed with the connection", async () => {
  const heap = (): number => {
    stub.requests.length = 0;
    Bun.gc(true);
    return heapStats().heapSize / 1_000_000;
  };
  const before = heap();
  const own = connection();
  await own.run("SendMessage", { ...last, message: "hi" });
  await own.run("GetMessages", lastPerson);
  const megabytes = heap() - before;
  // Kept, so that it counts.
  expect(own.cache.get("users")).toBeDefined();
  expect(megabytes).toBeLessThan(40);
});
