// Whether a database file is whole, without changing anything in it.
import { Database, SQLiteError } from "bun:sqlite";

/** What SQLite says of a file that is no longer, or never was, a database. Everything else it says is about the machine. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** What is damaged, in a few words; undefined when SQLite finds nothing. Throws when it could not look. */
export function damageOf(file: string): string | undefined {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true, strict: true });
    database.run("PRAGMA busy_timeout=5000");
    const rows = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
    const found = rows.map(({ quick_check }) => quick_check).join(" ");
    return found === "ok" ? undefined : found.replaceAll(/\s+/g, " ").slice(0, 200);
  } catch (error) {
    if (error instanceof SQLiteError && DAMAGED.test(error.code ?? "")) return error.message;
    throw error;
  } finally {
    database?.close();
  }
}
