// The disk of the database is full: statements that need room fail, and the commit of their group does not.
import { expect, setDefaultTimeout } from "bun:test";
import { connectorOf, openPostgres, query, run, Unwritable } from "../../../src/store";
import { startOnSmallDisk, testOnFullDisk } from "../../support/postgres/full-disk";

setDefaultTimeout(120_000);

const migrations = [
  {
    version: 1,
    name: "first",
    statements: [
      "CREATE TABLE generations (kind TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT",
      "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
      "INSERT INTO generations (kind, value) VALUES ('secrets', 0)",
    ],
  },
];
const INSERT = query("INSERT INTO facts (name, value) VALUES (?, ?)");

function text(): string {
  return crypto.getRandomValues(new Uint8Array(64_000)).toBase64();
}

testOnFullDisk("health and the reserve refuse until there is room", async () => {
  await using disk = await startOnSmallDisk();
  const connector = connectorOf({
    url: disk.cluster.url(),
    preparedStatements: true,
    applicationName: "test",
  });
  const store = openPostgres({ connector, schema: "records", migrations, instance: "a" });
  await store.ready();
  await store.write(() => run(INSERT, "first", text()));
  disk.fill();
  await expect(
    (async () => {
      for (let count = 0; count < 200; count++) await store.write(() => run(INSERT, `more ${count}`, text()));
    })(),
  ).rejects.toThrow("The disk of the database is full");

  const whileFull = await store.check().then(
    () => undefined,
    (error: unknown) => error,
  );
  const reserved = await store.reserve().then(
    () => undefined,
    (error: unknown) => error,
  );
  disk.free();
  await disk.cluster.start();
  const isWell = async (): Promise<boolean> => {
    return store.check().then(
      () => true,
      () => false,
    );
  };
  while (!(await isWell())) await Bun.sleep(50);

  expect(whileFull).toBeInstanceOf(Unwritable);
  expect(reserved).toBeInstanceOf(Unwritable);
  expect(await store.write(() => run(INSERT, "last", text()))).toBe(1);
  await store.close();
});
