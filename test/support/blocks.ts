// The code blocks of Markdown pages, and what their marks say about them. A mark is a comment before the block, which no
// reader sees: `<!-- test: exit 6 -->`.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

export interface Block {
  page: string;
  /** The line of the fence, from 1. */
  line: number;
  language: string;
  text: string;
  mark: string | undefined;
}

/** Every Markdown file that readers get. */
export const PAGES: readonly string[] = ["*.md", "docs/**/*.md", "examples/**/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })])
  .filter((path) => !path.includes("node_modules/"))
  .toSorted();

export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), "utf8");
}

const FENCE = /^ *```(.*)$/;
const MARK = /^ *<!-- test: (.+) -->$/;

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string, text: string = pageText(page)): Block[] {
  const blocks: Block[] = [];
  let open: { line: number; language: string; lines: string[]; mark: string | undefined } | undefined;
  let mark: string | undefined;
  text.split("\n").forEach((line, index) => {
    const fence = FENCE.exec(line);
    if (open !== undefined && fence !== null) {
      const { lines, ...rest } = open;
      blocks.push({ page, ...rest, text: `${dedented(lines).join("\n")}\n` });
      open = undefined;
    } else if (open !== undefined) open.lines.push(line);
    else if (fence !== null) {
      open = { line: index + 1, language: fence[1] ?? "", lines: [], mark };
      mark = undefined;
    } else if (line !== "") mark = MARK.exec(line)?.[1];
  });
  if (open !== undefined) throw new Error(`${page}:${open.line} is a block without an end`);
  return blocks;
}

/** Blocks in lists are indented. */
function dedented(lines: readonly string[]): string[] {
  const full = lines.filter((line) => line !== "");
  const least = Math.min(...full.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(Number.isFinite(least) ? least : 0));
}

/** Lines of commands in blocks that are only indented: those have no language, and no test runs them. */
export function indentedCommands(text: string): string[] {
  const outside = text.replaceAll(/^ *```[^]*?^ *```$/gm, "");
  return [...outside.matchAll(/(?:^|\n)\n((?: {4}.+\n?)+)/g)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .filter((line) =>
      /^ {4}(?:\$ )?(?:runtime|curl|bun|npm|npx|export|[A-Z_]+=\S+|sh|systemctl|apt|docker|python3|node)\b/.test(
        line,
      ),
    );
}
