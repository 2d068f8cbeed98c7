// Backups of a server at work, by commands; and those that a server makes by itself.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { backUpUnderLoad } from "../backup/under-load";
import { Installation } from "../support/runtime-process";

test("a backup under load has every write that was acknowledged before it", () => backUpUnderLoad(4), 60_000);

/** A new installation deletes nothing on its first day: its clock may be wrong. */
function believeClock({ home }: Installation): void {
  using database = new Database(join(home, ".local/share/runtime/runtime.db"));
  database.run("INSERT INTO facts (name, value) VALUES ('latest time', ?)", [String(Date.now())]);
}

test("a server makes backups by itself, and deletes the oldest of its own only", async () => {
  await using installation = new Installation(undefined);
  const folder = join(installation.home, "backups");
  mkdirSync(folder);
  const old = ["20200101T000000Z", "20200102T000000Z"].map((time) => `runtime-${time}.backup`);
  for (const name of [...old, "mine.backup"]) await Bun.write(join(folder, name), "old");
  Object.assign(installation.environment, {
    RUNTIME_BACKUP_FOLDER: folder,
    RUNTIME_BACKUP_HOURS: "1",
    RUNTIME_BACKUP_KEEP: "2",
  });
  await installation.run(["secrets", "list"]);
  believeClock(installation);
  await using server = await installation.serve();
  while (!server.output().includes("backup made")) await Bun.sleep(20);
  while (existsSync(join(folder, old[0] ?? ""))) await Bun.sleep(20);
  const names = readdirSync(folder).toSorted();

  expect(names).toHaveLength(3);
  expect(names).toContain("mine.backup");
  expect(names).toContain(old[1] ?? "");
  const made = names.find((name) => name.startsWith("runtime-") && !old.includes(name)) ?? "";
  expect((await installation.run(["backup", "verify", join(folder, made)])).code).toBe(0);
}, 30_000);
