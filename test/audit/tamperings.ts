// Ways to tamper with the chains of an audit trail, as somebody could who can write the database file but has no key.
import { Database } from "bun:sqlite";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { Audit, type SignedHead, SigningKey } from "../../src/audit";
import { type ChainedRow, NO_HASH, rowHash } from "../../src/audit/chain";
import { signedHeads } from "../../src/audit/heads";
import { systemRandom } from "../../src/crypto";
import { mainMigrations, openSqlite, query, run } from "../../src/store";
import { temporaryFolder } from "../support/temporary";
import { MovableClock, operator } from "../tools/deployment";

/** An audit trail, a copy of it from the day before, and the heads of both, as they were kept elsewhere. */
export interface Original {
  file: string;
  yesterday: string;
  /** The newest heads. */
  heads: SignedHead[];
  key: SigningKey;
  rows: number;
}

/** The chain of the project `default` gets `rows` rows. */
export async function original(folder: string, rows: number): Promise<Original> {
  const [file, yesterday] = [join(folder, "today.db"), join(folder, "yesterday.db")];
  const clock = new MovableClock();
  const audit = new Audit({ clock, random: systemRandom });
  const key = new SigningKey({ file: () => join(folder, "audit.key"), seed: () => new Uint8Array(32) });
  const open = () => openSqlite({ file, migrations: mainMigrations });
  const store = open();
  await store.write(function* () {
    yield* run(query("INSERT INTO organizations VALUES ('default', 'Default', 1000)"));
    for (const id of ["default", "other"])
      yield* run(query("INSERT INTO projects VALUES (?, 'default', 'Project', NULL, 1000, '', NULL)"), id);
    for (const project of [null, "other"])
      for (let number = 1; number <= 10; number++)
        yield* audit.record({ kind: "operator", projectId: project }, "project.update", `p${number}`);
  });
  const write = async (from: number, to: number): Promise<void> => {
    await store.write(function* () {
      for (let number = from; number <= to; number++) {
        const details = { after: { name: `Größe ${number}`, status: "active" } };
        yield* audit.record(
          { ...operator(), address: "192.0.2.7" },
          "secret.upsert",
          `KEY_${number}`,
          details,
        );
      }
    });
  };
  // Ids of one millisecond are in no order, and the rows of the other chains come first.
  clock.move(1000);
  await write(1, rows - 200);
  await store.close();
  copyFileSync(file, yesterday);
  const later = open();
  await later.write(function* () {
    for (let number = rows - 199; number <= rows; number++)
      yield* audit.record(
        { kind: "user", userId: "alice", projectId: "default" },
        "secret.delete",
        `KEY_${number}`,
      );
  });
  const heads = await signedHeads(later, key, clock.now());
  await later.close();
  return { file, yesterday, heads, key, rows };
}

export interface Tampering {
  name: string;
  /** Found only with a head that is kept outside of the database. */
  needsHead?: true;
  tamper(database: Database, original: Original): void;
  /** The number of the row that the verification must name. */
  at(rows: number): number;
}

const CHAIN = "project_id = 'default'";

const setOf = (row: number, set: string) => (database: Database) =>
  void database.run(`UPDATE audit SET ${set} WHERE ${CHAIN} AND number = ${row}`);

/** Each changes the chain of `default`, which has at least 1000 rows. */
export const TAMPERINGS: readonly Tampering[] = [
  ...[
    ["actor", "actor = 'key:key_other'"],
    ["action", "action = 'secret.read'"],
    ["target", "target = 'OTHER'"],
    ["details", "details = REPLACE(details, 'active', 'absent')"],
    ["result", "result = 'failed'"],
    ["address", "address = '198.51.100.1'"],
    ["time", "created_at = created_at - 86400000"],
    ["incarnation", "incarnation = 'other'"],
  ].map(([name, set]) => ({
    name: `another ${name} in a row`,
    tamper: setOf(500, set ?? ""),
    at: () => 500,
  })),
  {
    name: "text moved from one field to the next",
    tamper: setOf(500, "actor = 'op', action = 'erator' || action"),
    at: () => 500,
  },
  { name: "another hash of a row", tamper: setOf(500, `hash = '${"0".repeat(64)}'`), at: () => 500 },
  {
    name: "a row with a new hash of its own",
    tamper: (database) => rewrite(database, 500, 500, (row) => ({ ...row, target: "OTHER" })),
    at: () => 501,
  },
  {
    name: "a deleted row",
    tamper: (database) => database.run(`DELETE FROM audit WHERE ${CHAIN} AND number = 500`),
    at: () => 500,
  },
  {
    name: "the deleted first row",
    tamper: (database) => database.run(`DELETE FROM audit WHERE ${CHAIN} AND number = 1`),
    at: () => 1,
  },
  {
    name: "a deleted row, and the later ones numbered again",
    tamper: (database) => {
      database.run(`DELETE FROM audit WHERE ${CHAIN} AND number = 500`);
      database.run(`UPDATE audit SET number = number - 1 WHERE ${CHAIN} AND number > 500`);
    },
    at: () => 500,
  },
  {
    name: "the deleted newest rows",
    tamper: (database, { rows }) =>
      database.run(`DELETE FROM audit WHERE ${CHAIN} AND number > ${rows - 100}`),
    at: (rows) => rows - 99,
  },
  {
    name: "two rows that changed places",
    tamper: (database) => {
      const [one, other] = [row(database, 500), row(database, 700)];
      database.run(`DELETE FROM audit WHERE ${CHAIN} AND number IN (500, 700)`);
      insert(database, { ...one, id: other.id });
      insert(database, { ...other, id: one.id });
    },
    at: () => 500,
  },
  {
    name: "an inserted row",
    tamper: (database) => {
      const before = row(database, 500);
      insert(database, { ...before, id: `${before.id}0`, target: "INSERTED" });
    },
    at: () => 500,
  },
  {
    name: "an added row at the end",
    tamper: (database, { rows }) => {
      const last = row(database, rows);
      const added = { ...last, id: `${last.id}0`, number: rows + 1 };
      insert(database, { ...added, hash: rowHash(last.hash, added) });
    },
    at: (rows) => rows + 1,
  },
  {
    name: "a row of another project",
    tamper: (database) =>
      database.run("UPDATE audit SET project_id = 'default' WHERE project_id = 'other' AND number = 10"),
    at: () => 1,
  },
  {
    name: "another id of a row",
    tamper: (database) => database.run(`UPDATE audit SET id = id || '0' WHERE ${CHAIN} AND number = 500`),
    at: () => 500,
  },
  {
    name: "another stored head",
    tamper: (database) => database.run(`UPDATE audit_heads SET hash = '${"1".repeat(64)}' WHERE ${CHAIN}`),
    at: (rows) => rows,
  },
  {
    name: "a deleted stored head",
    tamper: (database) => database.run(`DELETE FROM audit_heads WHERE ${CHAIN}`),
    at: (rows) => rows,
  },
  {
    name: "a removed beginning with a checkpoint that is not signed with the key",
    tamper: (database) => {
      const last = row(database, 300);
      database.run(`DELETE FROM audit WHERE ${CHAIN} AND number <= 300`);
      const add = database.query("INSERT INTO audit_checkpoints VALUES ('default', 300, ?, 1000, ?, ?)");
      add.run(last.hash, "0".repeat(16), Buffer.alloc(64).toString("base64"));
    },
    at: () => 300,
  },
  {
    name: "the newest 100 rows removed, with a stored head that fits",
    needsHead: true,
    tamper: (database, { rows }) => {
      database.run(`DELETE FROM audit WHERE ${CHAIN} AND number > ${rows - 100}`);
      putHead(database, row(database, rows - 100));
    },
    at: (rows) => rows,
  },
  {
    name: "the whole file replaced by the copy of yesterday",
    needsHead: true,
    tamper: () => undefined,
    at: (rows) => rows,
  },
  {
    name: "a changed row, and all hashes after it computed again",
    needsHead: true,
    tamper: (database, { rows }) => {
      rewrite(database, 500, rows, (one) => (one.number === 500 ? { ...one, target: "OTHER" } : one));
      putHead(database, row(database, rows));
    },
    at: (rows) => rows,
  },
  {
    name: "the whole chain deleted, with its head",
    needsHead: true,
    tamper: (database) => {
      database.run(`DELETE FROM audit WHERE ${CHAIN}`);
      database.run(`DELETE FROM audit_heads WHERE ${CHAIN}`);
    },
    at: (rows) => rows,
  },
];

/** A copy of the original that was tampered with. */
export function tampered(from: Original, { name, tamper }: Tampering): string {
  const file = join(temporaryFolder(), "runtime.db");
  copyFileSync(name.includes("yesterday") ? from.yesterday : from.file, file);
  const database = new Database(file, { strict: true });
  database.transaction(() => tamper(database, from))();
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  return file;
}

function row(database: Database, number: number): ChainedRow {
  const found = database
    .query<ChainedRow, [number]>(`SELECT * FROM audit WHERE ${CHAIN} AND number = ?`)
    .get(number);
  if (found === null) throw new Error(`there is no row ${number}`);
  return found;
}

function insert(database: Database, one: ChainedRow): void {
  const columns = Object.keys(one);
  const values = Object.values(one);
  database
    .query(`INSERT INTO audit (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
    .run(...values);
}

function putHead(database: Database, { number, hash, id }: ChainedRow): void {
  database
    .query(`UPDATE audit_heads SET number = ?, hash = ?, newest_id = ? WHERE ${CHAIN}`)
    .run(number, hash, id);
}

/** Changes rows and computes their hashes again, each after the one before it. */
function rewrite(
  database: Database,
  from: number,
  to: number,
  change: (one: ChainedRow) => ChainedRow,
): void {
  let former = from === 1 ? NO_HASH : row(database, from - 1).hash;
  const rows = database.query<ChainedRow, [number, number]>(
    `SELECT * FROM audit WHERE ${CHAIN} AND number BETWEEN ? AND ? ORDER BY id`,
  );
  const update = database.query(`UPDATE audit SET target = ?, hash = ? WHERE ${CHAIN} AND id = ?`);
  for (const changed of rows.all(from, to).map(change)) {
    former = rowHash(former, changed);
    update.run(changed.target, former, changed.id);
  }
}
