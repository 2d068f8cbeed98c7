// When the watchdog of a service manager hears from the server, by what its database does.
import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { unavailable } from "../../src/errors";
import { watchOver } from "../../src/supervision/watchdog";

const INTERVAL_MS = 1000;
const STUCK_AFTER_MS = 5000;

type Answer = () => Promise<never>;
const hangs: Answer = () => new Promise(() => undefined);
const refuses: Answer = () => Promise.reject(new Error("the disk is full"));
const isAway: Answer = () => Promise.reject(unavailable("The database is on a machine that is down."));
const answers = (() => Promise.resolve([])) as unknown as Answer;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** How many messages are sent in ten intervals when the database does this. */
async function messages({ read = answers, write = answers }: { read?: Answer; write?: Answer }) {
  let count = 0;
  const end = watchOver({
    store: { all: read, write },
    intervalMs: INTERVAL_MS,
    stuckAfterMs: STUCK_AFTER_MS,
    alive: () => count++,
  });
  for (let beat = 0; beat < 20; beat++) {
    jest.advanceTimersByTime(INTERVAL_MS / 2);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  end();
  return count;
}

test("hears twice in each interval from a database that answers", async () => {
  expect(await messages({})).toBe(20);
});

test("hears nothing when reads get no answer", async () => {
  expect(await messages({ read: hangs })).toBe(0);
});

test("hears nothing when reads fail", async () => {
  expect(await messages({ read: refuses })).toBe(0);
});

test("hears as before when the database is away, because a restart would not bring it back", async () => {
  expect(await messages({ read: isAway, write: isAway })).toBe(20);
});

test("hears as before when writes are refused, because a restart would not make room", async () => {
  expect(await messages({ write: refuses })).toBe(20);
});

test("hears nothing any more when a write hangs for longer than any lock", async () => {
  expect(await messages({ write: hangs })).toBeWithin(9, 12);
});
