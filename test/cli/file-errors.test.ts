// Paths that the file system refuses, as users give them to commands.
import { expect } from "bun:test";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testOnSqlite } from "../support/on-sqlite";
import { newTerminal } from "./support/fake-io";

const LONG = "a".repeat(300);

/** A terminal with an installation, a backup of it, a plain file and a link to itself. */
async function prepared() {
  const { home, run } = newTerminal();
  const at = (name: string): string => join(home, name);
  await run(["backup", "create", at("good.backup")]);
  writeFileSync(at("plain"), "x");
  symlinkSync("loop", at("loop"));
  return { home, run, at };
}

testOnSqlite.each<[string, string[], string, string, number]>([
  ["a folder that does not exist", ["create", "nodir/x"], "nodir", "it does not exist", 1],
  ["a file in place of a folder", ["create", "plain/x"], "plain", "a part of the path is not a folder", 1],
  ["a name that is too long", ["create", LONG], LONG, "the name is too long", 1],
  ["a link to itself", ["verify", "loop"], "loop", "too many symbolic links", 1],
  ["a folder in place of a backup", ["verify", ""], "", "is a folder", 3],
  ["a folder in place of one to restore", ["restore", ""], "", "is a folder", 3],
])("%s is named with the reason", async (_what, [verb = "", name = ""], named, reason, code) => {
  const { home, run, at } = await prepared();
  const before = readdirSync(home).toSorted();

  const ended = await run(["backup", verb, at(name)]);

  expect(ended.code).toBe(code);
  expect(ended.stderr).toStartWith(`error: ${at(named)} `);
  expect(ended.stderr).toContain(reason);
  expect(readdirSync(home).toSorted()).toEqual(before);
});

testOnSqlite("a file in place of the data folder is named with the reason", async () => {
  const { run, at } = await prepared();

  const { code, stderr } = await run(["backup", "restore", at("good.backup"), "--data-dir", at("plain")]);

  expect([code, stderr.includes(at("plain"))]).toEqual([1, true]);
  expect(stderr).toContain("a part of the path is not a folder");
});

testOnSqlite("backup show has the settings that differed from the defaults, and no secrets", async () => {
  const { home, run } = newTerminal({ RUNTIME_HTTP_IDLE_TIMEOUT: "77", RUNTIME_ROOT_KEY: "07".repeat(32) });
  const file = join(home, "one.backup");
  await run(["backup", "create", file]);

  const shown = await run(["backup", "show", file, "-o", "json"], { env: { RUNTIME_HTTP_IDLE_TIMEOUT: "" } });
  const table = await run(["backup", "show", file]);
  const listed = await run(["backup", "list", home, "-o", "json"]);

  expect(JSON.parse(shown.stdout)).toMatchObject({ file, settings: { "http.idle_timeout": 77 } });
  expect(table.stdout).toContain("http.idle_timeout=77");
  expect(shown.stdout + table.stdout).not.toContain("07070707");
  expect(JSON.parse(listed.stdout).items ?? JSON.parse(listed.stdout)).toHaveLength(1);
  expect(listed.stdout).not.toContain("settings");
});
