// Databases of every earlier version are upgraded without losing anything, after a backup.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { extensions } from "../../catalogs";
import { describeBackup, pendingUpgrade, verifyBackup } from "../../src/backup";
import { silentLog } from "../../src/base";
import { createRuntime, type Runtime } from "../../src/runtime";
import { newestSchema, schemaOf } from "../../src/store";
import { loadConfig } from "../support/config";
import { temporaryFolder } from "../support/temporary";
import { OLD_ROOT_KEY, oldSchemas, writeOldSchema } from "./old-schemas";

async function opened(folder: string, environment: Record<string, string> = {}): Promise<Runtime> {
  const config = loadConfig({
    environment: {
      HOME: folder,
      RUNTIME_DATA_DIR: folder,
      RUNTIME_ROOT_KEY: OLD_ROOT_KEY,
      ...environment,
    },
  });
  return createRuntime(config, extensions, { log: silentLog });
}

/** What an administrator sees, whatever the version. */
async function answersOf(runtime: Runtime): Promise<object> {
  const operator = await runtime.identity.operator("default");
  const connections = await runtime.connections.list(operator, {});
  return {
    keys: (await runtime.identity.listKeys(operator)).items.map(({ name, role }) => ({ name, role })),
    secrets: (await runtime.secrets.list(operator)).items.map(({ key }) => key),
    providers: (await runtime.providers.list(operator)).items.map(({ id }) => id).toSorted(),
    connections: connections.items
      .map(({ provider_id, user_id, connection_status }) => `${provider_id} ${user_id} ${connection_status}`)
      .toSorted(),
    damaged: (await runtime.rotation.unopenable("default", 1000)).places,
    auditProblems: (await runtime.inspection.verify()).problems,
  };
}

const EXPECTED = {
  keys: [{ name: "agent", role: "admin" }],
  secrets: ["FIXTURE"],
  providers: ["acme", "slack"],
  connections: ["acme ada active", "slack ada active"],
  damaged: [],
  auditProblems: [],
};

test("there is a data folder of every earlier schema", () => {
  const { runtime } = newestSchema();
  const earlier = Array.from({ length: runtime }, (_, index) => index + 1);

  // The newest one needs none before it is released.
  expect(earlier.filter((schema) => !oldSchemas.includes(schema) && schema < runtime)).toEqual([]);
});

describe.each(oldSchemas)("schema %d", (schema) => {
  test("is upgraded with the same answers", async () => {
    const folder = temporaryFolder();
    writeOldSchema(schema, folder);
    const runtime = await opened(folder);
    try {
      expect(await answersOf(runtime)).toEqual(EXPECTED);
    } finally {
      await runtime.close();
    }
    expect(schemaOf(join(folder, "runtime.db"))).toBe(newestSchema().runtime);
  });

  test.skipIf(schema === newestSchema().runtime)("is backed up before", async () => {
    const folder = temporaryFolder();
    writeOldSchema(schema, folder);
    await (await opened(folder)).close();
    const [name = ""] = readdirSync(join(folder, "backups"));
    const { manifest, problems } = await verifyBackup({
      file: join(folder, "backups", name),
      identities: [],
      open: async () => undefined,
    });

    expect(name).toMatch(new RegExp(`^before-schema-\\d+-from-${schema}-`));
    expect(problems).toEqual([]);
    expect(manifest.schema.runtime).toBe(schema);
  });
});

test("a setting turns the backup off", async () => {
  const folder = temporaryFolder();
  writeOldSchema(1, folder);
  await (await opened(folder, { RUNTIME_BACKUP_BEFORE_UPGRADE: "false" })).close();

  expect(readdirSync(folder)).not.toContain("backups");
});

/** Upgrades a folder, returns to the older version, and sets the times of the backup and of the databases (s). */
async function returned(environment: Record<string, string>, backup: number, databases: number) {
  const folder = temporaryFolder();
  writeOldSchema(1, folder);
  await (await opened(folder, environment)).close();
  writeOldSchema(1, folder);
  const backups = (): string[] => readdirSync(join(folder, "backups"));
  for (const name of backups()) utimesSync(join(folder, "backups", name), backup, backup);
  return {
    folder,
    backups,
    /** Changes a row as the older version does. */
    write: () => {
      using database = new Database(join(folder, "runtime.db"));
      database.run("INSERT INTO facts (name, value) VALUES ('later', 'x')");
    },
    upgrade: async () => {
      for (const name of ["runtime.db", "executions.db"])
        utimesSync(join(folder, name), databases, databases);
      await (await opened(folder, environment)).close();
    },
  };
}

const NOW = Date.now() / 1000;
const DECADE = 10 * 365 * 86_400;
const RECIPIENT = {
  RUNTIME_BACKUP_RECIPIENTS: await identityToRecipient(await generateIdentity()),
};

describe.each<[string, Record<string, string>]>([
  ["", {}],
  ["encrypted ", RECIPIENT],
])("the %sbackup before an upgrade", (_what, environment) => {
  test.each([
    ["are right", NOW, NOW + 60],
    ["say that the backup is of the future", NOW + DECADE, NOW],
    ["say that it is newer than the databases", NOW, NOW - DECADE],
  ])(
    "is made of what was written after a return to the older version, if clocks %s",
    async (_how, backup, databases) => {
      const { backups, write, upgrade } = await returned(environment, backup, databases);
      write();
      await upgrade();

      expect(backups()).toHaveLength(2);
    },
  );

  test.each([
    ["are right", NOW, NOW - 60],
    ["say that the databases are newer", NOW - DECADE, NOW],
  ])("is not made again of the same contents, if clocks %s", async (_how, backup, databases) => {
    const { backups, upgrade } = await returned(environment, backup, databases);
    await upgrade();

    expect(backups()).toHaveLength(1);
  });
});

test("a backup before an upgrade has the settings", async () => {
  const folder = temporaryFolder();
  writeOldSchema(1, folder);
  await (await opened(folder, { RUNTIME_HTTP_IDLE_TIMEOUT: "77" })).close();
  const [name = ""] = readdirSync(join(folder, "backups"));

  const { settings } = (await describeBackup(join(folder, "backups", name))) ?? {};

  expect(settings).toMatchObject({ "http.idle_timeout": 77 });
  expect(JSON.stringify(settings)).not.toContain(OLD_ROOT_KEY);
});

test("a folder whose log another process has not yet created needs no upgrade", async () => {
  const folder = temporaryFolder();
  await (await opened(folder)).close();
  for (const suffix of ["", "-wal", "-shm"]) rmSync(join(folder, `executions.db${suffix}`), { force: true });
  writeFileSync(join(folder, "executions.db"), "");

  expect(pendingUpgrade(folder)).toBeUndefined();
  await (await opened(folder)).close();
  expect(readdirSync(folder)).not.toContain("backups");
});

test("two that upgrade at the same time leave a backup and open", async () => {
  const folder = temporaryFolder();
  writeOldSchema(1, folder);
  const made = await Promise.all([opened(folder), opened(folder)]);
  await Promise.all(made.map((runtime) => runtime.close()));

  expect(readdirSync(join(folder, "backups")).length).toBeGreaterThan(0);
});

test("nothing is upgraded if the backup cannot be made", async () => {
  const folder = temporaryFolder();
  writeOldSchema(1, folder);
  const opening = opened(folder, { RUNTIME_BACKUP_FOLDER: "/proc/nowhere" });

  await expect(opening).rejects.toThrow("the backup before it cannot be made");
  expect(schemaOf(join(folder, "runtime.db"))).toBe(1);
});

const killable = Array.from({ length: newestSchema().runtime - 1 }, (_, index) => index + 2);

test.each(killable)(
  "a process that is killed in migration %d leaves the database as it was",
  async (version) => {
    const folder = temporaryFolder();
    writeOldSchema(1, folder);
    const file = join(folder, "runtime.db");
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "killed-migration.ts"), file, String(version)],
      { stdout: "ignore", stderr: "ignore" },
    );
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
    expect(schemaOf(file)).toBe(1);

    const runtime = await opened(folder);
    try {
      expect(await answersOf(runtime)).toEqual(EXPECTED);
    } finally {
      await runtime.close();
    }
  },
);
