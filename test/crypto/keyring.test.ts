// Encryption at rest: a sealed value opens only in its own place and with its own key.
import { describe, expect, test } from "bun:test";
import { Redacted, systemClock } from "../../src/base";
import { openKeyring, type Place, type RootKeySettings, systemRandom } from "../../src/crypto";
import { openSqlite, query, run, type SqliteOptions, type Store } from "../../src/store";
import { openLateStore } from "../support/late-store";
import { KEY, PLACE, projectRing, SECRET, Fixture } from "./fixture";

const engines: [string, (options: SqliteOptions) => Store][] = [
  ["sqlite", openSqlite],
  ["late engine", openLateStore],
];

describe.each(engines)("a sealed value on the %s", (_engine, open) => {
  test("opens in its place", async () => {
    const fixture = new Fixture(open);
    const store = fixture.store();
    const ring = await fixture.ring(store);
    await store.write(() => ring.addDataKey("p1"));

    expect(await ring.open("p1", PLACE, await ring.seal("p1", PLACE, SECRET))).toBe(SECRET);
  });

  test("opens after a restart with the key that the first start created", async () => {
    const fixture = new Fixture(open);
    const before = fixture.store();
    const first = await fixture.ring(before);
    await before.write(() => first.addDataKey("p1"));
    const sealed = await first.seal("p1", PLACE, SECRET);
    await before.close();
    const second = await fixture.ring(fixture.store());

    expect(await second.open("p1", PLACE, sealed)).toBe(SECRET);
  });
});

describe("a sealed value", () => {
  test("does not contain the plain text in any encoding", async () => {
    const { ring } = await projectRing();
    const sealed = await ring.seal("p1", PLACE, SECRET);
    const bytes = Buffer.from(sealed.split(".")[2] ?? "", "base64url");

    expect(sealed).not.toContain("plain-token");
    expect(bytes.length).toBeGreaterThan(SECRET.length);
    expect(bytes.includes("plain-token")).toBe(false);
  });

  test("differs each time, even for the same text in the same place", async () => {
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
    ["a place whose parts concatenate to the same text", "p1", { ...PLACE, table: "secretss", row: "ec_1" }],
  ];
  test.each(elsewhere)("moved to %s does not open", async (_where, project, place) => {
    const { ring } = await projectRing();
    const sealed = await ring.seal("p1", PLACE, SECRET);

    await expect(ring.open(project, place, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("does not open with the id of another project's key", async () => {
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
    ["too few parts", "v1.AAAA"],
  ];
  test.each(malformed)("with a wrong format (%s) is an internal error", async (_form, sealed) => {
    const { ring } = await projectRing();

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("without its ciphertext is an internal error", async () => {
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

  test("still opens after the keys of another project are destroyed", async () => {
    const { store, ring } = await projectRing();
    const sealed = await ring.seal("p2", PLACE, SECRET);
    await store.write(() => ring.destroyDataKeys("p1"));

    expect(await ring.open("p2", PLACE, sealed)).toBe(SECRET);
  });

  test("stays closed when a project of the same id gets new keys", async () => {
    const { store, ring } = await projectRing();
    const sealed = await ring.seal("p1", PLACE, SECRET);
    await store.write(function* () {
      yield* ring.destroyDataKeys("p1");
      yield* ring.addDataKey("p1");
    });

    await expect(ring.open("p1", PLACE, sealed)).rejects.toMatchObject({ name: "internal_error" });
  });

  test("sealed with an older data key opens when there is a newer one", async () => {
    const fixture = new Fixture();
    const store = fixture.store();
    let now = 1000;
    const settings: RootKeySettings = { value: new Redacted(KEY), file: undefined, defaultFile: "" };
    const ring = await openKeyring({
      store,
      settings,
      random: systemRandom,
      clock: { ...systemClock, now: () => now++ },
    });
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
  test("are stored only wrapped, and bound to their project", async () => {
    const { fixture, store, ring } = await projectRing();
    const sealed = await ring.seal("p2", PLACE, SECRET);
    const steal = query(
      "UPDATE data_keys SET project_id = 'p1', created_at = created_at + 1 WHERE project_id = 'p2'",
    );
    await store.write(() => run(steal));
    const restarted = await fixture.ring(store);

    await expect(restarted.open("p1", PLACE, sealed)).rejects.toThrow();
  });

  test("do not exist after their transaction was rolled back", async () => {
    const { store, ring } = await projectRing();
    const written = store.write(function* () {
      yield* ring.addDataKey("p3");
      throw new Error("no project after all");
    });

    await expect(written).rejects.toThrow();
    await expect(ring.seal("p3", PLACE, SECRET)).rejects.toThrow();
  });
});
