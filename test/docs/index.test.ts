// The index of the documentation has every page, and every link in every Markdown file leads somewhere.
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readPages, shelves } from "../../src/documentation";

const ROOT = join(import.meta.dir, "../..");
const FILES = ["*.md", "docs/**/*.md", "examples/**/*.md", ".github/**/*.md"]
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })])
  .filter((path) => !path.includes("node_modules/"));
const PERSONAS = ["Operators", "Developers", "Authors of agents", "Security reviewers", "Contributors"];

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** The ids that GitHub gives the headings of a page. */
function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutCode(text).matchAll(/^#{1,6} (.+?)#*$/gm)].map(([, heading = ""]) => {
    const shown = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim()
      .toLowerCase();
    const slug = shown.replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  });
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[^]*?^ *```$/gm, "");
}

/** Links that lead nowhere. */
function brokenLinks(path: string, text: string): string[] {
  const targets = [
    ...withoutCode(text)
      .replaceAll(/`[^`\n]*`/g, "")
      .matchAll(/\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)/gm),
  ];
  return targets
    .map(([, inline, reference]) => inline ?? reference ?? "")
    .filter((target) => !/^(?:https?|mailto):/.test(target))
    .filter((target) => {
      const [file = "", anchor] = target.split("#");
      const found = file === "" ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, found))) return true;
      return anchor !== undefined && !anchorsOf(file === "" ? text : textOf(found)).includes(anchor);
    });
}

test("finds links that lead nowhere", () => {
  const text =
    "# A\n\n[a](SECURITY.md) [b](missing.md) [c](#a) [d](#b) [e](SECURITY.md#no) [f](https://x.example) `[g](h)`\n\n[i]: j.md\n";

  expect(brokenLinks("README.md", text)).toEqual(["missing.md", "#b", "SECURITY.md#no", "j.md"]);
});

describe("every link leads somewhere:", () => {
  test.each(FILES)("%s", (path) => {
    expect(brokenLinks(path, textOf(path))).toEqual([]);
  });
});

describe("the index", () => {
  const index = textOf("docs/README.md");
  const entries = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): .+\.$/gm)].map(([, target = ""]) => target);

  test("has every page of docs once, with one line", () => {
    const pages = [...new Bun.Glob("**/*.md").scanSync({ cwd: join(ROOT, "docs") })];
    const listed = entries.filter((target) => !target.startsWith(".."));

    expect(listed.toSorted()).toEqual(pages.filter((page) => page !== "README.md").toSorted());
  });

  test("has a part for each kind of reader", async () => {
    const parts = shelves(await readPages());

    expect(parts.map(({ reader }) => reader)).toEqual(["Start here", ...PERSONAS]);
    for (const { entries: pages } of parts) expect(pages).not.toBeEmpty();
  });

  test("has every page that the executable contains", async () => {
    const shown = shelves(await readPages()).flatMap(({ entries: all }) => all.map(({ page }) => page.name));

    expect([...shown, "index"].toSorted()).toEqual([...(await readPages()).keys()].toSorted());
  });
});

test("headings have the same ids on our pages as on GitHub", async () => {
  for (const { file, text } of (await readPages()).values()) {
    const html = Bun.markdown.html(text, { headings: { ids: true } });
    const ids = [...html.matchAll(/<h\d id="([^"]*)"/g)].map(([, id = ""]) => id);
    const links = [...withoutCode(text).matchAll(/\]\([^)\s]*#([^)]+)\)/g)].map(([, anchor = ""]) => anchor);
    const used = anchorsOf(text).filter((anchor) => links.includes(anchor));

    expect([file, used.filter((anchor) => !ids.includes(anchor))]).toEqual([file, []]);
  }
});
