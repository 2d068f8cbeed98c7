// A holder is declared dead only by a process that has watched its row stay the same all the time.
import { expect, test } from "bun:test";
import { Witness } from "../../src/store";

function watch() {
  let now = 0;
  const witness = new Witness({ monotonic: () => now });
  return {
    witness,
    /** Looks at `state` after each of these pauses. */
    look: (state: string, ...pauses: number[]) =>
      pauses.map((pause) => {
        now += pause;
        return witness.isDead("run", state);
      }),
  };
}

test("a row that stays the same for 15 s has a dead holder", () => {
  expect(watch().look("a", 0, 5000, 5000, 4999, 1)).toEqual([false, false, false, false, true]);
});

test("a heartbeat starts the watch again", () => {
  const { look } = watch();
  look("a", 0, 5000, 5000);

  expect(look("b", 4000, 5000, 5000, 4000)).toEqual([false, false, false, false]);
  expect(look("b", 1000)).toEqual([true]);
});

test("a gap in the watch that is longer than a heartbeat starts it again", () => {
  const { look } = watch();
  look("a", 0, 5000, 5000);

  expect(look("a", 60_000, 5000, 5000, 4999, 1)).toEqual([false, false, false, false, true]);
});

test("rows are watched independently, and only the latest 10,000", () => {
  let now = 0;
  const witness = new Witness({ monotonic: () => now });
  const pass = () => {
    for (let step = 0; step < 4; step++) {
      witness.isDead("run", "a");
      now += 4000;
    }
  };
  pass();
  expect(witness.isDead("other", "a")).toBe(false);
  expect(witness.isDead("run", "a")).toBe(true);

  for (let row = 0; row < 10_000; row++) witness.isDead(`row ${row}`, "a");
  expect(witness.isDead("run", "a")).toBe(false);
});
