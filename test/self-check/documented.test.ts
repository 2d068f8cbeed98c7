// The checks, the deviations that they find, and the pages that name them agree.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { SELF_CHECKED } from "../../catalogs/self-checked";
import { newTerminal } from "../cli/support/fake-io";
import { CHAT_DEVIATIONS } from "./chat-deviations";
import { RECORDS_DEVIATIONS } from "./records-deviations";
import { SHEETS_DEVIATIONS } from "./sheets-deviations";

const SELF_CHECKS = extensions.catalogs.flatMap(({ selfCheck }) => selfCheck ?? []);
const NAMES = SELF_CHECKS.flatMap(({ checks }) => checks.map(({ name }) => name));
const PAGE = readFileSync(join(import.meta.dir, "../../docs/platforms.md"), "utf8");

/** Checks that a deviation of answers cannot change: they only tell, need a renewal, or make no calls. */
const WITHOUT_DEVIATION = [
  "deactivated-people",
  "deactivated-members",
  "hidden-by-plan",
  "token-refresh",
  "limits-of-other-users",
  "picked-without-code",
  "picked-page-again",
  "picker-actions",
  "smart-chips",
  "unopened-file-writes",
  "api-domain",
  "address-of-the-united-kingdom",
  "address-of-the-application",
  "consents-of-canada-and-saudi-arabia",
  "listed-address",
  "access-denied",
  "secret-of-another-data-center",
];

describe("self-checks", () => {
  test("have at least 30 deviations that they find", () => {
    const all = [...CHAT_DEVIATIONS, ...SHEETS_DEVIATIONS, ...RECORDS_DEVIATIONS];
    expect(new Set(all.map(({ behaviour }) => behaviour)).size).toBeGreaterThanOrEqual(30);
    const found = all.map(({ check }) => check);
    expect([...new Set([...found, ...WITHOUT_DEVIATION])].toSorted()).toEqual([...new Set(NAMES)].toSorted());
  });

  test("have names that occur once in a platform, and tools that exist", () => {
    for (const { selfCheck, tools } of extensions.catalogs) {
      const names = selfCheck?.checks.map(({ name }) => name) ?? [];
      expect(new Set(names).size).toBe(names.length);
      const known = tools.map(({ name }) => name);
      expect(known).toEqual(expect.arrayContaining(selfCheck?.checks.map(({ tool }) => tool) ?? []));
    }
  });

  test("answer every question of the page that is not settled", () => {
    const questions = PAGE.split("\n").filter(
      (line) => /^\| [A-Z].*\|$/.test(line) && !line.startsWith("| Question"),
    );
    const checks = questions.map((line) => /`([a-z-]+)` *\|$/.exec(line)?.[1] ?? line);
    expect(questions.length).toBeGreaterThan(20);
    expect(checks.filter((check) => !NAMES.includes(check))).toEqual([]);
    const open = SELF_CHECKS.flatMap(({ checks: all }) =>
      all.filter(({ expects }) => expects.startsWith("Not settled")),
    );
    expect(open.map(({ name }) => name).filter((name) => !checks.includes(name))).toEqual([]);
  });

  test("are of the platforms that the command line offers", async () => {
    expect(SELF_CHECKS.map(({ platform }) => platform).toSorted()).toEqual([...SELF_CHECKED].toSorted());
    const { stdout } = await newTerminal().run(["__complete", "doctor", "--platform", ""]);
    expect(stdout.trim().split("\n")).toEqual([...SELF_CHECKED]);
  });
});
