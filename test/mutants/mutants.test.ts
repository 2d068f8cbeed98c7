// The patches must follow the code: a patch that no longer applies tests nothing.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseMutant } from "./run";

const ROOT = resolve(import.meta.dir, "../..");
const names = readdirSync(import.meta.dir).filter((name) => name.endsWith(".patch"));

function applies(patch: string): boolean {
  const command = ["git", "apply", "--check", "--recount"];
  return Bun.spawnSync(command, { cwd: ROOT, stdin: Buffer.from(patch) }).success;
}

describe("a patch", () => {
  test.each(names)("applies and names an existing test file: %s", (name) => {
    const { patch, test: file } = parseMutant(name, readFileSync(join(import.meta.dir, name), "utf8"));

    expect([applies(patch), existsSync(join(ROOT, file))]).toEqual([true, true]);
  });

  test("that does not fit the code is noticed", () => {
    const patch = readFileSync(join(import.meta.dir, names[0] ?? ""), "utf8");

    expect(applies(patch.replaceAll(/^ .*\S.*$/gm, " another line"))).toBe(false);
  });

  test("without a test in its header is refused", () => {
    expect(() => parseMutant("x.patch", "A guard.\n\ndiff --git a/x b/x\n")).toThrow("test: FILE");
  });
});
