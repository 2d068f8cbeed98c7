// The hash chains of the audit trail: how rows are chained, who is named in them, and where a chain begins.
import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { Audit, SigningKey, Trail } from "../../src/audit";
import { NO_HASH, rowHash } from "../../src/audit/chain";
import { chainRows } from "../../src/audit/repository";
import { verifyChains } from "../../src/audit/verify";
import { systemRandom } from "../../src/crypto";
import { mainMigrations, openSqlite, query, run, type Store } from "../../src/store";
import { closedAfterTest, temporaryFolder } from "../support/temporary";
import { deploy, MovableClock, operator } from "../tools/deployment";
import { testOnSqlite } from "../support/on-sqlite";

function signingKey(folder = temporaryFolder()): SigningKey {
  return new SigningKey({ file: () => join(folder, "audit.key"), seed: () => new Uint8Array(32) });
}

async function chainOf(store: Store, chain: string) {
  return chainRows(store, chain, "", 1000);
}

describe("a chain", () => {
  test("has each row after the one before it, by number and hash", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    for (const key of ["A", "B", "C"]) await runtime.secrets.upsert(operator(), key, { value: "v" });
    const rows = await chainOf(runtime.core.store, "default");

    expect(rows.map(({ number, target }) => [number, target])).toEqual([
      [1, "A"],
      [2, "B"],
      [3, "C"],
    ]);
    let former = NO_HASH;
    for (const row of rows) {
      expect(row.hash).toBe(rowHash(former, row));
      former = row.hash;
    }
  });

  test("belongs to one project; the installation has its own", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "second", "Second");
    await runtime.secrets.upsert(operator(), "A", { value: "v" });
    await runtime.identity.deleteProject(operator(), "second");
    const { chains, problems } = await verifyChains(runtime.core.store, signingKey());

    expect(chains.map(({ chain, number }) => [chain, number])).toEqual([
      ["", 1],
      ["default", 1],
      ["second", 1],
    ]);
    expect(problems).toEqual([]);
  });

  test("goes on when a project is created again under its id", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    for (let round = 0; round < 2; round++) {
      await runtime.identity.createProject(operator(), "second", "Second");
      await runtime.identity.deleteProject(operator(), "second");
    }

    const rows = await chainOf(runtime.core.store, "second");
    expect(rows.map(({ number }) => number)).toEqual([1, 2]);
    expect((await verifyChains(runtime.core.store, signingKey())).problem_count).toBe(0);
  });

  test("has the order of the commits of several processes that write at the same time", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const other = await deployment.another();
    const keys = Array.from({ length: 40 }, (_, index) => `KEY_${index}`);
    await Promise.all(
      keys.map((key, index) =>
        (index % 2 === 0 ? runtime : other).secrets.upsert(operator(), key, { value: "v" }),
      ),
    );

    const { chains, problems } = await verifyChains(runtime.core.store, signingKey());
    expect(chains).toMatchObject([{ chain: "default", rows: 40, number: 40 }]);
    expect(problems).toEqual([]);
  });

  test("is verified in steps, between which other work goes on", async () => {
    await using deployment = await deploy();
    const { store } = deployment.runtime.core;
    const audit = new Audit({ clock: new MovableClock(), random: systemRandom });
    await store.write(function* () {
      for (let number = 0; number < 5000; number++) yield* audit.record(operator(), "test", `${number}`);
    });
    let turns = 0;
    let verifies = true;
    const count = (): void => {
      turns++;
      if (verifies) setImmediate(count);
    };
    setImmediate(count);
    const [{ chains }] = await Promise.all([
      verifyChains(store, signingKey()).finally(() => (verifies = false)),
      store.write(() => audit.record(operator(), "test", "during")),
    ]);

    expect(turns).toBeGreaterThanOrEqual(10);
    expect(chains[0]?.rows).toBeGreaterThanOrEqual(5000);
  });

  test("covers texts of all kinds", async () => {
    await using deployment = await deploy();
    const { store } = deployment.runtime.core;
    const audit = new Audit({ clock: new MovableClock(), random: systemRandom });
    const texts = ["", ",", "3:abc,", "Größe 😀", "line\nbreak", "zero\0byte", '"quoted"', "\ud800"];
    await store.write(function* () {
      for (const text of texts) yield* audit.record(operator(), "test", text, { details: { text } });
    });

    const { chains, problems } = await verifyChains(store, signingKey());
    expect(chains).toMatchObject([{ rows: texts.length }]);
    expect(problems).toEqual([]);
  });
});

describe("the rows of an earlier version", () => {
  async function migrated() {
    const file = `${temporaryFolder()}/runtime.db`;
    const old = openSqlite({ file, migrations: mainMigrations.slice(0, 11) });
    const add = query<never>(
      "INSERT INTO audit (id, project_id, actor, action, target, details, created_at, incarnation) VALUES (?, ?, ?, 'x', ?, ?, ?, '')",
    );
    await old.write(function* () {
      yield* run(query("INSERT INTO organizations VALUES ('default', 'Default', 1000)"));
      for (const id of ["default", "other"])
        yield* run(query("INSERT INTO projects VALUES (?, 'default', 'Default', NULL, 1000, '')"), id);
      const entry = (position: number) => `au_${String(position).padStart(32, "0")}`;
      yield* run(add, entry(3), "default", "user:alice", "third", null, 3000);
      yield* run(add, entry(1), "default", "user:alice", "first", '{"role":"run"}', 1000);
      yield* run(add, entry(2), "default", "operator", "second", null, 9000);
      yield* run(add, entry(4), "other", "user:alice", "elsewhere", null, 4000);
      yield* run(add, entry(5), null, "operator", "installation", null, 5000);
    });
    await old.close();
    return closedAfterTest(openSqlite({ file, migrations: mainMigrations }));
  }

  testOnSqlite("are chained in their order, and the chain goes on", async () => {
    const store = await migrated();
    const audit = new Audit({ clock: new MovableClock(), random: systemRandom });
    await store.write(() => audit.record(operator(), "secret.upsert", "NEW"));
    const { chains, problems } = await verifyChains(store, signingKey());

    expect(problems).toEqual([]);
    expect(chains.map(({ chain, rows }) => [chain, rows])).toEqual([
      ["", 1],
      ["default", 4],
      ["other", 1],
    ]);
    const targets = (await chainOf(store, "default")).map(({ target }) => target);
    expect(targets).toEqual(["first", "second", "third", "NEW"]);
  });

  testOnSqlite("name users by pseudonyms, of each project its own, and are listed as before", async () => {
    const store = await migrated();
    const rows = [...(await chainOf(store, "default")), ...(await chainOf(store, "other"))];
    const actors = rows.map(({ actor }) => actor).filter((actor) => actor !== "operator");

    expect(actors).toHaveLength(3);
    expect(new Set(actors).size).toBe(2);
    expect(JSON.stringify(rows)).not.toContain("alice");
    const trail = new Trail(store, store, () => Promise.resolve());
    const { items } = await trail.audit(operator(), { actor: "user:alice" });
    expect(items.map(({ actor, target }) => [actor, target])).toEqual([
      ["user:alice", "third"],
      ["user:alice", "first"],
    ]);
    expect(items[1]?.details).toEqual({ role: "run" });
  });
});

describe("a user", () => {
  const alice = { kind: "user", projectId: "default", userId: "alice@example.com" } as const;

  async function withRows() {
    const deployment = await deploy();
    const { store } = deployment.runtime.core;
    const audit = new Audit({ clock: new MovableClock(), random: systemRandom });
    await store.write(function* () {
      yield* audit.record(alice, "consent.started", "ar_1", { user: alice.userId });
      yield* audit.record(operator(), "key.create", "key_1", {
        before: { users: [alice.userId] },
        after: { users: [alice.userId, "bob@example.com"] },
        details: { users: [alice.userId] },
      });
    });
    return { deployment, store, audit };
  }

  test("is never named in a chained row, and shown in answers", async () => {
    const { deployment, store } = await withRows();
    await using _ = deployment;
    const { items } = await deployment.runtime.trail.audit(operator(), {});

    expect(JSON.stringify(await chainOf(store, "default"))).not.toMatch(/alice|bob/);
    expect(items).toMatchObject([
      {
        details: {
          users: ["alice@example.com"],
          before: { users: ["alice@example.com"] },
          after: { users: ["alice@example.com", "bob@example.com"] },
        },
      },
      { actor: "user:alice@example.com", details: { user: "alice@example.com" } },
    ]);
  });

  test("who is erased leaves the chain intact, and is not named any more", async () => {
    const { deployment, store, audit } = await withRows();
    await using _ = deployment;
    expect(await store.write(() => audit.forgetUser("default", alice.userId))).toBe(true);
    const { items } = await deployment.runtime.trail.audit(operator(), {});

    expect((await verifyChains(store, signingKey())).problem_count).toBe(0);
    expect(JSON.stringify(items)).not.toContain("alice");
    expect(items[1]?.actor).toMatch(/^user:ps_[0-9a-f]{32}$/);
    expect(JSON.stringify(items)).toContain("bob@example.com");
    expect(await store.write(() => audit.forgetUser("default", alice.userId))).toBe(false);
  });

  test("is forgotten with the project", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "second", "Second");
    const { store } = runtime.core;
    const audit = new Audit({ clock: new MovableClock(), random: systemRandom });
    await store.write(() => audit.record({ ...alice, projectId: "second" }, "consent.started", "ar_1"));
    await runtime.identity.deleteProject(operator(), "second");

    const people = query<{ count: number }>("SELECT COUNT(*) AS count FROM audit_people");
    expect(await store.get(people)).toEqual({ count: 0 });
    expect((await verifyChains(store, signingKey())).problem_count).toBe(0);
  });
});

test("the signing key is created in a folder that does not exist yet", () => {
  const folder = join(temporaryFolder(), "configuration");

  expect(signingKey(folder).publicKey()).toStartWith("-----BEGIN PUBLIC KEY-----");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
});
