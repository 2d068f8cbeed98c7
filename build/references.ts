// Makes the two pages that are generated: the reference of settings and that of commands. `bun run docs` writes them.
import { join } from "node:path";
import { cliPage } from "./references/cli";
import { configurationPage } from "./references/configuration";

const ROOT = join(import.meta.dir, "..");

/** The text of each generated page, by its path. */
export async function references(): Promise<Record<string, string>> {
  return { "docs/configuration.md": await configurationPage(), "docs/cli.md": await cliPage() };
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await references())) {
    await Bun.write(join(ROOT, path), text);
    process.stdout.write(`${path}\n`);
  }
}
