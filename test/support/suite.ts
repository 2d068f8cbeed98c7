// Rules for the tests themselves.
import type { SourceFile } from "./rules";

/** Files that may measure time, with the reason. Paths under test/. */
export const MAY_MEASURE: Readonly<Record<string, string>> = {
  "suite.test.ts": "contains examples that break the rule",
  "support/growth.ts": "compares the time of large and small inputs",
  "processes/lock.test.ts": "a blocked event loop takes 2 s, a free one about 25 ms; the bound is 500 ms",
  "store/sqlite-processes.test.ts":
    "a blocked event loop takes 1 s, a free one about 27 ms; the bound is 300 ms",
};

const NOW = String.raw`(?:performance|Date)\.now\(\)`;
const DIFFERENCE = new RegExp(String.raw`${NOW}\s*-\s*[\w#.(]|[\w)\]]\s*-\s*${NOW}`);
const UPPER_BOUND = /\.(?:toBeLessThan|toBeLessThanOrEqual|toBeWithin)\(/;

/**
 * The files that assert an upper bound where they measure time, or that measure it for others to do so. On a busy machine
 * such a test fails without a fault: wait for something that is longer than a test may take, compare orders, or move the
 * clock. Lower bounds are fine.
 */
export function timeViolations(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => {
      if (path in MAY_MEASURE || !DIFFERENCE.test(text)) return false;
      return UPPER_BOUND.test(text) || !text.includes("expect(");
    })
    .map(({ path }) => `${path} measures time for an upper bound`);
}
