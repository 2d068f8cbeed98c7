// Rules for the tests themselves.
import type { SourceFile } from "./rules";

/** Files that may assert how long something takes, with the reason. Paths under test/. */
export const MAY_MEASURE: Readonly<Record<string, string>> = {
  "processes/postgres-faults.test.ts": "the time to recover after a fault of the database is promised",
  "store/postgres/faults-load.ts": "the time to recover after a fault of the database is promised",
  "store/postgres/faults-process.ts": "tells the test how long each caller has waited",
  "suite.test.ts": "contains examples that break the rule",
  "threats/slow-clients.test.ts": "prints the slowest request as a figure; its bounds count requests",
  "support/growth.ts": "compares the time of large and small inputs",
  "metrics/growth.test.ts":
    "compares the time of counting few and many rows: about 1.2 times, and 4 times if all were counted; the bound is 3",
  "server/readiness.test.ts":
    "a check that is not limited never ends, a limited one takes 1.5 s; the promise is 2 s, and the bound 2.5 s",
  "search/index-pauses.test.ts":
    "all tools at once take 300 ms, with pauses the longest is about 15 ms; the bound is 150 ms",
  "processes/lock.test.ts": "a blocked event loop takes 2 s, a free one about 25 ms; the bound is 500 ms",
  "threats/expensive-patterns.test.ts":
    "a cubic template takes 10 s, a linear one 0.05 ms; the bound is 5 ms",
  "threats/worst-bodies.ts":
    "a list of 99,000 names took 6 s and 99,000 keys 1.7 s; the bound of 250 ms is promised in docs/threats.md",
  "store/sqlite-processes.test.ts":
    "a blocked event loop takes 1 s, a free one about 27 ms; the bound is 300 ms",
};

const difference = (now: string): RegExp =>
  new RegExp(String.raw`${now}\(\)\s*-\s*[\w#.(]|[\w)\]]\s*-\s*${now}\(\)`);
// A date is also subtracted from to get another date, so only its upper bounds are durations.
const UPPER_BOUND = /\.(?:toBeLessThan|toBeLessThanOrEqual|toBeWithin)\(/;
const BOUND = /\.(?:toBeLessThan|toBeLessThanOrEqual|toBeGreaterThan|toBeGreaterThanOrEqual|toBeWithin)\(/;
const CLOCKS = [
  { measures: difference("Date.now"), asserts: UPPER_BOUND },
  { measures: difference("performance.now"), asserts: BOUND },
];

/**
 * The files that assert a bound where they measure time, or that measure it for others to do so. On a busy machine such
 * a test fails without a fault: wait for something that is longer than a test may take, compare orders, or move the
 * clock.
 */
export function timeViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !(path in MAY_MEASURE))
    .filter(({ text }) =>
      CLOCKS.some(
        ({ measures, asserts }) => measures.test(text) && (asserts.test(text) || !text.includes("expect(")),
      ),
    )
    .map(({ path }) => `${path} asserts how long something takes`);
}

const STATEMENT = /^[ \t]*expect\([^;]*\)\s*\.(?:rejects|resolves)\b/m;

/** The files with an assertion on a promise that is not awaited: it may fail after the end of its test. */
export function unawaitedAssertions(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ text }) => STATEMENT.test(text))
    .map(({ path }) => `${path} does not await an assertion on a promise`);
}
