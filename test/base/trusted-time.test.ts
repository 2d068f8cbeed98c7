// Time by which things expire: a jump of the wall clock ahead counts only after a while.
import { expect, test } from "bun:test";
import { TrustedTime } from "../../src/base";

const DISTRUST = 600_000;

function time() {
  const clock = { wall: 1_000_000, steady: 5 };
  const trusted = new TrustedTime({ now: () => clock.wall, monotonic: () => clock.steady }, DISTRUST);
  return {
    trusted,
    pass: (ms: number) => {
      clock.wall += ms;
      clock.steady += ms;
    },
    jump: (ms: number) => {
      clock.wall += ms;
    },
  };
}

test("advances with the clock", () => {
  const { trusted, pass } = time();
  pass(3 * DISTRUST);

  expect(trusted.now()).toBe(1_000_000 + 3 * DISTRUST);
});

test("follows small corrections", () => {
  const { trusted, jump } = time();
  jump(900);
  expect(trusted.now()).toBe(1_000_900);
  jump(900);
  expect(trusted.now()).toBe(1_001_800);
});

test("believes a jump ahead only after a while", () => {
  const { trusted, pass, jump } = time();
  jump(DISTRUST);
  expect(trusted.now()).toBe(1_000_000);
  pass(DISTRUST - 1);
  expect(trusted.now()).toBe(1_000_000 + DISTRUST - 1);
  pass(1);
  expect(trusted.now()).toBe(1_000_000 + 2 * DISTRUST);
});

test("starts to wait again at a further jump", () => {
  const { trusted, pass, jump } = time();
  jump(DISTRUST);
  trusted.now();
  pass(DISTRUST - 1);
  jump(DISTRUST);
  trusted.now();
  pass(1);

  expect(trusted.now()).toBe(1_000_000 + DISTRUST);
});

test("believes a clock that is set back at once", () => {
  const { trusted, jump } = time();
  jump(-DISTRUST);

  expect(trusted.now()).toBe(1_000_000 - DISTRUST);
});
