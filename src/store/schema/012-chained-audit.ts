// The audit trail as hash chains, one per project and one for the installation (docs/audit.md). The rows of earlier versions
// are chained in the order of their ids, which is the order of their commits. Users are named by pseudonyms.
import type { Database } from "bun:sqlite";
import { netstrings } from "../../base";
import type { Migration } from "../migrate";

interface OldRow {
  id: string;
  project_id: string | null;
  incarnation: string;
  actor: string;
  action: string;
  target: string;
  details: string | null;
  created_at: number;
}

export const chainedAudit: Migration = {
  version: 12,
  name: "chained audit",
  statements: [
    // Entry ids sort in the order of the chain, so one tree is the table, the chain and the index of its pages.
    `CREATE TABLE chained_audit (
      project_id TEXT NOT NULL, id TEXT NOT NULL, number INTEGER NOT NULL, incarnation TEXT NOT NULL,
      actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL, result TEXT NOT NULL, address TEXT NOT NULL,
      details TEXT NOT NULL, created_at INTEGER NOT NULL, hash TEXT NOT NULL,
      PRIMARY KEY (project_id, id)
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE audit_heads (
      project_id TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL, newest_id TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE audit_checkpoints (
      project_id TEXT NOT NULL PRIMARY KEY, number INTEGER NOT NULL, hash TEXT NOT NULL, created_at INTEGER NOT NULL,
      key_id TEXT NOT NULL, signature TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE audit_people (
      pseudonym TEXT NOT NULL PRIMARY KEY, project_id TEXT NOT NULL, user_id TEXT NOT NULL,
      UNIQUE (project_id, user_id)
    ) STRICT, WITHOUT ROWID`,
  ],
  apply: (database) => {
    chainOldRows(database);
    database.run("DROP TABLE audit");
    database.run("ALTER TABLE chained_audit RENAME TO audit");
  },
};

function chainOldRows(database: Database): void {
  const rows = database.query<OldRow, []>(
    "SELECT id, project_id, incarnation, actor, action, target, details, created_at FROM audit ORDER BY project_id, id",
  );
  const add = database.query("INSERT INTO chained_audit VALUES (?, ?, ?, ?, ?, ?, ?, 'ok', '', ?, ?, ?)");
  const putHead = database.query("INSERT INTO audit_heads VALUES (?, ?, ?, ?)");
  const pseudonymOf = pseudonyms(database);
  let head = { project: "", number: 0, hash: FIRST, id: "" };
  const endChain = (): void => {
    if (head.number > 0) putHead.run(head.project, head.number, head.hash, head.id);
  };
  for (const row of rows.iterate()) {
    const project = row.project_id ?? "";
    if (project !== head.project) {
      endChain();
      head = { project, number: 0, hash: FIRST, id: "" };
    }
    const actor = row.actor.startsWith("user:")
      ? `user:${pseudonymOf(project, row.actor.slice("user:".length))}`
      : row.actor;
    const number = head.number + 1;
    const details = row.details ?? "";
    const { id, incarnation, action, target, created_at } = row;
    const fields = [project, number, id, created_at, incarnation, actor, action, target, "ok", "", details];
    const text = netstrings(["runtime audit row 1", head.hash, ...fields.map(String)]);
    const hash = Bun.CryptoHasher.hash("sha256", text, "hex");
    add.run(project, id, number, incarnation, actor, action, target, details, created_at, hash);
    head = { project, number, hash, id };
  }
  endChain();
}

const FIRST = "0".repeat(64);

function pseudonyms(database: Database): (project: string, user: string) => string {
  const known = new Map<string, string>();
  const add = database.query("INSERT INTO audit_people VALUES (?, ?, ?)");
  return (project, user) => {
    const key = JSON.stringify([project, user]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const pseudonym = `ps_${crypto.getRandomValues(new Uint8Array(16)).toHex()}`;
    add.run(pseudonym, project, user);
    known.set(key, pseudonym);
    return pseudonym;
  };
}
