// The Markdown files of the documentation, from the folders of the sources. In the executable, `build/documentation.ts`
// replaces this module with one that unpacks the same files.
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");

/** The files that are pages, relative to the root. */
export const PAGE_FILES = ["docs/*.md", "README.md", "CHANGELOG.md", "SECURITY.md", "SKILL.md"] as const;

/** The text of each file by its path: `docs/users.md`. */
export async function readFiles(): Promise<Readonly<Record<string, string>>> {
  const paths = PAGE_FILES.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT })]);
  const entries = paths.toSorted().map(async (path) => [path, await Bun.file(join(ROOT, path)).text()]);
  return Object.fromEntries(await Promise.all(entries));
}
