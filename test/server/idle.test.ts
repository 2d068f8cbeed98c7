// When memory is collected: once after a busy time, and not while anybody calls.
import { afterEach, expect, test } from "bun:test";
import { collectWhenQuiet } from "../../server/idle";
import { until } from "../connections/executing";

const QUIET_MS = 25;
let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

function watched(): { collected: number; call: (times: number) => void } {
  const state = { collected: 0, call: (_times: number): void => undefined };
  const count = collectWhenQuiet(stop.signal, () => void (state.collected += 1), QUIET_MS);
  state.call = (times) => {
    for (let index = 0; index < times; index++) count();
  };
  return state;
}

/** Returns after another server has collected, in the time in which this one might have. */
async function collectedElsewhere(): Promise<void> {
  const other = watched();
  other.call(1000);
  await until(() => other.collected > 0);
}

test("a busy time is collected after once, however long it is quiet", async () => {
  const state = watched();
  state.call(5000);
  await until(() => state.collected > 0);
  await collectedElsewhere();

  expect(state.collected).toBe(1);
});

test("a second busy time is collected after too", async () => {
  const state = watched();
  for (let round = 0; round < 2; round++) {
    state.call(1000);
    await until(() => state.collected > round);
  }

  expect(state.collected).toBe(2);
});

test("a few calls are not a busy time", async () => {
  const state = watched();
  state.call(999);
  await collectedElsewhere();

  expect(state.collected).toBe(0);
});

test("a server that stops collects no more", async () => {
  const state = watched();
  state.call(5000);
  stop.abort();
  stop = new AbortController();
  await collectedElsewhere();

  expect(state.collected).toBe(0);
});
