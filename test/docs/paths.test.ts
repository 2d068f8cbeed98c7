// Documentation names only files and folders that exist.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const PAGES = ["*.md", "docs/*.md", "examples/**/*.md"].flatMap((pattern) => [
  ...new Bun.Glob(pattern).scanSync({ cwd: ROOT }),
]);

/** Paths in backquotes, without those that contain a placeholder. */
function pathsIn(text: string): string[] {
  const paths = text.matchAll(/`((?:src|server|cli|catalogs|test|docs|examples|build\.ts)\b[\w./-]*)`/g);
  return [...paths].map(([, path = ""]) => path).filter((path) => path.includes("/") || path === "build.ts");
}

/** Paths of links, without addresses and anchors. */
function linksIn(text: string): string[] {
  return [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => path);
}

test.each(PAGES)("%s names existing files", (page) => {
  const text = readFileSync(join(ROOT, page), "utf8");
  const paths = pathsIn(text).map((path) => join(ROOT, path));
  const links = linksIn(text).map((path) => join(ROOT, page, "..", path));

  expect([...paths, ...links].filter((path) => !existsSync(path))).toEqual([]);
});

test("finds paths and links, without placeholders and addresses", () => {
  const text =
    "See `src/store/port.ts`, `src/<area>/service.ts`, `src`, [x](docs/a.md#b) and [y](https://a.example).";

  expect([pathsIn(text), linksIn(text)]).toEqual([["src/store/port.ts"], ["docs/a.md"]]);
});
