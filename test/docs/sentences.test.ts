// The script that prints sentences for a person to read.
import { describe, expect, test } from "bun:test";
import { allSentences, chosen, codeSentences, pageSentences } from "../support/sentences";

const texts = (code: string): [string, string][] =>
  codeSentences("src/file.ts", code).map(({ kind, text }) => [kind, text]);

describe("sentences:", () => {
  test.each([
    [
      "a comment over two lines",
      "// The first line\n// and the second line.",
      "comment",
      "The first line and the second line.",
    ],
    ["a docstring", "/**\n * The value of\n * the header.\n */", "comment", "The value of the header."],
    [
      "an error",
      "throw notFound(`The file ${path} does not exist.`);",
      "error",
      "The file … does not exist.",
    ],
    ["a string in parts", 'fail("The file " +\n  "does not exist.");', "error", "The file does not exist."],
    [
      "a help text",
      'const row = { summary: "list the connections of users" };',
      "help",
      "list the connections of users",
    ],
    ["a log message", 'log.warn("the file was not read", { error });', "log", "the file was not read"],
  ])("finds %s", (_what, code, kind, text) => {
    expect(texts(code)).toEqual([[kind, text]]);
  });

  test("separates sentences and skips SQL, short strings and quotes in regular expressions", () => {
    const code =
      'const a = /["\']/; // One is here now. Two is here now.\nquery("SELECT a, b, c FROM d"); f("x y");';

    expect(texts(code)).toEqual([
      ["comment", "One is here now."],
      ["comment", "Two is here now."],
    ]);
  });

  test("reads table cells and skips code blocks of a page", () => {
    const page =
      "| the first cell here | the second cell here |\n```sh\nnot a sentence at all\n```\n- The last line is here.";

    expect(pageSentences("docs/page.md", page).map(({ line, text }) => [line, text])).toEqual([
      [1, "the first cell here"],
      [1, "the second cell here"],
      [5, "The last line is here."],
    ]);
  });

  test("selects 60 sentences of all kinds, the same ones for the same seed", () => {
    const sentences = allSentences();
    const first = chosen(sentences, 1);

    expect(first).toHaveLength(60);
    expect(new Set(first.map(({ kind }) => kind)).size).toBe(5);
    expect(chosen(sentences, 1)).toEqual(first);
    expect(chosen(sentences, 2)).not.toEqual(first);
  });
});
