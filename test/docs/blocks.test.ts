// Every code block of every page is run or checked by a test: no block is left out, and what cannot be run is listed.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NOT_RUN } from "../processes/documentation/not-run";
import { SPECIAL } from "../processes/documentation/pages";
import { stepsOf } from "../processes/documentation/script";
import { fitsJson, fitsLines, fitsText } from "../processes/documentation/expected";
import { type Block, blocksOf, indentedCommands, PAGES, pageText } from "../support/blocks";

const ROOT = join(import.meta.dir, "../..");
const COMMANDS = ["sh", "bash", "shell", "console", "http"];
/** Blocks of these languages are parsed. Those of yaml and json need a mark, unless they are settings. */
const PARSED: Readonly<Record<string, (text: string) => unknown>> = {
  json: (text) => JSON.parse(text),
  yaml: (text) => Bun.YAML.parse(text),
  toml: (text) => Bun.TOML.parse(text),
  /** Not a command: a tree, or lines of a log. */
  text: (text) => {
    if (/^(?:\$ |runtime |curl |[A-Z]+ \/\S* HTTP)/m.test(text))
      throw new Error("a command needs the language sh");
  },
  ts: (text) => new Bun.Transpiler({ loader: "ts" }).transformSync(text),
};
const MARKS = /^(?:exit \d+|file \S+|answer|document|mcp-client|another program)$/;

// `answer`: what the command before it prints. `document`: for `runtime apply`. `another program`: settings of Prometheus and
// the like, which are only parsed. Others are commands, or are written to files.
const isLeftOut = ({ page, text }: Block): boolean =>
  NOT_RUN.some((left) => left.page === page && text.startsWith(left.block));

describe("the blocks of", () => {
  test.each(PAGES)("%s", (page) => {
    expect(indentedCommands(pageText(page))).toEqual([]);
    const blocks = blocksOf(page).filter((block) => !isLeftOut(block));
    const own = SPECIAL[page];
    if (own?.by !== undefined) {
      const text = existsSync(join(ROOT, own.by)) ? readFileSync(join(ROOT, own.by), "utf8") : "";
      expect(text).toContain(page.replace(/^examples\/[\w-]+\//, ""));
      expect(blocks.filter(({ language }) => COMMANDS.includes(language))).toHaveLength(own.blocks ?? 0);
    }
    for (const block of blocks) {
      const { language, text, line, mark } = block;
      // A page with a test of its own has marks of its own.
      if (mark !== undefined && own?.by === undefined)
        expect([line, mark]).toEqual([line, expect.stringMatching(MARKS)]);
      const place = `${page}:${line}`;
      if (COMMANDS.includes(language)) expect([place, stepsOf(block).length > 0]).toEqual([place, true]);
      else {
        // A language that no test understands could hold a command.
        expect([place, Object.keys(PARSED)]).toEqual([place, expect.arrayContaining([language])]);
        expect(() => PARSED[language]?.(text)).not.toThrow();
      }
    }
  });
});

describe("what is not run", () => {
  test("is at most ten blocks, each with a reason", () => {
    expect(NOT_RUN.length).toBeLessThanOrEqual(10);
    expect(NOT_RUN.filter(({ reason }) => reason.length < 30)).toEqual([]);
  });

  test.each(NOT_RUN.map((left) => [left.page, left.block]))("%s has the block %s", (page, block) => {
    expect(blocksOf(page).filter(({ text }) => text.startsWith(block))).toHaveLength(1);
  });
});

test("the special pages exist", () => {
  expect(Object.keys(SPECIAL).filter((page) => !PAGES.includes(page))).toEqual([]);
});

test("finds blocks with their marks, also in lists, and commands without a fence", () => {
  const text =
    "# A\n\n<!-- test: exit 6 -->\n\n```sh\nrun\n```\n\n- b\n  ```json\n  {}\n  ```\n\n<!-- c -->\n\n    runtime status\n";
  const found = blocksOf("a.md", text).map(({ line, language, text: own, mark }) => [
    line,
    language,
    own,
    mark,
  ]);

  expect(found).toEqual([
    [5, "sh", "run\n", "exit 6"],
    [10, "json", "{}\n", undefined],
  ]);
  expect(indentedCommands(text)).toEqual(["    runtime status"]);
});

test("compares what is shown with what is printed", () => {
  expect(["a…c", "a…", "…c", "abc", "ab"].map((pattern) => fitsText(pattern, "abc"))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
  expect(fitsJson({ a: ["b…"] }, { a: ["bc", "d"], e: 1 })).toBe(true);
  expect(fitsJson({ a: 1 }, { a: 2 })).toBe(false);
  expect(fitsLines(["a", "…", "d"], ["a", "b", "c", "d"])).toBe(true);
  expect(fitsLines(["a"], ["a", "b"])).toBe(false);
});
