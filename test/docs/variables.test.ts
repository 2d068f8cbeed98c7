// The pages, the help and the examples name only variables that exist: a misspelt one stops a server.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogSettings } from "../../catalogs/settings";
import { TOPICS } from "../../cli/topics";
import { nouns } from "../../cli/nouns";
import { declarationsWith, environmentName } from "../../src/config";
import { newTerminal } from "../cli/support/fake-io";

const ROOT = join(import.meta.dir, "../..");
const KNOWN = new Set([
  ...Object.keys(declarationsWith(catalogSettings)).map(environmentName),
  "RUNTIME_CONFIG",
]);
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...markdownBelow("docs"),
  ...filesBelow("examples"),
];

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
}

function markdownBelow(folder: string): string[] {
  return filesBelow(folder).filter((file) => file.endsWith(".md"));
}

/** The variables that a text names and that do not exist. `RUNTIME_` alone and `RUNTIME_…` are the prefix. */
function unknownIn(text: string): string[] {
  const names = text.match(/(?<![A-Za-z_])RUNTIME_[A-Z][A-Z_]*/g) ?? [];
  return [...new Set(names)].filter((name) => !KNOWN.has(name));
}

test("finds a name that does not exist, and not the kind of an error", () => {
  expect(unknownIn("RUNTIME_KEY, $RUNTIME_URL/v1, RUNTIME_PORT, RUNTIME_…, TOOL_RUNTIME_RETRY")).toEqual([
    "RUNTIME_KEY",
    "RUNTIME_URL",
  ]);
});

test.each(PAGES)("%s", (page) => {
  expect(unknownIn(readFileSync(join(ROOT, page), "utf8"))).toEqual([]);
});

describe("the help", () => {
  test.each(TOPICS.map((topic) => [topic]))("page %s", async (topic) => {
    expect(unknownIn((await newTerminal().run(["help", topic])).stdout)).toEqual([]);
  });

  test.each(nouns.map(({ name, load }) => [name, load] as const))("%s", async (_name, load) => {
    const { verbs } = await load();

    expect(unknownIn(JSON.stringify(verbs))).toEqual([]);
  });
});
