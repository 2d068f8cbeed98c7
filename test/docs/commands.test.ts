// The commands in pages run as printed, one after the other, in an empty home folder. Those of the README have a test of
// their own, and those of docs/audit.md too.
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testWith } from "../support/require";
import { temporaryFolder } from "../support/temporary";

const ROOT = join(import.meta.dir, "../..");
/** Pages whose blocks are run elsewhere, or only with the sources at hand. */
const ELSEWHERE = ["README.md", "docs/audit.md", "docs/performance.md", "docs/stdio-workers.md"];
const PAGES = ["*.md", "docs/*.md", "examples/**/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })])
  .filter((page) => !ELSEWHERE.includes(page))
  .map((page) => [page, blocksOf(readFileSync(join(ROOT, page), "utf8"))] as const)
  .filter(([, blocks]) => blocks.length > 0);

function blocksOf(text: string): string[] {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
}

test("there are pages with commands", () => {
  expect(PAGES.map(([page]) => page)).toContain("docs/coming-from-hosted.md");
});

/** Programs that a page uses, besides those that every system has. */
const NEEDED: Readonly<Record<string, string>> = { "docs/backups.md": "age-keygen" };

for (const [page, blocks] of PAGES) {
  const program = NEEDED[page];
  const testHere = program === undefined ? test : testWith(program, Bun.which(program) !== null);
  testHere(`the commands of ${page}`, () => runBlocks(blocks), 60_000);
}

async function runBlocks(blocks: readonly string[]): Promise<void> {
  const home = temporaryFolder();
  mkdirSync(join(home, "bin"));
  const program = `#!/bin/sh\nexec '${process.execPath}' '${join(ROOT, "cli", "main.ts")}' "$@"\n`;
  writeFileSync(join(home, "bin", "runtime"), program, { mode: 0o755 });
  const child = Bun.spawn(["sh", "-e", "-c", blocks.join("\n")], {
    cwd: home,
    env: { HOME: home, PATH: `${home}/bin:${process.env["PATH"] ?? ""}` },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: 60_000,
  });
  const [, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const code = await child.exited;

  expect([code, code === 0 ? "" : stderr]).toEqual([0, ""]);
}
