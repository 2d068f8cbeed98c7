// The pages that are generated from declarations are those of the present declarations, and complete.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { references } from "../../build/references";
import { catalogSettings } from "../../catalogs/settings";
import { nouns } from "../../cli/nouns";
import outputs from "../../build/references/outputs.json";
import { declarationsWith, environmentName } from "../../src/config";

const ROOT = join(import.meta.dir, "../..");
const MADE = await references();

test.each(Object.keys(MADE))("%s is current", (path) => {
  if (readFileSync(join(ROOT, path), "utf8") !== MADE[path])
    throw new Error(`${path} is not what the declarations say. Run: bun run docs`);
  expect(MADE[path]).toContain("bun run docs");
});

test("every setting is there, with its variable and meaning", () => {
  const page = MADE["docs/configuration.md"] ?? "";
  for (const name of Object.keys(declarationsWith(catalogSettings))) {
    expect(page).toContain(`### \`${name}\`\n`);
    expect(page).toContain(`- variable \`${environmentName(name)}\`\n`);
  }
});

test("every command is there, with its options, examples and output", async () => {
  const page = MADE["docs/cli.md"] ?? "";
  const commands: string[] = [];
  for (const { name, load } of nouns) {
    for (const { usage, flags = [], examples } of (await load()).verbs) {
      const [word = ""] = usage.split(" ");
      commands.push(word === name ? name : `${name} ${word}`);
      const title = word === name ? `## \`runtime ${usage}\`\n` : `### \`runtime ${name} ${usage}\`\n`;
      const [, after = ""] = page.split(title);
      const [own = ""] = after.split(/^##/m);
      for (const { flag } of flags) expect(own).toContain(`- \`${flag}\``);
      for (const example of examples) expect(own).toContain(`- \`${example}\``);
    }
  }
  // The acceptance tests compare the outputs with what commands print.
  expect(Object.keys(outputs).toSorted()).toEqual(commands.toSorted());
});
