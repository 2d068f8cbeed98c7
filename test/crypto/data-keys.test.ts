// Data keys are kept in memory: what another process does to them counts all the same.
import { beforeEach, describe, expect, test } from "bun:test";
import { dataKeyOf, type Keyring } from "../../src/crypto";
import { openSqlite, query, run, type SqliteOptions, type Store } from "../../src/store";
import { openLateStore } from "../support/late-store";
import { PLACE, SECRET, Site } from "./site";

const engines: [string, (options: SqliteOptions) => Store][] = [
  ["sqlite", openSqlite],
  ["late engine", openLateStore],
];

describe.each(engines)("data keys that were used before, on the %s", (_engine, open) => {
  let ring: Keyring;
  let sealed: string;
  let other: { store: Store; ring: Keyring };

  // Both have sealed and opened: whatever they keep, they have.
  beforeEach(async () => {
    const site = new Site(open);
    const store = site.store();
    ring = await site.ring(store);
    await store.write(() => ring.addDataKey("p1"));
    await store.write(() => ring.addDataKey("p2"));
    sealed = await ring.seal("p1", PLACE, SECRET);
    const second = site.store();
    other = { store: second, ring: await site.ring(second) };
    for (const each of [ring, other.ring]) {
      await each.seal("p1", PLACE, SECRET);
      expect(await each.open("p1", PLACE, sealed)).toBe(SECRET);
    }
    await Bun.sleep(1);
  });

  test("seal nothing more once another process has rotated, and still open", async () => {
    const id = await other.ring.rotateDataKey("p1");
    await Bun.sleep(1);

    expect(dataKeyOf(await ring.seal("p1", PLACE, SECRET))).toBe(id);
    expect(await ring.open("p1", PLACE, sealed)).toBe(SECRET);
  });

  test("seal nothing more once this process has rotated", async () => {
    const id = await ring.rotateDataKey("p1");

    expect(dataKeyOf(await ring.seal("p1", PLACE, SECRET))).toBe(id);
  });

  test("open nothing once another process has dropped them", async () => {
    await other.ring.rotateDataKey("p1");
    expect(await ring.open("p1", PLACE, sealed)).toBe(SECRET);
    await other.store.write(() => other.ring.dropDataKeys("p1", [dataKeyOf(sealed)]));
    await Bun.sleep(1);

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({
      message: expect.stringContaining("(value of sec_1 in secrets)"),
      cause: { message: "The data key of a stored value is gone." },
    });
  });

  test("open and seal nothing once another process has destroyed them; those of others do", async () => {
    const foreign = await ring.seal("p2", PLACE, SECRET);
    await other.store.write(() => other.ring.destroyDataKeys("p1"));
    await Bun.sleep(1);

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({
      message: expect.stringContaining("(value of sec_1 in secrets)"),
      cause: { message: "The data key of a stored value is gone." },
    });
    await expect(ring.seal("p1", PLACE, SECRET)).rejects.toThrow("This project has no data key.");
    expect(await ring.open("p2", PLACE, foreign)).toBe(SECRET);
  });

  test("work on after another process has changed the root key", async () => {
    await other.ring.rotateRoot();
    await Bun.sleep(1);

    expect(await ring.open("p1", PLACE, sealed)).toBe(SECRET);
    expect(dataKeyOf(await ring.seal("p1", PLACE, SECRET))).toBe(dataKeyOf(sealed));
  });

  test("that were changed by hand are an internal error", async () => {
    const spoil = query("UPDATE data_keys SET wrapped = 'AAAA'");
    await other.store.write(() => run(spoil));
    await other.ring.rotateDataKey("p2");
    await Bun.sleep(1);

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });
});
