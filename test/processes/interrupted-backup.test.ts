// Commands of backups that are interrupted leave no database behind that is not encrypted.
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Installation } from "../support/runtime-process";

/** An installation with a file of a backup that gives nothing, so that what reads it waits. */
async function installation() {
  const made = new Installation(undefined);
  const temporary = join(made.home, "temporary");
  mkdirSync(temporary);
  made.environment["TMPDIR"] = temporary;
  await made.run(["secrets", "list"]);
  const waiting = join(made.home, "waiting.backup");
  Bun.spawnSync(["mkfifo", waiting]);
  return { made, temporary, waiting };
}

/** Starts a command, waits for what `isAtWork` looks for, and sends the signal. Resolves to the exit code. */
async function interrupted(
  { command, environment }: Installation,
  args: readonly string[],
  signal: NodeJS.Signals,
  isAtWork: () => boolean,
): Promise<number | null> {
  const child = Bun.spawn([...command, ...args], {
    env: environment,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  while (!isAtWork()) {
    if (child.exitCode !== null) throw new Error("the command ended before it was interrupted");
    await Bun.sleep(2);
  }
  child.kill(signal);
  await child.exited;
  return child.exitCode;
}

const hidden = (folder: string): string[] =>
  readdirSync(folder).filter((name) => /^\.(?:runtime-backup|restore|.*\.backup\.)/.test(name));

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends a check and a restoration in order",
  async (signal) => {
    const { made, temporary, waiting } = await installation();
    await using _made = made;
    const folder = join(made.home, "restored");
    mkdirSync(folder);

    const checked = await interrupted(
      made,
      ["backup", "verify", waiting],
      signal,
      () => readdirSync(temporary).length > 0,
    );
    const restored = await interrupted(
      made,
      ["backup", "restore", waiting, "--data-dir", folder],
      signal,
      () => readdirSync(folder).length > 0,
    );

    expect([checked, restored]).toEqual([130, 130]);
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  },
  30_000,
);

test("SIGTERM ends a backup in order", async () => {
  const { made } = await installation();
  await using _made = made;
  using database = new Database(join(made.home, ".local/share/runtime/runtime.db"));
  database.run("CREATE TABLE ballast (content BLOB) STRICT");
  database.run("INSERT INTO ballast VALUES (randomblob(60000000))");
  const place = join(made.home, "backups");
  mkdirSync(place);
  const isCopied = () =>
    hidden(place).some((name) => readdirSync(join(place, name)).includes("settings.json"));

  const code = await interrupted(made, ["backup", "create", join(place, "one.backup")], "SIGTERM", isCopied);

  expect(code).toBe(130);
  expect(readdirSync(place)).toEqual([]);
}, 30_000);

test("what a killed command has left is named by doctor, and removed by the next one", async () => {
  const { made, temporary, waiting } = await installation();
  await using _made = made;
  const isAtWork = () =>
    hidden(temporary).some((name) => readdirSync(join(temporary, name)).includes("lock"));
  await interrupted(made, ["backup", "verify", waiting], "SIGKILL", isAtWork);
  const [left = ""] = readdirSync(temporary);

  const { stdout } = await made.run(["doctor"]);
  const file = join(made.home, "one.backup");
  await made.run(["backup", "create", file]);
  const verified = await made.run(["backup", "verify", file]);

  expect(stdout).toContain(join(temporary, left));
  expect(verified.code).toBe(0);
  expect(readdirSync(temporary)).toEqual([]);
}, 30_000);

test("a server removes what a killed command has left when it starts, and not what is in use", async () => {
  const { made, temporary, waiting } = await installation();
  await using _made = made;
  const locked = () =>
    hidden(temporary).filter((name) => readdirSync(join(temporary, name)).includes("lock"));
  const inUse = Bun.spawn([...made.command, "backup", "verify", waiting], {
    env: made.environment,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  while (locked().length === 0) await Bun.sleep(2);
  const used = locked();
  await interrupted(made, ["backup", "verify", waiting], "SIGKILL", () => locked().length === 2);
  await using server = await made.serve();
  while (!server.output().includes("serving")) await Bun.sleep(5);
  while (locked().length > 1) await Bun.sleep(5);
  const found = locked();
  inUse.kill("SIGKILL");
  await inUse.exited;

  expect(found).toEqual(used);
}, 30_000);
