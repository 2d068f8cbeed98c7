// Encryption at rest: what was sealed opens in its own place with its own key, and nowhere else.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Redacted } from "../../src/base";
import { type Keyring, openKeyring, type Place, type RootKeySettings, systemRandom } from "../../src/crypto";
import { mainMigrations, openSqlite, query, run, type SqliteOptions, type Store } from "../../src/store";
import { startChild } from "../support/child";
import { openLateStore } from "../support/late-store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";

const CHILD = join(import.meta.dir, "child.ts");
const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER_KEY = "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
const PLACE: Place = { table: "secrets", row: "sec_1", field: "value" };
const SECRET = "xoxb-plain-token-Ünïcode";

const DATA_KEYS = query<{ project_id: string; wrapped: string }>(
  "SELECT project_id, wrapped FROM data_keys ORDER BY created_at",
);
const FACTS = query<{ name: string; value: string }>("SELECT name, value FROM facts");

/** A folder for a database and, elsewhere, for a configuration. */
class Site {
  readonly folder = temporaryFolder();
  readonly database = join(this.folder, "runtime.db");
  readonly defaultFile = join(this.folder, "config", "root.key");
  readonly #open: (options: SqliteOptions) => Store;

  constructor(open: (options: SqliteOptions) => Store = openSqlite) {
    this.#open = open;
  }

  store(): Store {
    return closedAfterTest(this.#open({ file: this.database, migrations: mainMigrations }));
  }

  ring(store: Store, settings: Partial<RootKeySettings> = {}): Promise<Keyring> {
    const defaults: RootKeySettings = { value: undefined, file: undefined, defaultFile: this.defaultFile };
    return openKeyring({
      store,
      settings: { ...defaults, ...settings },
      random: systemRandom,
      now: Date.now,
    });
  }
}

async function projectRing(): Promise<{ site: Site; store: Store; ring: Keyring }> {
  const site = new Site();
  const store = site.store();
  const ring = await site.ring(store);
  await store.write(() => ring.addDataKey("p1"));
  await store.write(() => ring.addDataKey("p2"));
  return { site, store, ring };
}

function withKey(text: string): Partial<RootKeySettings> {
  return { value: new Redacted(text) };
}

const engines: [string, (options: SqliteOptions) => Store][] = [
  ["sqlite", openSqlite],
  ["late engine", openLateStore],
];

describe.each(engines)("a sealed value on the %s", (_engine, open) => {
  test("opens again in its place", async () => {
    const site = new Site(open);
    const store = site.store();
    const ring = await site.ring(store);
    await store.write(() => ring.addDataKey("p1"));

    expect(await ring.open("p1", PLACE, await ring.seal("p1", PLACE, SECRET))).toBe(SECRET);
  });

  test("opens after a restart with the key that the first start made", async () => {
    const site = new Site(open);
    const before = site.store();
    const first = await site.ring(before);
    await before.write(() => first.addDataKey("p1"));
    const sealed = await first.seal("p1", PLACE, SECRET);
    await before.close();
    const second = await site.ring(site.store());

    expect(await second.open("p1", PLACE, sealed)).toBe(SECRET);
  });
});

describe("a sealed value", () => {
  test("holds the text in no form", async () => {
    const { ring } = await projectRing();
    const sealed = await ring.seal("p1", PLACE, SECRET);
    const bytes = Buffer.from(sealed.split(".")[2] ?? "", "base64url");

    expect(sealed).not.toContain("plain-token");
    expect(bytes.length).toBeGreaterThan(SECRET.length);
    expect(bytes.includes("plain-token")).toBe(false);
  });

  test("differs each time, also for one text in one place", async () => {
    const { ring } = await projectRing();

    expect(await ring.seal("p1", PLACE, SECRET)).not.toBe(await ring.seal("p1", PLACE, SECRET));
  });

  test("may be empty or long", async () => {
    const { ring } = await projectRing();
    const long = "ключ".repeat(50_000);

    expect(await ring.open("p1", PLACE, await ring.seal("p1", PLACE, ""))).toBe("");
    expect(await ring.open("p1", PLACE, await ring.seal("p1", PLACE, long))).toBe(long);
  });

  const elsewhere: [string, string, Place][] = [
    ["another row", "p1", { ...PLACE, row: "sec_2" }],
    ["another field", "p1", { ...PLACE, field: "description" }],
    ["another table", "p1", { ...PLACE, table: "connections" }],
    ["another project", "p2", PLACE],
    ["a place whose parts run together alike", "p1", { ...PLACE, table: "secretss", row: "ec_1" }],
  ];
  test.each(elsewhere)("moved to %s does not open", async (_where, project, place) => {
    const { ring } = await projectRing();
    const sealed = await ring.seal("p1", PLACE, SECRET);

    await expect(ring.open(project, place, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("that names another project's key does not open under it", async () => {
    const { ring } = await projectRing();
    const [version, , body] = (await ring.seal("p1", PLACE, SECRET)).split(".");
    const foreignKey = (await ring.seal("p2", PLACE, SECRET)).split(".")[1];
    const forged = `${version}.${foreignKey}.${body}`;

    await expect(ring.open("p2", PLACE, forged)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("with any one bit changed does not open", async () => {
    const { ring } = await projectRing();
    const [version, id, body = ""] = (await ring.seal("p1", PLACE, "short")).split(".");
    const bytes = Buffer.from(body, "base64url");
    const opened: number[] = [];
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const sealed = `${version}.${id}.${changed.toString("base64url")}`;
      await ring.open("p1", PLACE, sealed).then(
        () => opened.push(bit),
        () => undefined,
      );
    }

    expect(bytes.length).toBe(12 + "short".length + 16);
    expect(opened).toEqual([]);
  });

  const malformed: [string, string][] = [
    ["empty text", ""],
    ["plain text", "hello"],
    ["another version", "v2.dk_1.AAAA"],
    ["an unknown key", "v1.dk_nobody.AAAA"],
    ["the old number of parts", "v1.AAAA"],
  ];
  test.each(malformed)("of a wrong form (%s) is an internal error", async (_form, sealed) => {
    const { ring } = await projectRing();

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("cut short to nothing but its key is an internal error", async () => {
    const { ring } = await projectRing();
    const [version, id] = (await ring.seal("p1", PLACE, SECRET)).split(".");

    await expect(ring.open("p1", PLACE, `${version}.${id}.AAAA`)).rejects.toMatchObject({
      name: "internal_error",
    });
  });

  test("cannot be made for a project without a data key", async () => {
    const { ring } = await projectRing();

    await expect(ring.seal("p3", PLACE, SECRET)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("does not open after its project's keys are destroyed, in the same process", async () => {
    const { store, ring } = await projectRing();
    const sealed = await ring.seal("p1", PLACE, SECRET);
    await store.write(() => ring.destroyDataKeys("p1"));

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("of another project opens after a project's keys are destroyed", async () => {
    const { store, ring } = await projectRing();
    const sealed = await ring.seal("p2", PLACE, SECRET);
    await store.write(() => ring.destroyDataKeys("p1"));

    expect(await ring.open("p2", PLACE, sealed)).toBe(SECRET);
  });

  test("stays shut when a project of the same id gets new keys", async () => {
    const { store, ring } = await projectRing();
    const sealed = await ring.seal("p1", PLACE, SECRET);
    await store.write(function* () {
      yield* ring.destroyDataKeys("p1");
      yield* ring.addDataKey("p1");
    });

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("sealed by an older data key opens beside a newer one", async () => {
    const site = new Site();
    const store = site.store();
    let now = 1000;
    const settings: RootKeySettings = { value: new Redacted(KEY), file: undefined, defaultFile: "" };
    const ring = await openKeyring({ store, settings, random: systemRandom, now: () => now++ });
    await store.write(() => ring.addDataKey("p1"));
    const old = await ring.seal("p1", PLACE, SECRET);
    await store.write(() => ring.addDataKey("p1"));
    const young = await ring.seal("p1", PLACE, SECRET);

    expect(old.split(".")[1]).not.toBe(young.split(".")[1]);
    expect([await ring.open("p1", PLACE, old), await ring.open("p1", PLACE, young)]).toEqual([
      SECRET,
      SECRET,
    ]);
  });
});

describe("data keys", () => {
  test("are stored only wrapped: what one project's row holds does not serve another", async () => {
    const { site, store, ring } = await projectRing();
    const sealed = await ring.seal("p2", PLACE, SECRET);
    const steal = query(
      "UPDATE data_keys SET project_id = 'p1', created_at = created_at + 1 WHERE project_id = 'p2'",
    );
    await store.write(() => run(steal));
    const restarted = await site.ring(store);

    await expect(restarted.open("p1", PLACE, sealed)).rejects.toThrow();
  });

  test("a data key made in a transaction that is rolled back does not exist", async () => {
    const { store, ring } = await projectRing();
    const written = store.write(function* () {
      yield* ring.addDataKey("p3");
      throw new Error("no project after all");
    });

    await expect(written).rejects.toThrow();
    await expect(ring.seal("p3", PLACE, SECRET)).rejects.toThrow();
  });
});

describe("a wrong root key", () => {
  async function siteWithKey(): Promise<Site> {
    const site = new Site();
    const store = site.store();
    const ring = await site.ring(store, withKey(KEY));
    await store.write(() => ring.addDataKey("p1"));
    await store.close();
    return site;
  }

  test("is refused at start, with its source and what to do", async () => {
    const site = await siteWithKey();

    await expect(site.ring(site.store(), withKey(OTHER_KEY))).rejects.toMatchObject({
      name: "configuration",
      message: expect.stringMatching(/RUNTIME_ROOT_KEY is not the one .* right key/),
    });
  });

  test("is refused without a word of either key", async () => {
    const site = await siteWithKey();
    const refusal = await site.ring(site.store(), withKey(OTHER_KEY)).catch((error: unknown) => error);
    const printed = `${String(refusal)} ${Bun.inspect(refusal)}`;

    expect(printed).toContain("RUNTIME_ROOT_KEY");
    expect([KEY, OTHER_KEY].filter((key) => printed.includes(key.slice(0, 12)))).toEqual([]);
  });

  test("changes nothing in the database", async () => {
    const site = await siteWithKey();
    const before = readFileSync(site.database);
    const store = site.store();
    await expect(site.ring(store, withKey(OTHER_KEY))).rejects.toThrow();
    await store.close();

    expect(readFileSync(site.database).equals(before)).toBe(true);
  });

  test("does not keep the right one from opening afterwards", async () => {
    const site = await siteWithKey();
    const store = site.store();
    await expect(site.ring(store, withKey(OTHER_KEY))).rejects.toThrow();

    expect((await site.ring(store, withKey(KEY))).rootKeyId).toMatch(/^[0-9a-f]{16}$/);
  });

  test("in one of the other forms of the same key is the right one", async () => {
    const site = await siteWithKey();
    const hex = Buffer.from(KEY, "base64").toString("hex");

    expect((await site.ring(site.store(), withKey(hex))).rootKeyId).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("a missing root key", () => {
  async function siteThatLostItsKey(): Promise<Site> {
    const site = new Site();
    const store = site.store();
    await site.ring(store, withKey(KEY));
    await store.close();
    return site;
  }

  test("on an existing database is refused with the settings that could name it", async () => {
    const site = await siteThatLostItsKey();

    await expect(site.ring(site.store())).rejects.toMatchObject({
      name: "configuration",
      message: expect.stringMatching(/root\.key.*RUNTIME_ROOT_KEY .*RUNTIME_ROOT_KEY_FILE/),
    });
  });

  test("on an existing database makes no new key", async () => {
    const site = await siteThatLostItsKey();
    await expect(site.ring(site.store())).rejects.toThrow();

    expect(existsSync(site.defaultFile)).toBe(false);
  });

  test("on a new database makes one", async () => {
    const site = new Site();
    await site.ring(site.store());

    expect(existsSync(site.defaultFile)).toBe(true);
  });

  test("is not made when the environment gives one", async () => {
    const site = new Site();
    await site.ring(site.store(), withKey(KEY));

    expect(existsSync(site.defaultFile)).toBe(false);
  });
});

describe("the root key itself", () => {
  test("stands in no row and no file of the database", async () => {
    const site = new Site();
    const store = site.store();
    const ring = await site.ring(store, withKey(KEY));
    await store.write(() => ring.addDataKey("p1"));
    await ring.seal("p1", PLACE, SECRET);
    const key = Buffer.from(KEY, "base64");
    const forms = [KEY, key.toString("hex"), key.toString("base64url"), key];
    const files = readdirSync(site.folder).map((name) => readFileSync(join(site.folder, name)));

    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((bytes) => forms.some((form) => bytes.includes(form)))).toEqual([]);
  });

  test("its id says which key wrapped a row", async () => {
    const site = new Site();
    const one = await site.ring(site.store(), withKey(KEY));
    const otherSite = new Site();
    const other = await otherSite.ring(otherSite.store(), withKey(OTHER_KEY));

    expect(one.rootKeyId).not.toBe(other.rootKeyId);
    expect(KEY).not.toContain(one.rootKeyId);
  });

  test("is proved by one fact that no data key depends on", async () => {
    const { store } = await projectRing();

    expect((await store.all(FACTS)).map(({ name }) => name)).toEqual(["root_key_canary"]);
    expect((await store.all(DATA_KEYS)).map((row) => row.project_id).toSorted()).toEqual(["p1", "p2"]);
  });
});

describe("two starts at once on a new database", () => {
  test("in two processes agree on one key, and each opens what the other sealed", async () => {
    const site = new Site();
    const children = [1, 2, 3].map((number) =>
      startChild(CHILD, site.database, site.defaultFile, `p${number}`),
    );
    for (const child of children) await child.line();
    for (const child of children) child.go();
    const printed = await Promise.all(children.map((child) => child.rest()));
    const ring = await site.ring(site.store());
    const opened = await Promise.all(
      printed.map(([, sealed = ""], index) => ring.open(`p${index + 1}`, PLACE, sealed)),
    );

    expect(printed.map(([id]) => id)).toEqual([ring.rootKeyId, ring.rootKeyId, ring.rootKeyId]);
    expect(opened).toEqual(["p1", "p2", "p3"]);
  });

  test("leave one key file and no draft of another", async () => {
    const site = new Site();
    const [one, other] = await Promise.all([site.ring(site.store()), site.ring(site.store())]);

    expect(one.rootKeyId).toBe(other.rootKeyId);
    expect(readdirSync(join(site.folder, "config"))).toEqual(["root.key"]);
  });

  test("with two different keys: one wins, the other is refused", async () => {
    const site = new Site(openLateStore);
    const starts = await Promise.allSettled([
      site.ring(site.store(), withKey(KEY)),
      site.ring(site.store(), withKey(OTHER_KEY)),
    ]);

    expect(starts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});
