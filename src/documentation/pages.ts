// The pages of the documentation by their names, and the index that groups them by reader. They are read when somebody
// asks for one, and not kept: a page is read rarely.
import { readFiles } from "./sources";

/** A page. Its name is that of its file: `users` for `docs/users.md`. */
export interface Page {
  name: string;
  /** Relative to the root: `docs/users.md`. */
  file: string;
  /** The first heading, as plain text. */
  title: string;
  /** Markdown, without the comments that are for tests. */
  text: string;
}

/** The pages for one kind of reader, in the order of the index. */
export interface Shelf {
  reader: string;
  entries: readonly { page: Page; summary: string }[];
}

/** The name of the index. */
export const INDEX = "index";

/** Files whose pages have another name than they. */
const NAMES: Readonly<Record<string, string>> = {
  "docs/README.md": INDEX,
  "README.md": "readme",
  "CHANGELOG.md": "changelog",
  "SECURITY.md": "security",
  "SKILL.md": "agents",
};

export type Pages = ReadonlyMap<string, Page>;

/** All pages, by name. */
export async function readPages(): Promise<Pages> {
  const files = Object.entries(await readFiles());
  return new Map(files.map(([file, text]) => [nameOf(file), pageOf(file, text)]));
}

function pageOf(file: string, text: string): Page {
  const shown = text.replaceAll(/^<!--.*-->\n+/gm, "");
  const heading = /^# (.+)$/m.exec(shown)?.[1] ?? file;
  return { name: nameOf(file), file, title: heading.replaceAll("`", ""), text: shown };
}

function nameOf(file: string): string {
  return NAMES[file] ?? file.replace(/^docs\//, "").replace(/\.md$/, "");
}

/** The page that a link of another one leads to, with the anchor; undefined for any other target. */
export function linkedPage(
  pages: Pages,
  from: Page,
  target: string,
): { page: Page; anchor: string } | undefined {
  const [path = "", anchor = ""] = target.split("#");
  if (path === "") return { page: from, anchor };
  if (/^[a-z]+:/i.test(path)) return undefined;
  // The address is only there to resolve `..`.
  const file = new URL(path, `file:///${from.file}`).pathname.slice(1);
  const page = pages.get(nameOf(file));
  return page?.file === file ? { page, anchor } : undefined;
}

const ENTRY = /^- \[[^\]]+\]\(([^)]+)\): (.+)$/gm;

/** The index by reader. Entries of files that are not pages are left out. */
export function shelves(pages: Pages): Shelf[] {
  const index = pages.get(INDEX);
  if (index === undefined) return [];
  return index.text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      reader: section.split("\n", 1)[0] ?? "",
      entries: [...section.matchAll(ENTRY)].flatMap(([, target = "", summary = ""]) => {
        const page = linkedPage(pages, index, target)?.page;
        return page === undefined ? [] : [{ page, summary }];
      }),
    }));
}
