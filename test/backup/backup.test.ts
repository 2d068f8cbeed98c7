// Backups: what is in them, what a check finds, and what a restoration refuses.
import { expect, test } from "bun:test";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { Database } from "bun:sqlite";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listBackups, restoreBackup, verifyBackup } from "../../src/backup";
import { Redacted } from "../../src/base";
import { OLD_ROOT_KEY } from "../store/old-schemas";
import { testWith } from "../support/require";
import { temporaryFolder } from "../support/temporary";
import { flipped, missedChanges } from "./changed-bytes";
import { backUp, dataFolder, openFolder, openingWith } from "./installation";

const OTHER_KEY = "08".repeat(32);

async function made(): Promise<{ folder: string; file: string; place: string }> {
  const [folder, place] = [await dataFolder(), temporaryFolder()];
  const file = join(place, "one.backup");
  await backUp(folder, file);
  return { folder, file, place };
}

test("a backup is good, names the root key and does not contain it", async () => {
  const { file } = await made();
  const { manifest, problems, opened } = await verifyBackup({ file, identities: [], open: openingWith() });
  const bytes = readFileSync(file).toString("latin1");

  expect(problems).toEqual([]);
  expect(opened).toBeGreaterThan(3);
  expect(manifest.root_key_id).toMatch(/^[0-9a-f]{16}$/);
  expect(manifest.counts["connections"]).toBe(2);
  expect(bytes.toLowerCase()).not.toContain(OLD_ROOT_KEY);
  expect(bytes).not.toContain(Buffer.from(OLD_ROOT_KEY, "hex").toString("latin1"));
  expect(bytes).not.toContain("value of the fixture");
});

test("only its owner can read it, and nothing else is left next to it", async () => {
  const { file, place } = await made();

  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(place)).toEqual(["one.backup"]);
});

test("tar and sha256sum read it", async () => {
  const { file } = await made();
  const folder = temporaryFolder();
  const unpacked = Bun.spawnSync(["tar", "-xf", file, "-C", folder]);
  const checked = Bun.spawnSync(["sha256sum", "--check", "--strict", "SHA256SUMS"], { cwd: folder });

  expect(unpacked.exitCode).toBe(0);
  expect(checked.stdout.toString()).toBe(
    "manifest.json: OK\nsettings.json: OK\nexecutions.db: OK\nruntime.db: OK\n",
  );
  expect(JSON.parse(readFileSync(join(folder, "settings.json"), "utf8"))).toEqual({ port: 9100 });
});

test("a file is never replaced", async () => {
  const { folder, file } = await made();

  await expect(backUp(folder, file)).rejects.toThrow("exists");
});

test("a folder without an installation has nothing to back up", async () => {
  const folder = temporaryFolder();

  await expect(backUp(folder, join(folder, "x.backup"))).rejects.toThrow("contains no installation");
});

test("a changed byte is found wherever it is", async () => {
  const { file } = await made();

  expect(await missedChanges(file, 150, 20270101)).toEqual([]);
}, 60_000);

test.each([0, 1, 511, 512, 4096, 0.5, 0.999999])("a file cut off at %d is found", async (at) => {
  const { file, place } = await made();
  const bytes = readFileSync(file);
  const cut = join(place, "cut.backup");
  writeFileSync(cut, bytes.subarray(0, at < 1 ? Math.floor(bytes.length * at) : at));

  await expect(verifyBackup({ file: cut, identities: [], open: async () => undefined })).rejects.toThrow(
    /backup|cut off|changed/,
  );
});

test("without a folder for temporary files, it is unpacked in another place", async () => {
  const { file, place } = await made();
  const check = (temporary: string[]) =>
    verifyBackup({ file, identities: [], open: openingWith(), temporary });

  expect((await check(["/no/such/folder", place])).problems).toEqual([]);
  expect(readdirSync(place)).toEqual(["one.backup"]);
  expect(await check(["/no/such/folder", file]).catch((error: Error) => error.message)).toBe(
    `There is no folder to unpack the backup into: /no/such/folder, ${file} cannot be written. Set TMPDIR to one that can.`,
  );
});

test("bytes after its end are found", async () => {
  const { file, place } = await made();
  const longer = join(place, "longer.backup");
  writeFileSync(longer, Buffer.concat([readFileSync(file), Buffer.alloc(512)]));

  await expect(verifyBackup({ file: longer, identities: [], open: async () => undefined })).rejects.toThrow(
    "changed",
  );
});

test("with another root key no sealed value is opened, and the key is named", async () => {
  const { file } = await made();
  const verified = await verifyBackup({ file, identities: [], open: openingWith(OTHER_KEY) });

  expect(verified).toMatchObject({ problems: [], opened: undefined });
  expect(verified.otherKey?.source).toBe("RUNTIME_ROOT_KEY");
});

test("an encrypted one opens with its key only", async () => {
  const [folder, place] = [await dataFolder(), temporaryFolder()];
  const [mine, other] = [await generateIdentity(), await generateIdentity()];
  const file = join(place, "one.backup.age");
  await backUp(folder, file, [await identityToRecipient(mine)]);
  const verify = (keys: readonly string[]) =>
    verifyBackup({ file, identities: keys.map((key) => new Redacted(key)), open: openingWith() });

  expect((await verify([mine])).problems).toEqual([]);
  await expect(verify([other])).rejects.toThrow("the secret key is another one");
  await expect(verify([])).rejects.toThrow("--identity");
  await expect(verify(["AGE-SECRET-KEY-NO"])).rejects.toThrow("contains no secret key of age");
  const bytes = readFileSync(file);
  expect(bytes.includes("SQLite format 3")).toBe(false);
  const middle = Math.floor(bytes.length / 2);
  writeFileSync(
    file,
    flipped(bytes, middle, () => 0),
  );
  await expect(verify([mine])).rejects.toThrow("changed");
});

testWith("age", Bun.which("age") !== null)("the program age opens an encrypted one", async () => {
  const [folder, place] = [await dataFolder(), temporaryFolder()];
  const key = join(place, "key.txt");
  Bun.spawnSync(["age-keygen", "-o", key]);
  const recipient = Bun.spawnSync(["age-keygen", "-y", key]).stdout.toString().trim();
  const file = join(place, "one.backup.age");
  await backUp(folder, file, [recipient]);
  const tar = join(place, "one.tar");

  expect(Bun.spawnSync(["age", "-d", "-i", key, "-o", tar, file]).exitCode).toBe(0);
  Bun.spawnSync(["tar", "-xf", tar, "-C", place]);
  const database = new Database(join(place, "runtime.db"), { readonly: true });
  expect(database.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
});

test("a list shows the newest first, and leaves other files out", async () => {
  const { folder, place, file } = await made();
  const recipient = await identityToRecipient(await generateIdentity());
  await backUp(folder, join(place, "two.backup.age"), [recipient]);
  writeFileSync(join(place, "notes.txt"), "no backup");
  const { backups: listed } = await listBackups(place);

  expect(listed.map((backup) => backup.encrypted).toSorted()).toEqual([false, true]);
  expect(listed.find((backup) => backup.file === file)?.schema).toBeGreaterThan(20);
});

function restored(file: string, folder: string, rootKey?: string) {
  return restoreBackup({ file, folder, identities: [], open: openingWith(rootKey), now: Date.now() });
}

test("a restored folder has what was backed up, and says so in its audit trail", async () => {
  const { file } = await made();
  const folder = join(temporaryFolder(), "new");
  await restored(file, folder);
  const runtime = await openFolder(folder);
  try {
    const operator = await runtime.identity.operator("default");
    const { items } = await runtime.connections.list(operator, {});
    const { items: changes } = await runtime.trail.deploymentAudit(operator, {});
    expect(items).toHaveLength(2);
    expect((await runtime.inspection.verify()).problems).toEqual([]);
    expect(changes.map(({ action }) => action)).toContain("backup.restore");
  } finally {
    await runtime.close();
  }
  expect(readdirSync(folder).toSorted()).toEqual(["executions.db", "runtime.db"]);
});

test("a folder with an installation is refused and stays as it is", async () => {
  const { file, folder } = await made();
  const before = readFileSync(join(folder, "runtime.db"));

  await expect(restored(file, folder)).rejects.toThrow("is in use");
  expect(readFileSync(join(folder, "runtime.db")).equals(before)).toBe(true);
});

test.each(["runtime.db-wal", "runtime.db-shm", "executions.db-wal", "runtime.db-journal"])(
  "a folder with %s of a former installation is refused and stays as it is",
  async (name) => {
    const { file } = await made();
    const folder = temporaryFolder();
    writeFileSync(join(folder, name), "changes");

    await expect(restored(file, folder)).rejects.toThrow(`contains ${name} of a former installation`);
    expect(readdirSync(folder)).toEqual([name]);
  },
);

test.each(["runtime.db", "executions.db"])("a log without its %s is kept", async (name) => {
  const folder = await dataFolder();
  rmSync(join(folder, name));
  const log = join(folder, `${name}-wal`);
  writeFileSync(log, "changes");

  await expect(openFolder(folder)).rejects.toThrow(`${name} does not exist, but ${log}`);
  expect(readFileSync(log, "utf8")).toBe("changes");
});

test("with another root key nothing is restored", async () => {
  const { file } = await made();
  const folder = join(temporaryFolder(), "new");

  await expect(restored(file, folder, OTHER_KEY)).rejects.toThrow(
    "Set RUNTIME_ROOT_KEY_FILE for this command",
  );
  expect(existsSync(folder)).toBe(false);
});

test("a damaged one is not restored", async () => {
  const { file, place } = await made();
  const bytes = readFileSync(file);
  const bad = join(place, "bad.backup");
  writeFileSync(
    bad,
    flipped(bytes, bytes.length - 5000, () => 0),
  );
  const folder = temporaryFolder();

  await expect(restored(bad, folder)).rejects.toThrow("changed");
  expect(readdirSync(folder)).toEqual([]);
});

test("one of a newer version is refused by name", async () => {
  const { folder, place } = await made();
  const database = new Database(join(folder, "runtime.db"));
  database.run("INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'later', '')");
  database.close();
  const file = join(place, "newer.backup");
  await backUp(folder, file);

  await expect(verifyBackup({ file, identities: [], open: openingWith() })).rejects.toThrow(
    "which is newer (schema 999",
  );
  await expect(restored(file, join(place, "new"))).rejects.toThrow("which is newer");
  expect(existsSync(join(place, "new"))).toBe(false);
});

test("a scheduled run that was due since the backup counts as one that may have begun", async () => {
  const folder = await dataFolder();
  const database = new Database(join(folder, "runtime.db"));
  database.run("UPDATE scheduled_runs SET run_at = 1000, due_at = 1000");
  database.close();
  const file = join(temporaryFolder(), "one.backup");
  await backUp(folder, file);
  const target = join(temporaryFolder(), "new");
  await restored(file, target);
  using restoredDatabase = new Database(join(target, "runtime.db"), { readonly: true });

  expect(restoredDatabase.query("SELECT status, holder FROM scheduled_runs").all()).toEqual([
    { status: "running", holder: "restored" },
  ]);
});

test("a run of the future waits as before", async () => {
  const { file } = await made();
  const target = join(temporaryFolder(), "new");
  await restored(file, target);
  using database = new Database(join(target, "runtime.db"), { readonly: true });

  expect(database.query("SELECT status FROM scheduled_runs").all()).toEqual([{ status: "pending" }]);
});
