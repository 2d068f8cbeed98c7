// The start of the keyring: the right key, a wrong one, a missing one, and two processes that begin at once.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { query } from "../../src/store";
import { startChild } from "../support/child";
import { openLateStore } from "../support/late-store";
import { KEY, OTHER_KEY, PLACE, projectRing, SECRET, Site, withKey } from "./site";

const CHILD = join(import.meta.dir, "child.ts");
const DATA_KEYS = query<{ project_id: string; wrapped: string }>(
  "SELECT project_id, wrapped FROM data_keys ORDER BY created_at",
);
const FACTS = query<{ name: string; value: string }>("SELECT name, value FROM facts");

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
