// Folders with copies of databases: who can read them, and when they are removed.
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { leftWorkFolders, sweepWorkFolders } from "../../src/backup";
import { WorkFolder } from "../../src/backup/work-folder";
import { copyDatabase } from "../../src/store";
import { temporaryFolder } from "../support/temporary";
import { dataFolder } from "./installation";

/** A work folder of a process that was killed. */
function leaveOne(place: string): void {
  const source = join(import.meta.dir, "../../src/backup/work-folder.ts");
  const program = `const { WorkFolder } = await import(${JSON.stringify(source)});
    const { path } = new WorkFolder(${JSON.stringify(place)});
    await Bun.write(path + "/runtime.db", "in clear");
    process.kill(process.pid, "SIGKILL");`;
  const { signalCode } = Bun.spawnSync([process.execPath, "-e", program]);
  expect(signalCode).toBe("SIGKILL");
}

test("only its owner can read a work folder and the copies in it", async () => {
  const data = await dataFolder();
  using work = new WorkFolder(temporaryFolder());
  copyDatabase(join(data, "runtime.db"), join(work.path, "runtime.db"));

  expect(statSync(work.path).mode & 0o777).toBe(0o700);
  expect(statSync(join(work.path, "runtime.db")).mode & 0o777).toBe(0o600);
});

test("one of a killed process is removed, and one in use is not", () => {
  const place = temporaryFolder();
  leaveOne(place);
  expect(leftWorkFolders(place)).toHaveLength(1);

  using work = new WorkFolder(place);
  sweepWorkFolders([place]);

  expect(readdirSync(place)).toEqual([basename(work.path)]);
  expect(leftWorkFolders(place)).toEqual([]);
});

test("one of an earlier version is named, but not removed", () => {
  const place = temporaryFolder();
  for (const name of [".one.backup.age.a1B2c3", ".restore-a1B2c3", ".other.a1B2c3"]) {
    mkdirSync(join(place, name));
    writeFileSync(join(place, name, "runtime.db"), "in clear");
  }
  sweepWorkFolders([place]);

  const left = leftWorkFolders(place).map(({ path, isSwept }) => [basename(path), isSwept]);
  expect(left.toSorted()).toEqual([
    [".one.backup.age.a1B2c3", false],
    [".restore-a1B2c3", false],
  ]);
  expect(readdirSync(place)).toHaveLength(3);
});
