// The large workspace with the platform's rates, 20 list calls and 100 calls for people a minute for an app and a
// workspace, on a virtual clock: each scan ends, also over several runs, connections and processes.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { ToolError } from "../../../src/tools";
import { TestMemory } from "../context";
import {
  CHANNEL_PAGES,
  CHANNELS,
  largeWorkspace,
  MEMBERS,
  OWN,
  PEOPLE,
  PEOPLE_PAGES,
} from "./large-workspace";
import { Connection } from "./run";
import type { Stub } from "./stub";

setDefaultTimeout(60_000);

const START = Date.parse("2026-03-08T12:00:00Z");
let now = START;
let stub: Stub;
beforeEach(() => {
  now = START;
  stub = largeWorkspace(() => now)
    .on("chat.postMessage", { channel: "C1", ts: "1.0", message: {} })
    .on("conversations.open", { channel: { id: "D1", is_im: true, user: "U1" } });
});
afterEach(() => stub[Symbol.asyncDispose]());

const CLOCK = {
  now: () => now,
  monotonic: () => now,
  sleeps: [],
  move: (ms: number) => void (now += ms),
  sleep: async (ms: number) => void (now += ms),
};

/** One process: it begins without a cache, and with what earlier ones have stored. */
function processOf(memory: TestMemory, user = "ac_1"): Connection {
  const grant = { connectionId: user, facts: { user_id: "UME" }, scopes: [] };
  const options = { grant, memory: memory.of(user, "T1"), clock: CLOCK as never };
  return new Connection(stub.apiUrl, options, CLOCK);
}

/** Calls again as the error says until the tool succeeds, or says for certain that it cannot. */
async function untilSettled(
  process: () => Connection,
  tool: string,
  input: { [key: string]: unknown },
): Promise<{ runs: number; output: unknown; error: ToolError | undefined }> {
  for (let runs = 1; runs <= 10; runs++) {
    try {
      return { runs, output: await process().run(tool, input), error: undefined };
    } catch (thrown) {
      const error = thrown as ToolError;
      if (!error.message.includes("so far") && error.kind !== "UPSTREAM_RUNTIME_RATE_LIMIT")
        return { runs, output: undefined, error };
      now += error.details.retryAfterMs ?? 0;
    }
  }
  throw new Error("It never ends.");
}

const SCANS = [
  [
    "one process",
    () => {
      const memory = new TestMemory(CLOCK);
      const own = processOf(memory);
      return () => own;
    },
  ],
  [
    "a process for each run",
    () => {
      const memory = new TestMemory(CLOCK);
      return () => processOf(memory);
    },
  ],
] as const;

describe.each(SCANS)("in %s", (_, start) => {
  test("the last channel is found with one call for each page", async () => {
    const { runs } = await untilSettled(start(), "SendMessage", {
      channel_name: `channel-${CHANNELS - 1}`,
      message: "hi",
    });
    expect(runs).toBe(2);
    // One call of each minute finds out that it is over.
    expect(stub.calls("conversations.list")).toBeLessThanOrEqual(CHANNEL_PAGES + 1);
  });

  test("a channel that does not exist is refused with one call for each page", async () => {
    const process = start();
    const { error, runs } = await untilSettled(process, "SendMessage", {
      channel_name: "nowhere",
      message: "hi",
    });
    expect(error?.message).toStartWith("Not found, or not visible to this user");
    expect(runs).toBe(2);
    expect(stub.calls("conversations.list")).toBeLessThanOrEqual(CHANNEL_PAGES + 1);
    // Believed for a while, and all other names are known.
    await process().failure("SendMessage", { channel_name: "nowhere", message: "hi" });
    await process().run("SendMessage", { channel_name: "channel-20000", message: "hi" });
    expect(stub.calls("conversations.list")).toBeLessThanOrEqual(CHANNEL_PAGES + 1);
  });

  test("a misspelt username is refused with one call for each page", async () => {
    const { error } = await untilSettled(start(), "GetUsersInfo", { usernames: ["nobody-here"] });
    expect(error?.message).toStartWith("Not found, or not visible to this user");
    expect(stub.calls("users.list")).toBeLessThanOrEqual(PEOPLE_PAGES + 1);
  });

  test("the last person is found with one call for each page", async () => {
    const { output } = await untilSettled(start(), "GetUsersInfo", { usernames: [`person-${PEOPLE - 1}`] });
    expect(output).toMatchObject({
      users: [{ id: `U${PEOPLE - 1}`, email: `person-${PEOPLE - 1}@example.com` }],
    });
    expect(stub.calls("users.list")).toBeLessThanOrEqual(PEOPLE_PAGES + 1);
  });
});

test("a scan that was cut off says in how many seconds it continues", async () => {
  const own = processOf(new TestMemory(CLOCK));
  const error = await own.failure("SendMessage", { channel_name: "nowhere", message: "hi" });
  expect(error.message).toContain("Not found so far");
  expect(error.message).toContain("Call again in 60 s: it continues where it stopped.");
  expect(error.details.retryAfterMs).toBe(60_000);
});

test("another process and another user of the app and workspace know the block, without a call", async () => {
  const memory = new TestMemory(CLOCK);
  await processOf(memory).failure("SendMessage", { channel_name: "nowhere", message: "hi" });
  const before = stub.calls();
  for (const user of ["ac_1", "ac_2"]) {
    const error = await processOf(memory, user).failure("SendMessage", {
      channel_name: "nowhere",
      message: "hi",
    });
    expect(error).toMatchObject({ kind: "UPSTREAM_RUNTIME_RATE_LIMIT", details: { retryAfterMs: 60_000 } });
  }
  expect(stub.calls()).toBe(before);
});

test("another user does not see the names that one has read", async () => {
  const memory = new TestMemory(CLOCK);
  await processOf(memory).run("SendMessage", { channel_name: "channel-3", message: "hi" });
  await processOf(memory, "ac_2").run("SendMessage", { channel_name: "channel-3", message: "hi" });
  expect(stub.calls("conversations.list")).toBe(2);
});

test("processes that begin at once share one scan, which ends over several runs", async () => {
  const memory = new TestMemory(CLOCK);
  const input = { channel_name: "nowhere", message: "hi" };
  const both = () =>
    Promise.all([processOf(memory), processOf(memory)].map((own) => own.failure("SendMessage", input)));
  for (let round = 0; round < 3; round++) {
    const errors = await both();
    if (errors.every(({ message }) => message.startsWith("Not found, or"))) {
      // Two that read the same pages at the same time need twice as many at most, and one call to meet the limit.
      expect(stub.calls("conversations.list")).toBeLessThanOrEqual(2 * CHANNEL_PAGES + 4);
      return;
    }
    now += 60_000;
  }
  throw new Error("It never ends.");
});

test("300 conversations of one's own take at most two calls", async () => {
  const own = processOf(new TestMemory(CLOCK));
  const conversations: unknown[] = [];
  for (let cursor: unknown = ""; cursor !== null;) {
    const part = (await own.run("ListConversations", { next_cursor: cursor })) as {
      conversations: unknown[];
      next_cursor: unknown;
    };
    conversations.push(...part.conversations);
    cursor = part.next_cursor;
  }
  expect(conversations).toHaveLength(OWN);
  expect(stub.calls()).toBe(2);
});

test.each([50, 200, 500])("1,000 members come in parts of at most %d without an error", async (limit) => {
  const memory = new TestMemory(CLOCK);
  const ids = new Set<string>();
  let named = 0;
  for (let cursor: unknown = ""; cursor !== null;) {
    const part = (await processOf(memory).run("GetUsersInConversation", {
      conversation_id: "C1000",
      limit,
      next_cursor: cursor,
    })) as {
      users: { id: string; name: string | null }[];
      next_cursor: unknown;
      missing?: { reason: string }[];
    };
    for (const { id, name } of part.users) {
      ids.add(id);
      if (name !== null) named++;
    }
    cursor = part.next_cursor;
    if (part.users.some(({ name }) => name === null)) expect(part.missing?.[0]?.reason).toContain("in ");
    // As a model that reads the reason does.
    if (part.missing !== undefined) now += 60_000;
  }
  expect(ids.size).toBe(MEMBERS);
  expect(named).toBeGreaterThan(MEMBERS * 0.8);
});
