// The rule on words, checked on the project and on sentences that break it.
import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SourceFile } from "./support/rules";
import { CHECKED_TEXT, CHECKED_TITLES, titlesOf, WORD_EXCEPTIONS, wordViolations } from "./support/words";

const ROOT = join(import.meta.dir, "..");

function filesIn(path: string): SourceFile[] {
  if (statSync(join(ROOT, path)).isFile()) return [{ path, text: readFileSync(join(ROOT, path), "utf8") }];
  const names = new Bun.Glob("**/*").scanSync({ cwd: join(ROOT, path), dot: true });
  return [...names]
    .filter((name) => !name.includes("node_modules/"))
    .flatMap((name) => filesIn(`${path}/${name}`));
}

describe("words:", () => {
  test("product and documentation use standard terms", () => {
    const files = CHECKED_TEXT.flatMap(filesIn);
    const titles = CHECKED_TITLES.flatMap(filesIn)
      // This file quotes the words.
      .filter(({ path }) => path.endsWith(".test.ts") && path !== "test/words.test.ts")
      .map(titlesOf);

    expect(files.length).toBeGreaterThan(10);
    expect(titles.filter(({ text }) => text !== "").length).toBeGreaterThan(300);
    expect(wordViolations([...files, ...titles], WORD_EXCEPTIONS)).toEqual([]);
  });

  test("there are at most 20 exceptions, each with a reason", () => {
    expect(WORD_EXCEPTIONS.length).toBeLessThanOrEqual(20);
    expect(WORD_EXCEPTIONS.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });

  test.each([
    ["a word", "Nobody uses it."],
    ["two words", "These are the ways in."],
    ["a word in a name", "const whatUserOwes = 1;"],
    ["a word in a field", "is_owed: true"],
    ["words over two lines of a comment", "// The file is\n// no database."],
    ["words over two lines of a docstring", "/**\n * The file is\n * no database.\n */"],
    ["words over two strings", 'throw new Error("The file is " +\n  "no database.");'],
    ["is no", "X is no address of this machine."],
    ["are no", "Those are no records."],
    ["there is no such", "There is no such file."],
  ])("refuses %s", (_what, text) => {
    expect(wordViolations([{ path: "src/file.ts", text }])).toHaveLength(1);
  });

  test.each([
    ["a noun", "A stand-in for the platform; stand-ins are tests."],
    ["there is no", "There is no project of this name. There are no rows."],
    ["no longer", "The file is no longer used."],
    ["a comparison", "The list is no larger than the limit."],
    ["no-op", "The second call is no-op."],
    ["a longer word", "The background besides the household understands."],
  ])("allows %s", (_what, text) => {
    expect(wordViolations([{ path: "src/file.ts", text }])).toEqual([]);
  });

  test("an exception allows its phrase in its file only", () => {
    const exceptions = [{ path: "src/file.ts", phrase: "House of Cards", reason: "name of a series" }];
    const text = "House of Cards";

    expect(wordViolations([{ path: "src/file.ts", text }], exceptions)).toEqual([]);
    expect(wordViolations([{ path: "src/other.ts", text }], exceptions)).toHaveLength(2);
  });

  test("finds an exception that is not needed", () => {
    const exceptions = [{ path: "src/file.ts", phrase: "House of Cards", reason: "name of a series" }];

    expect(wordViolations([{ path: "src/file.ts", text: "Cards" }], exceptions)).toEqual([
      'src/file.ts: no exception needed for "House of Cards"',
    ]);
  });

  test.each([
    ["a test", 'test("nobody", () => {});'],
    ["a group", 'describe("nobody", () => {});'],
    ["a test with rows", 'test.each([1])("nobody %d", () => {});'],
    ["a test that may be skipped", 'test.skipIf(slow)(\n  "nobody",\n  () => {});'],
    ["a row", 'test.each([\n  ["nobody", 1],\n])("%s", () => {});'],
  ])("reads the title of %s", (_what, text) => {
    expect(wordViolations([titlesOf({ path: "test/file.test.ts", text })])).toHaveLength(1);
  });

  test("does not read the body of a test", () => {
    const text = 'test("title", () => { const nobody = "nobody"; });';

    expect(wordViolations([titlesOf({ path: "test/file.test.ts", text })])).toEqual([]);
  });
});
