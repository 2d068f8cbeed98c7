// The expected failures of the conformance suite: `exceptions.txt`, one per line, with a reason.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Verdict, Verdicts } from "./suite";

export interface Exception {
  scenario: string;
  /** Absent: every failure of the scenario. */
  check: string | undefined;
  reason: string;
}

/** `scenario: reason` or `scenario > check: reason`. Throws for a line of another form. */
export function readExceptions(text: string): Exception[] {
  return text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, scenario, check, reason] = /^([\w/-]+)(?: > ([^:]+))?: +(\S.*)$/.exec(line) ?? [];
      if (scenario === undefined || reason === undefined) throw new Error(`not an exception: ${line}`);
      return { scenario, check, reason };
    });
}

export const exceptions = readExceptions(readFileSync(join(import.meta.dir, "exceptions.txt"), "utf8"));

/** Unexpected failures, and lines that expect a failure in a scenario that ran without it. */
export function compare(
  { scenarios, failures }: Verdicts,
  expected: readonly Exception[],
): { unexpected: string[]; passing: Exception[] } {
  const fits = (exception: Exception, { scenario, check }: Verdict): boolean =>
    exception.scenario === scenario &&
    (exception.check === undefined || check.split(" ").includes(exception.check));
  return {
    unexpected: failures
      .filter((failure) => !expected.some((exception) => fits(exception, failure)))
      .map(({ scenario, check, message }) => `${scenario} > ${check}: ${message}`),
    passing: expected.filter(
      (exception) =>
        scenarios.includes(exception.scenario) && !failures.some((failure) => fits(exception, failure)),
    ),
  };
}
