// Data keys are cached in memory; changes by another process take effect all the same.
import { beforeEach, describe, expect, test } from "bun:test";
import { dataKeyOf, type Keyring } from "../../src/crypto";
import { openSqlite, query, run, type SqliteOptions, type Store } from "../../src/store";
import { openLateStore } from "../support/late-store";
import { PLACE, SECRET, Fixture } from "./fixture";

const engines: [string, (options: SqliteOptions) => Store][] = [
  ["sqlite", openSqlite],
  ["late engine", openLateStore],
];

describe.each(engines)("cached data keys, on the %s", (_engine, open) => {
  let ring: Keyring;
  let sealed: string;
  let other: { store: Store; ring: Keyring };

  // Both have sealed and opened values, so their caches are filled.
  beforeEach(async () => {
    const fixture = new Fixture(open);
    const store = fixture.store();
    ring = await fixture.ring(store);
    await store.write(() => ring.addDataKey("p1"));
    await store.write(() => ring.addDataKey("p2"));
    sealed = await ring.seal("p1", PLACE, SECRET);
    const second = fixture.store();
    other = { store: second, ring: await fixture.ring(second) };
    for (const each of [ring, other.ring]) {
      await each.seal("p1", PLACE, SECRET);
      expect(await each.open("p1", PLACE, sealed)).toBe(SECRET);
    }
    await Bun.sleep(1);
  });

  test("seal nothing more after another process has rotated them, and still open", async () => {
    const id = await other.ring.rotateDataKey("p1");
    await Bun.sleep(1);

    expect(dataKeyOf(await ring.seal("p1", PLACE, SECRET))).toBe(id);
    expect(await ring.open("p1", PLACE, sealed)).toBe(SECRET);
  });

  test("seal nothing more after this process has rotated them", async () => {
    const id = await ring.rotateDataKey("p1");

    expect(dataKeyOf(await ring.seal("p1", PLACE, SECRET))).toBe(id);
  });

  test("open nothing after another process has dropped them", async () => {
    await other.ring.rotateDataKey("p1");
    expect(await ring.open("p1", PLACE, sealed)).toBe(SECRET);
    await other.store.write(() => other.ring.dropDataKeys("p1", [dataKeyOf(sealed)]));
    await Bun.sleep(1);

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({
      message: expect.stringContaining("(value of sec_1 in secrets)"),
      cause: { message: "The data key of a stored value no longer exists." },
    });
  });

  test("open and seal nothing after another process has destroyed them, unlike those of other projects", async () => {
    const foreign = await ring.seal("p2", PLACE, SECRET);
    await other.store.write(() => other.ring.destroyDataKeys("p1"));
    await Bun.sleep(1);

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({
      message: expect.stringContaining("(value of sec_1 in secrets)"),
      cause: { message: "The data key of a stored value no longer exists." },
    });
    await expect(ring.seal("p1", PLACE, SECRET)).rejects.toThrow("This project has no data key.");
    expect(await ring.open("p2", PLACE, foreign)).toBe(SECRET);
  });

  test("still work after another process has changed the root key", async () => {
    await other.ring.rotateRoot();
    await Bun.sleep(1);

    expect(await ring.open("p1", PLACE, sealed)).toBe(SECRET);
    expect(dataKeyOf(await ring.seal("p1", PLACE, SECRET))).toBe(dataKeyOf(sealed));
  });

  test("cause an internal error when they were changed by hand", async () => {
    const spoil = query("UPDATE data_keys SET wrapped = 'AAAA'");
    await other.store.write(() => run(spoil));
    await other.ring.rotateDataKey("p2");
    await Bun.sleep(1);

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });
});
