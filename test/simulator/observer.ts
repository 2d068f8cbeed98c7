// Reads the data folder of the simulation from outside, as no simulated process does: never frozen, never failing.
import { Database } from "bun:sqlite";
import { cpSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../src/base";
import { openHeldGrant } from "../../src/connections";
import type { ConnectionRow } from "../../src/connections/repository";
import { openTokens } from "../../src/connections/tokens";
import { derive } from "../../src/crypto/cipher";
import { hashOf } from "../../src/crypto";
import { createRuntime, type Runtime } from "../../src/runtime";
import { openSqlite } from "../../src/store";
import { loadConfig } from "../support/config";
import { extensions } from "./simulated-catalog";
import { KEYS } from "./template";

export interface RunState {
  status: string;
  cut_off: number;
}

export class Observer {
  readonly #folder: string;
  readonly #data: string;
  #runtime: Runtime | undefined;
  #database: Database | undefined;
  #log: Database | undefined;
  /** SQL for the ids of data keys that sealed values name and that do not exist. */
  #missingKeys = "";
  /** Opened tokens by their sealed text. */
  readonly #opened = new Map<string, string | undefined>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#data = join(folder, ".local", "share", "runtime");
  }

  async open(): Promise<void> {
    this.#runtime = await createRuntime(loadConfig({ environment: { HOME: this.#folder } }), extensions, {
      log: silentLog,
      openStore: (options) => openSqlite({ ...options, durability: "normal" }),
    });
    this.#database = new Database(join(this.#data, "runtime.db"), { readonly: true });
    this.#log = new Database(join(this.#data, "executions.db"), { readonly: true });
    this.#missingKeys = missingKeysOf(this.#database);
  }

  async close(): Promise<void> {
    this.#database?.close();
    this.#log?.close();
    await this.#runtime?.close();
    this.#database = this.#log = this.#runtime = undefined;
  }

  /**
   * The machine loses its power: what was not synced is lost. Commits of the main database are synced; those of the
   * execution log only with a checkpoint. No process may be running.
   */
  async losePower(): Promise<void> {
    const log = join(this.#data, "executions.db");
    const kept = `${log}.kept`;
    cpSync(log, kept);
    await this.close();
    for (const end of ["-wal", "-shm"]) rmSync(`${log}${end}`, { force: true });
    cpSync(kept, log);
    rmSync(kept);
    await this.open();
  }

  connections(): ConnectionRow[] {
    return this.#main.query<ConnectionRow, []>("SELECT * FROM connections ORDER BY id").all();
  }

  connection(user: string): ConnectionRow | undefined {
    return this.connections().find(({ user_id }) => user_id === user);
  }

  /** Throws if the sealed tokens cannot be opened. */
  async refreshTokenOf(row: ConnectionRow): Promise<string | undefined> {
    if (!this.#opened.has(row.sealed_tokens)) {
      const { refreshToken } = await openTokens(this.#core.keyring, row);
      this.#opened.set(row.sealed_tokens, refreshToken?.reveal());
    }
    return this.#opened.get(row.sealed_tokens);
  }

  /** Refresh tokens that pending consents hold. */
  async heldTokens(): Promise<string[]> {
    const rows = this.#main
      .query<{ id: string; sealed_grant: string }, []>(
        "SELECT id, sealed_grant FROM authorizations WHERE status = 'pending' AND sealed_grant IS NOT NULL",
      )
      .all();
    const grants = rows.map((row) =>
      openHeldGrant(this.#core.keyring, "default", row.id, row.sealed_grant).catch(() => undefined),
    );
    return (await Promise.all(grants)).flatMap((grant) => grant?.refreshToken?.reveal() ?? []);
  }

  /** Refresh tokens that are to be revoked. */
  async tokensToRevoke(): Promise<string[]> {
    const rows = this.#main.query<Parameters<typeof openTokens>[1] & Revocation, []>(REVOCATIONS).all();
    const tokens = rows.map(async (row) => {
      if (row.sealed_tokens !== null) return (await openTokens(this.#core.keyring, row)).refreshToken;
      const held = openHeldGrant(this.#core.keyring, "default", row.flow_id ?? "", row.sealed_grant ?? "");
      return (await held).refreshToken;
    });
    const opened = await Promise.all(tokens.map((token) => token.catch(() => undefined)));
    return opened.flatMap((token) => token?.reveal() ?? []);
  }

  /** Whether a consent of the user is going on: a revocation waits for it. */
  isConsenting(user: string): boolean {
    const find = this.#main.query<object, [string]>(
      "SELECT 1 FROM authorizations WHERE user_id = ? AND status = 'pending' AND used_at IS NOT NULL",
    );
    return find.get(user) !== null;
  }

  run(id: string): RunState | undefined {
    const cutOff =
      "EXISTS (SELECT 1 FROM scheduled_attempts a WHERE a.run_id = r.id AND a.system_error LIKE 'The server was stopped%')";
    const row = this.#main
      .query<RunState, [string]>(`SELECT status, ${cutOff} AS cut_off FROM scheduled_runs r WHERE id = ?`)
      .get(id);
    return row ?? undefined;
  }

  /** How many entries of the execution log have this id. */
  entries(id: string): number {
    const count = this.#logDatabase.query<{ count: number }, [string]>(
      "SELECT COUNT(*) AS count FROM executions WHERE id = ?",
    );
    return count.get(id)?.count ?? 0;
  }

  /** How many entries the execution log has. */
  logged(): number {
    return (
      this.#logDatabase.query<{ count: number }, []>("SELECT COUNT(*) AS count FROM executions").get()
        ?.count ?? 0
    );
  }

  /** The incarnation of an entry of the audit trail or the execution log. */
  incarnationOfEntry(id: string): string | undefined {
    const find = (database: Database, table: string): string | undefined =>
      database
        .query<{ incarnation: string }, [string]>(`SELECT incarnation FROM ${table} WHERE id = ?`)
        .get(id)?.incarnation;
    return find(this.#main, "audit") ?? find(this.#logDatabase, "executions");
  }

  /** The incarnation of a project that exists. */
  incarnation(projectId: string): string | undefined {
    const find = this.#main.query<{ incarnation: string }, [string]>(
      "SELECT incarnation FROM projects WHERE id = ?",
    );
    return find.get(projectId)?.incarnation;
  }

  /** The keys of the secrets of a project. */
  secretKeys(projectId: string): string[] {
    const list = this.#main.query<{ key: string }, [string]>(
      "SELECT folded_key AS key FROM secrets WHERE project_id = ?",
    );
    return list.all(projectId).map(({ key }) => key);
  }

  /** An audit entry that sorts before one that was committed earlier. */
  misplacedAuditEntry(): string | undefined {
    const found = this.#main
      .query<{ id: string }, []>(
        "SELECT id FROM (SELECT id, MAX(id) OVER (PARTITION BY project_id ORDER BY number ROWS BETWEEN " +
          "UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM audit) WHERE before >= id LIMIT 1",
      )
      .get();
    return found?.id;
  }

  /** A data key that a sealed value names and that does not exist. */
  missingDataKey(): string | undefined {
    return this.#main.query<{ place: string }, []>(this.#missingKeys).get()?.place;
  }

  /** Sealed values of a project that another data key than this one has sealed. */
  sealedByOthers(projectId: string, keyId: string): number {
    const count = this.#main.query<{ count: number }, [string, string]>(
      "SELECT COUNT(*) AS count FROM secrets WHERE project_id = ? AND sealed_value NOT LIKE 'v1.' || ? || '.%'",
    );
    return count.get(projectId, keyId)?.count ?? 0;
  }

  /** The ids of the root keys that can be read in their folder, and the one that the database names. */
  rootKeys(): { named: string | undefined; readable: string[] } {
    const named = this.#main.query<{ value: string }, []>(
      "SELECT value FROM facts WHERE name = 'root_key_canary'",
    );
    const folder = join(this.#folder, KEYS);
    const readable = readdirSync(folder).map((name) => idOf(readFileSync(join(folder, name), "utf8")));
    return { named: named.get()?.value.split(".")[0], readable };
  }

  /** The size of SQLite's write-ahead log. */
  walBytes(): number {
    return statSync(join(this.#data, "runtime.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
  }

  /** The addresses of announced servers. */
  announced(): string[] {
    const rows = this.#main
      .query<{ value: string }, []>("SELECT value FROM facts WHERE name LIKE 'server%'")
      .all();
    return rows.map(({ value }) => String(JSON.parse(value).address));
  }

  /** Damages the data keys of a project, as a broken disk does. */
  damage(projectId: string): void {
    const database = new Database(join(this.#data, "runtime.db"));
    try {
      database.run("UPDATE data_keys SET wrapped = 'damaged' WHERE project_id = ?", [projectId]);
      database.run("UPDATE generations SET value = value + 1 WHERE kind = 'data_keys'");
    } finally {
      database.close();
    }
  }

  get #core() {
    if (this.#runtime === undefined) throw new Error("not open");
    return this.#runtime.core;
  }

  get #main(): Database {
    if (this.#database === undefined) throw new Error("not open");
    return this.#database;
  }

  get #logDatabase(): Database {
    if (this.#log === undefined) throw new Error("not open");
    return this.#log;
  }
}

interface Revocation {
  flow_id: string | null;
  sealed_grant: string | null;
}

const REVOCATIONS = "SELECT * FROM revocations";

/** Looks at every column that contains sealed values. */
function missingKeysOf(database: Database): string {
  const columns = database
    .query<{ name: string; column: string }, []>(
      "SELECT m.name AS name, c.name AS column FROM sqlite_master m, pragma_table_info(m.name) c " +
        "WHERE m.type = 'table' AND c.name LIKE 'sealed%'",
    )
    .all();
  const parts = columns.map(
    ({ name, column }) =>
      `SELECT '${name}.${column}' AS place FROM ${name} WHERE ${column} IS NOT NULL AND NOT EXISTS ` +
      `(SELECT 1 FROM data_keys WHERE substr(${column}, 4, length(data_keys.id) + 1) = data_keys.id || '.')`,
  );
  return `${parts.join(" UNION ALL ")} LIMIT 1`;
}

function idOf(text: string): string {
  const bytes = Buffer.from(text.trim(), "base64");
  return bytes.length === 32
    ? hashOf(Buffer.from(derive(bytes, "root key id")).toString("hex")).slice(0, 16)
    : "";
}
