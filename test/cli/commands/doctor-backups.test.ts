// What `runtime doctor` says about the backups that a server makes by itself.
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testOnSqlite } from "../../support/on-sqlite";
import { temporaryFolder } from "../../support/temporary";
import { newTerminal } from "../support/fake-io";

/** An installation whose folder of backups has empty files with these names. */
async function installedWith(...names: string[]) {
  const folder = temporaryFolder();
  const terminal = newTerminal({ RUNTIME_BACKUP_FOLDER: folder, RUNTIME_BACKUP_HOURS: "8760" });
  for (const name of names) writeFileSync(join(folder, name), "");
  await terminal.run(["keys", "create", "agent"]);
  return { ...terminal, folder };
}

const minuteOf = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replaceAll(/[-:]/g, "");

testOnSqlite("warns of those that are dated later than now", async () => {
  const now = `runtime-${minuteOf(Date.now())}00Z.backup`;
  const { run } = await installedWith(now, "runtime-20990101T000000Z.backup");

  const { stdout } = await run(["doctor"]);

  expect(stdout).toContain("warning  backups of the future");
  expect(stdout).toContain("runtime-20990101T000000Z.backup. A clock was wrong when they were made");
  expect(stdout).not.toContain(now);
});

testOnSqlite("does not take one of the future for the newest", async () => {
  const { run, folder } = await installedWith("runtime-20990101T000000Z.backup");

  const { code, stdout } = await run(["doctor"]);

  expect(code).toBe(1);
  expect(stdout).toContain(`There is no backup in ${folder}.`);
});
