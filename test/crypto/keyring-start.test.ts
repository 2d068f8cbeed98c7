// The start of the keyring: the right key, a wrong one, a missing one, and two processes that start at the same time.
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { query } from "../../src/store";
import { startChild } from "../support/child";
import { openLateStore } from "../support/late-store";
import { KEY, OTHER_KEY, PLACE, projectRing, SECRET, Fixture, withKey } from "./fixture";
import { testOnSqlite } from "../support/on-sqlite";

const CHILD = join(import.meta.dir, "child.ts");
const DATA_KEYS = query<{ project_id: string; wrapped: string }>(
  "SELECT project_id, wrapped FROM data_keys ORDER BY created_at",
);
const FACTS = query<{ name: string; value: string }>("SELECT name, value FROM facts");

describe("a wrong root key", () => {
  async function fixtureWithKey(): Promise<Fixture> {
    const fixture = new Fixture();
    const store = fixture.store();
    const ring = await fixture.ring(store, withKey(KEY));
    await store.write(() => ring.addDataKey("p1"));
    await store.close();
    return fixture;
  }

  test("is refused at start, with its source and advice", async () => {
    const fixture = await fixtureWithKey();

    await expect(fixture.ring(fixture.store(), withKey(OTHER_KEY))).rejects.toMatchObject({
      name: "configuration",
      message: expect.stringMatching(/RUNTIME_ROOT_KEY is not the one .* right key/),
    });
  });

  test("is refused without revealing either key", async () => {
    const fixture = await fixtureWithKey();
    const refusal = await fixture.ring(fixture.store(), withKey(OTHER_KEY)).catch((error: unknown) => error);
    const printed = `${String(refusal)} ${Bun.inspect(refusal)}`;

    expect(printed).toContain("RUNTIME_ROOT_KEY");
    expect([KEY, OTHER_KEY].filter((key) => printed.includes(key.slice(0, 12)))).toEqual([]);
  });

  testOnSqlite("changes nothing in the database", async () => {
    const fixture = await fixtureWithKey();
    const before = readFileSync(fixture.database);
    const store = fixture.store();
    await expect(fixture.ring(store, withKey(OTHER_KEY))).rejects.toThrow();
    await store.close();

    expect(readFileSync(fixture.database).equals(before)).toBe(true);
  });

  test("does not prevent a later start with the right one", async () => {
    const fixture = await fixtureWithKey();
    const store = fixture.store();
    await expect(fixture.ring(store, withKey(OTHER_KEY))).rejects.toThrow();

    expect((await fixture.ring(store, withKey(KEY))).rootKeyId).toMatch(/^[0-9a-f]{16}$/);
  });

  test("is accepted in any encoding of the right key", async () => {
    const fixture = await fixtureWithKey();
    const hex = Buffer.from(KEY, "base64").toString("hex");

    expect((await fixture.ring(fixture.store(), withKey(hex))).rootKeyId).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe("a missing root key", () => {
  async function fixtureWithoutKey(): Promise<Fixture> {
    const fixture = new Fixture();
    const store = fixture.store();
    await fixture.ring(store, withKey(KEY));
    await store.close();
    return fixture;
  }

  test("on an existing database is refused with the names of the settings", async () => {
    const fixture = await fixtureWithoutKey();

    await expect(fixture.ring(fixture.store())).rejects.toMatchObject({
      name: "configuration",
      message: expect.stringMatching(/root\.key.*RUNTIME_ROOT_KEY .*RUNTIME_ROOT_KEY_FILE/),
    });
  });

  test("on an existing database does not create a new key", async () => {
    const fixture = await fixtureWithoutKey();
    await expect(fixture.ring(fixture.store())).rejects.toThrow();

    expect(existsSync(fixture.defaultFile)).toBe(false);
  });

  test("on a new database creates one", async () => {
    const fixture = new Fixture();
    await fixture.ring(fixture.store());

    expect(existsSync(fixture.defaultFile)).toBe(true);
  });

  test("is not created when the environment contains one", async () => {
    const fixture = new Fixture();
    await fixture.ring(fixture.store(), withKey(KEY));

    expect(existsSync(fixture.defaultFile)).toBe(false);
  });
});

describe("the root key itself", () => {
  testOnSqlite("is in no row and no file of the database", async () => {
    const fixture = new Fixture();
    const store = fixture.store();
    const ring = await fixture.ring(store, withKey(KEY));
    await store.write(() => ring.addDataKey("p1"));
    await ring.seal("p1", PLACE, SECRET);
    const key = Buffer.from(KEY, "base64");
    const forms = [KEY, key.toString("hex"), key.toString("base64url"), key];
    const files = readdirSync(fixture.folder).map((name) => readFileSync(join(fixture.folder, name)));

    expect(files.length).toBeGreaterThan(1);
    expect(files.filter((bytes) => forms.some((form) => bytes.includes(form)))).toEqual([]);
  });

  test("has an id that is stored with every wrapped data key", async () => {
    const fixture = new Fixture();
    const one = await fixture.ring(fixture.store(), withKey(KEY));
    const otherSite = new Fixture();
    const other = await otherSite.ring(otherSite.store(), withKey(OTHER_KEY));

    expect(one.rootKeyId).not.toBe(other.rootKeyId);
    expect(KEY).not.toContain(one.rootKeyId);
  });

  test("is checked against one stored row, without any data key", async () => {
    const { store } = await projectRing();

    expect((await store.all(FACTS)).map(({ name }) => name)).toEqual(["root_key_canary"]);
    expect((await store.all(DATA_KEYS)).map((row) => row.project_id).toSorted()).toEqual(["p1", "p2"]);
  });
});

describe("two simultaneous starts on a new database", () => {
  testOnSqlite("agree on one key, and each opens what the other sealed", async () => {
    const fixture = new Fixture();
    const children = [1, 2, 3].map((number) =>
      startChild(CHILD, fixture.database, fixture.defaultFile, `p${number}`),
    );
    for (const child of children) await child.line();
    for (const child of children) child.go();
    const printed = await Promise.all(children.map((child) => child.rest()));
    const ring = await fixture.ring(fixture.store());
    const opened = await Promise.all(
      printed.map(([, sealed = ""], index) => ring.open(`p${index + 1}`, PLACE, sealed)),
    );

    expect(printed.map(([id]) => id)).toEqual([ring.rootKeyId, ring.rootKeyId, ring.rootKeyId]);
    expect(opened).toEqual(["p1", "p2", "p3"]);
  });

  test("leave one key file and no draft", async () => {
    const fixture = new Fixture();
    const [one, other] = await Promise.all([fixture.ring(fixture.store()), fixture.ring(fixture.store())]);

    expect(one.rootKeyId).toBe(other.rootKeyId);
    expect(readdirSync(join(fixture.folder, "config"))).toEqual(["root.key"]);
  });

  test("with two different keys: one wins, the other is refused", async () => {
    const fixture = new Fixture(openLateStore);
    const starts = await Promise.allSettled([
      fixture.ring(fixture.store(), withKey(KEY)),
      fixture.ring(fixture.store(), withKey(OTHER_KEY)),
    ]);

    expect(starts.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });
});
