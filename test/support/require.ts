// Tests that need a part of the system print why they are skipped; where everything is required a skip is a failure.
import { test } from "bun:test";
import { existsSync } from "node:fs";

/** `test`, or a skipped test that says which part is missing. */
export function testWith(part: string, present: boolean): typeof test {
  if (present) return test;
  if (process.env["RUNTIME_TEST_REQUIRE"] === "all")
    throw new Error(`${part} is required for this test and missing`);
  process.stderr.write(`skipped: ${part} is not installed\n`);
  return test.skip as typeof test;
}

/** `test`, or a skipped test that says which right is missing. A container cannot be given a right by installing something. */
export function testIfAllowed(right: string, allowed: boolean): typeof test {
  if (allowed) return test;
  process.stderr.write(`skipped: ${right} is not allowed here\n`);
  return test.skip as typeof test;
}

/** Debian's Chromium. */
export const CHROMIUM = "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);
