// Arithmetic and text of the bench. Its measurements are not asserted, because they depend on the machine.
import { describe, expect, test } from "bun:test";
import type { Row } from "./bench";
import { atLeast, atMost, isMet } from "./bound";
import { median, percentile, ratios, spread } from "./figures";
import { readOptions } from "./options";
import { table, verdicts } from "./report";
import { inTurn } from "./rounds";

describe("figures", () => {
  test.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 2, 100], 3],
  ])("the median of %p is %p", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  test("the median of an empty list is NaN", () => {
    expect(median([])).toBeNaN();
  });

  test.each([
    [0.5, 3],
    [0.99, 5],
    [0, 1],
  ])("the percentile %p of 1 to 5 is %p", (share, expected) => {
    expect(percentile([1, 2, 3, 4, 5], share)).toBe(expected);
  });

  test("ratios are taken round by round", () => {
    expect(ratios([10, 30], [20, 20])).toEqual([0.5, 1.5]);
    expect(spread([0.5, 1.5, 1])).toEqual([0.5, 1.5]);
  });

  test("ratios of sides with different rounds are refused", () => {
    expect(() => ratios([1, 2], [1])).toThrow(RangeError);
  });
});

test("rounds alternate between the sides", async () => {
  const order: string[] = [];

  const results = await inTurn(2, { a: () => order.push("a"), b: async () => order.push("b") });

  expect(order).toEqual(["a", "b", "a", "b"]);
  expect(results).toEqual({ a: [1, 3], b: [2, 4] });
});

describe("bounds", () => {
  test.each([
    ["a ratio that is just enough", atLeast(0.6), 0.6, true],
    ["a ratio that is too low", atLeast(0.6), 0.59, false],
    ["a size that just fits", atMost(130, "MB"), 130, true],
    ["a size that is too large", atMost(130, "MB"), 130.1, false],
    ["nothing measured", atMost(5), undefined, undefined],
  ])("%s", (_what, bound, figure, met) => {
    expect(isMet(bound, figure)).toBe(met);
  });
});

describe("report", () => {
  const row = (name: string, figure?: number): Row => ({
    name,
    measured: figure === undefined ? "" : `${figure * 100}/s`,
    baseline: "100/s",
    bound: atLeast(0.5),
    ...(figure === undefined ? { note: "no executable" } : { figure }),
  });

  test("a bound is met if every run meets it, and the median run is shown", () => {
    const [get, list] = verdicts([
      [row("get", 0.9), row("list", 0.6)],
      [row("get", 0.4), row("list", 0.7)],
      [row("get", 0.8), row("list", 0.8)],
    ]);

    expect(get).toMatchObject({ figure: 0.8, met: false, metRuns: 2, runs: 3, figures: [0.9, 0.4, 0.8] });
    expect(list).toMatchObject({ figure: 0.7, met: true, metRuns: 3 });
  });

  test("the table has yes, no, or the reason of a skipped row", () => {
    const lines = table(verdicts([[row("get", 0.75), row("list", 0.25), row("size")]])).split("\n");

    expect(lines[0]).toMatch(/^row +measured +baseline +figure +spread +bound +met +note$/);
    expect(lines[2]).toMatch(/^get +75\/s +100\/s +0\.75 × +≥ 0\.50 × +yes$/);
    expect(lines[3]).toMatch(/^list +25\/s +100\/s +0\.25 × +≥ 0\.50 × +no$/);
    expect(lines[4]).toMatch(/^size +100\/s +≥ 0\.50 × +skipped +no executable$/);
  });

  test("a bound that is met against a disturbed baseline is unclear, a missed one is missed", () => {
    const report = verdicts([
      [row("get", 0.75), row("list", 0.25)].map((one) => ({ ...one, doubtful: true })),
    ]);

    expect(report.map(({ met }) => met)).toEqual([undefined, false]);
    expect(table(report)).toContain("unclear");
  });

  test("with several runs the table counts them", () => {
    expect(table(verdicts([[row("get", 0.75)], [row("get", 0.25)]]))).toContain("no (1 of 2)");
  });
});

describe("options", () => {
  test("have defaults", () => {
    expect(readOptions([], {})).toMatchObject({
      names: [],
      seconds: 1,
      rounds: 15,
      runs: 1,
      connections: 100_000,
    });
  });

  test("come from the environment, and arguments override them", () => {
    const environment = {
      RUNTIME_BENCH_SECONDS: "0.4",
      RUNTIME_BENCH_ROUNDS: "9",
      RUNTIME_BENCH_LONG: "1",
    };

    expect(readOptions(["get"], environment)).toMatchObject({
      names: ["get"],
      seconds: 0.4,
      rounds: 9,
      connections: 1_000_000,
    });
    expect(readOptions(["--seconds", "0.5", "--connections", "20,000"], environment)).toMatchObject({
      seconds: 0.5,
      connections: 20_000,
    });
  });

  test.each([["--seconds=0"], ["--rounds=1.5"], ["--connections=many"], ["--server=other"], ["--unknown"]])(
    "%s is refused",
    (argument) => {
      expect(() => readOptions([argument], {})).toThrow(argument.split("=")[0]?.slice(2));
    },
  );
});
