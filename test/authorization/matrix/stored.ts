// The stored grants of the matrix, from the database itself.
import { SQL } from "bun";
import { Database } from "bun:sqlite";
import type { Owner } from "./owners";

export interface StoredGrants extends AsyncDisposable {
  /** Makes the stored token one that has expired. */
  expire(owner: Owner): Promise<void>;
  /** Names of the owners whose grant is stored and alive. */
  living(): Promise<Set<string>>;
}

const EXPIRE = "UPDATE connections SET expires_at = 1, refresh_at = 1 WHERE ";
const LIVING =
  "SELECT project_id || '-' || user_id || '-' || provider_id AS name FROM connections WHERE status = 'active'";

export function storedInFile(file: string): StoredGrants {
  const database = new Database(file);
  database.run("PRAGMA busy_timeout=5000");
  const expiring = database.prepare(`${EXPIRE} project_id = ? AND user_id = ? AND provider_id = ?`);
  const living = database.prepare(LIVING);
  return {
    expire: async ({ project, user, provider }) => void expiring.run(project, user, provider),
    living: async () => namesOf(living.all()),
    [Symbol.asyncDispose]: async () => {
      expiring.finalize();
      living.finalize();
      database.close();
    },
  };
}

export function storedOnPostgres(url: string, schema = "runtime"): StoredGrants {
  const sql = new SQL({ url, max: 1 });
  // Bare names in each transaction: Bun may replace a connection.
  const inSchema = <T>(work: (transaction: SQL) => Promise<T>): Promise<T> =>
    sql.begin(async (transaction) => {
      await transaction.unsafe(`SET LOCAL search_path = ${schema}`);
      return work(transaction);
    });
  return {
    expire: ({ project, user, provider }) =>
      inSchema(async (transaction) => {
        const owner = [project, user, provider];
        await transaction.unsafe(`${EXPIRE} project_id = $1 AND user_id = $2 AND provider_id = $3`, owner);
      }),
    living: () => inSchema(async (transaction) => namesOf(await transaction.unsafe(LIVING))),
    [Symbol.asyncDispose]: () => sql.close(),
  };
}

function namesOf(rows: readonly unknown[]): Set<string> {
  return new Set(rows.map((row) => String(Object(row).name)));
}
