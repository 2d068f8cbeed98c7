// A thief has the data folder and the root keys, old and new. What was deleted opens from no byte of it: not from the
// databases, not from their logs, not from freed pages or the free space inside pages.
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { silentLog, systemClock } from "../../src/base";
import type { RuntimeParts } from "../../src/open-core";
import { createRuntime, type Runtime } from "../../src/runtime";
import { openSqlite, type SqliteOptions, type Store } from "../../src/store";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { dataKeysIn, rawFiles, valuesIn, wrappingKey } from "../support/raw-files";
import { temporaryFolder } from "../support/temporary";
import { deploy, operator as userOperator } from "../tools/deployment";
import { printFigure } from "./figure";

const SECRETS = 120;
const USERS = 60;
const HOUR_MS = 3600_000;

let home: string;
let now: number;
let runtime: Runtime;
const rootKeys: string[] = [];

beforeEach(async () => {
  home = temporaryFolder();
  now = Date.now();
  rootKeys.length = 0;
  runtime = await opened();
  rememberRootKey();
});

afterEach(() => runtime.close());

async function opened(parts: RuntimeParts = {}): Promise<Runtime> {
  const config = loadConfig({ environment: { HOME: home } });
  const clock = { ...systemClock, now: () => now };
  return createRuntime(config, NO_EXTENSIONS, { log: silentLog, clock, openStore: openErasing, ...parts });
}

const openErasing = (options: SqliteOptions): Store => openSqlite({ ...options, eraseEveryMs: 5 });

function dataFolder(): string {
  return join(home, ".local/share/runtime");
}

function rememberRootKey(): void {
  rootKeys.push(readFileSync(join(home, ".config/runtime/root.key"), "utf8"));
}

/** Texts of many lengths, so that SQLite splits and merges pages. */
function text(project: string, index: number): string {
  return `${project}-${index}-`.padEnd(24 + ((index * 7919) % 1500), "x");
}

async function fill(project: string, from: number, to: number): Promise<void> {
  const operator = await runtime.identity.operator(project);
  for (let index = from; index < to; index++)
    await runtime.secrets.upsert(operator, `KEY_${(index * 37) % 1000}_${index}`, {
      value: text(project, index),
    });
}

async function deleteSecrets(project: string, which: (index: number) => boolean): Promise<void> {
  const operator = await runtime.identity.operator(project);
  const { items } = await runtime.secrets.list(operator);
  for (const { id, key } of items)
    if (which(Number(key.split("_")[2]))) await runtime.secrets.delete(operator, id);
}

async function createProject(id: string): Promise<void> {
  await runtime.identity.createProject(await runtime.identity.operator("default"), id, id);
}

function walBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Every file is free of rests: nothing is pending, and the logs are empty. */
async function erased(folder = dataFolder()): Promise<void> {
  for (const name of ["runtime.db", "executions.db"]) {
    const file = join(folder, name);
    using reader = new Database(file, { readonly: true });
    const version = () => reader.query<{ user_version: number }, []>("PRAGMA user_version").get();
    while (version()?.user_version !== 1 || walBytes(file) > 0) await Bun.sleep(2);
  }
}

/** Freed pages, except those of SQLite's own list, that are not only zeros. */
function pagesWithContent(file: string): number {
  using reader = new Database(file, { readonly: true });
  const { page_size } = reader.query<{ page_size: number }, []>("PRAGMA page_size").get() ?? { page_size: 0 };
  const bytes = readFileSync(file);
  let found = 0;
  for (let trunk = bytes.readUInt32BE(32); trunk !== 0;) {
    const page = bytes.subarray((trunk - 1) * page_size, trunk * page_size);
    for (let leaf = 0; leaf < page.readUInt32BE(4); leaf++) {
      const at = (page.readUInt32BE(8 + 4 * leaf) - 1) * page_size;
      if (bytes.subarray(at, at + page_size).some((byte) => byte !== 0)) found++;
    }
    trunk = page.readUInt32BE(0);
  }
  return found;
}

/** The projects of all values that the thief reads. */
function stolen(): { keys: number; values: Map<string, number> } {
  const raw = rawFiles(dataFolder());
  const keys = dataKeysIn(raw, rootKeys.map(wrappingKey));
  const values = new Map<string, number>();
  for (const value of valuesIn(raw, keys)) {
    const name = /^([a-z]+-\d+)-x/.exec(value)?.[1];
    if (name !== undefined) values.set(name, (values.get(name) ?? 0) + 1);
  }
  return { keys: keys.length, values };
}

const of = (values: Map<string, number>, project: string): string[] =>
  [...values.keys()].filter((name) => name.startsWith(`${project}-`));

describe("raw files after a deletion", () => {
  test("the same search finds all that is still stored", async () => {
    await fill("default", 0, SECRETS);
    await erased();
    const { keys, values } = stolen();
    expect([keys, of(values, "default").length]).toEqual([1, SECRETS]);
  });

  test("a project's data keys and values are gone", async () => {
    for (const project of ["doomed", "other"]) {
      await createProject(project);
      await fill(project, 0, SECRETS);
    }
    await fill("default", 0, 20);
    await runtime.identity.deleteProject(await runtime.identity.operator("default"), "doomed");
    await erased();
    const { keys, values } = stolen();
    expect([keys, of(values, "doomed"), of(values, "other").length]).toEqual([2, [], SECRETS]);
    printFigure("raw files, deleted project", `0 of ${SECRETS} values and 0 of 1 data keys open`);
  });

  test("deleted secrets are gone while their project lives", async () => {
    await fill("default", 0, SECRETS);
    await deleteSecrets("default", (index) => index % 3 !== 0);
    await fill("default", SECRETS, SECRETS + 20);
    await erased();
    const left = of(stolen().values, "default");
    const deleted = left.filter((name) => {
      const index = Number(name.split("-")[1]);
      return index < SECRETS && index % 3 !== 0;
    });
    expect([deleted, left.length]).toEqual([[], SECRETS / 3 + 20]);
    printFigure("raw files, deleted secrets", `0 of ${(SECRETS * 2) / 3} open`);
  });

  test("secrets of deleted workers are gone while their project lives", async () => {
    const operator = await runtime.identity.operator("default");
    for (let index = 0; index < USERS; index++) {
      const secrets = { KEY: text("worker", index) };
      // Disabled: it is not asked.
      const mcp = { uri: "https://worker.example/mcp", timeout: 10, retry: 0, secrets };
      await runtime.workers.create(operator, { id: `worker-${index}`, enabled: false, mcp });
    }
    for (let index = 0; index < USERS; index++)
      if (index % 3 !== 0) await runtime.workers.delete(operator, `worker-${index}`);
    await erased();
    const raw = rawFiles(dataFolder());
    const values = valuesIn(raw, dataKeysIn(raw, rootKeys.map(wrappingKey)));
    const left = values.flatMap((value) => /"worker-(\d+)-x/.exec(value)?.[1] ?? []);

    expect([left.length, left.filter((index) => Number(index) % 3 !== 0)]).toEqual([USERS / 3, []]);
    printFigure("raw files, secrets of deleted workers", `0 of ${(USERS * 2) / 3} open`);
  });

  test("grants of users whose connections were deleted are gone", async () => {
    const parts = { openStore: openErasing };
    await using deployment = await deploy({ parts });
    await deployment.addProvider();
    const ids = new Map<string, string>();
    for (let user = 0; user < USERS; user++) {
      const padded = "x".repeat((user * 7919) % 900);
      const id = await deployment.give(`user${user}`, {
        access: `access-of-${user}-${padded}`,
        refresh: `refresh-of-${user}-${padded}`,
      });
      ids.set(String(user), id);
    }
    for (const [user, id] of ids)
      if (Number(user) % 2 === 0) await deployment.runtime.connections.delete(userOperator(), id);
    const folder = join(deployment.folder, ".local/share/runtime");
    await erased(folder);
    const raw = rawFiles(folder);
    const root = readFileSync(join(deployment.folder, ".config/runtime/root.key"), "utf8");
    const values = valuesIn(raw, dataKeysIn(raw, [wrappingKey(root)]));
    const users = values.flatMap((value) => /access-of-(\d+)-/.exec(value)?.[1] ?? []);
    expect([users.length, users.filter((user) => Number(user) % 2 === 0)]).toEqual([USERS / 2, []]);
    printFigure("raw files, deleted grants", `0 of ${USERS / 2} open`);
  });

  test("retired keys are gone an hour after a rotation, and old root keys at once", async () => {
    await fill("default", 0, SECRETS);
    const operator = await runtime.identity.operator("default");
    for (let rotation = 0; rotation < 3; rotation++) {
      await runtime.rotation.rotateDataKey(operator);
      await runtime.rotation.rotateRoot(operator);
      rememberRootKey();
    }
    now += HOUR_MS + 1;
    await runtime.rotation.dropRetiredKeys();
    await erased();
    const { keys, values } = stolen();
    expect([keys, of(values, "default").length]).toEqual([1, SECRETS]);
    expect([...values.values()].every((copies) => copies === 1)).toBe(true);
    rootKeys.pop();
    expect(stolen().keys).toBe(0);
    printFigure("raw files, rotated keys", "3 old root keys open 0 data keys; 3 retired data keys are gone");
  });

  test("a process that ends leaves nothing to the next", async () => {
    await runtime.close();
    runtime = await opened({ openStore: openSqlite });
    // Another process: otherwise SQLite itself removes the log.
    using other = new Database(join(dataFolder(), "runtime.db"), { readonly: true });
    other.query("SELECT count(*) FROM secrets").get();
    await createProject("doomed");
    await fill("doomed", 0, SECRETS);
    await runtime.identity.deleteProject(await runtime.identity.operator("default"), "doomed");
    await runtime.close();
    const { keys, values } = stolen();
    expect([keys, of(values, "doomed")]).toEqual([1, []]);
    runtime = await opened();
  });

  test("a file that is too large to be rewritten keeps no data key and no freed page", async () => {
    await runtime.close();
    runtime = await opened({
      openStore: (options) => openSqlite({ ...options, eraseEveryMs: 5, mostRewrittenBytes: 0 }),
    });
    for (const project of ["doomed", "other"]) {
      await createProject(project);
      await fill(project, 0, SECRETS);
    }
    const operator = await runtime.identity.operator("default");
    await runtime.identity.deleteProject(operator, "doomed");
    await runtime.rotation.rotateRoot(operator);
    const file = join(dataFolder(), "runtime.db");
    while (walBytes(file) > 0) await Bun.sleep(2);
    expect(stolen().keys).toBe(0);
    rememberRootKey();
    expect([stolen().keys, pagesWithContent(file)]).toEqual([2, 0]);
  });

  test("rests of a version that left them are removed by the next start", async () => {
    await createProject("doomed");
    await fill("doomed", 0, SECRETS);
    await erased();
    await runtime.close();
    using old = new Database(join(dataFolder(), "runtime.db"));
    old.run("PRAGMA secure_delete=OFF");
    old.run("PRAGMA user_version=0");
    old.run("DELETE FROM secrets");
    old.run("DELETE FROM data_keys WHERE project_id = 'doomed'");
    old.run("PRAGMA wal_checkpoint(TRUNCATE)");
    expect(stolen().keys).toBe(2);
    runtime = await opened();
    await erased();
    const { keys, values } = stolen();
    expect([keys, of(values, "doomed")]).toEqual([1, []]);
  });
});
