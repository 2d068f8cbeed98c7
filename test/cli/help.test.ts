// The pages of the help, and the documented exit codes.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT, EXITS } from "../../cli/errors";
import { nouns } from "../../cli/nouns";
import { catalogSettings } from "../../catalogs/settings";
import { declarationsWith } from "../../src/config";
import { newTerminal } from "./support/fake-io";

const help = (...words: string[]) => newTerminal().run(["help", ...words]);

describe("runtime help", () => {
  test("exit-codes has every code and agrees with the README", async () => {
    const { stdout } = await help("exit-codes");
    const readme = readFileSync(join(import.meta.dir, "../../README.md"), "utf8");

    expect(EXITS.map(({ code }) => code)).toEqual(Object.values(EXIT));
    for (const { code, meaning } of EXITS) {
      expect(stdout).toMatch(new RegExp(`^${code} +${meaning}$`, "m"));
      expect(readme).toMatch(new RegExp(`^\\| ${code} +\\| ${meaning} +\\|$`, "m"));
    }
  });

  test("environment has a variable for every setting", async () => {
    const { stdout } = await help("environment");

    for (const name of Object.keys(declarationsWith(catalogSettings)))
      expect(stdout).toContain(`RUNTIME_${name.toUpperCase().replaceAll(".", "_")} `);
  });

  test.each([
    ["formatting", "--fields"],
    ["config", "RUNTIME_CONFIG"],
  ])("%s", async (page, text) => {
    expect((await help(page)).stdout).toContain(text);
  });

  test("for a command equals --help, with examples before flags", async () => {
    const { run } = newTerminal();
    const { stdout } = await run(["keys", "create", "--help"]);

    expect((await help("keys", "create")).stdout).toBe(stdout);
    expect(stdout.indexOf("Examples:")).toBeGreaterThan(0);
    expect(stdout.indexOf("Examples:")).toBeLessThan(stdout.indexOf("Options:"));
  });

  test("for update has no defaults, because what is left out stays unchanged", async () => {
    const { run } = newTerminal();
    const verbs = await Promise.all(
      nouns.map(async ({ name, load }) => [name, (await load()).verbs] as const),
    );
    const updating = verbs.filter(([, all]) => all.some(({ usage }) => usage.startsWith("update ")));
    expect(updating.map(([name]) => name)).toContain("gateways");

    for (const [name] of updating) {
      const { stdout } = await run([name, "update", "--help"]);
      const [options = ""] = stdout.split("Options:\n").slice(1, 2);
      expect([name, options.match(/\(default.*/g)]).toEqual([name, null]);
    }
    for (const words of [["gateways"], ["hooks"], ["plugins"]])
      expect((await run([...words, "create", "--help"])).stdout.split("Global Options")[0]).toContain(
        "(default:",
      );
  });

  test("without a word is the top-level help", async () => {
    const { stdout } = await help();

    for (const { name } of nouns) expect(stdout).toContain(`  ${name}`);
  });
});
