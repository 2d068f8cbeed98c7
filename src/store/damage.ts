// Checks a database file for damage without changing it.
import { Database, SQLiteError } from "bun:sqlite";

/** SQLite's error codes for a file that is damaged or not a database. Other codes are not about the file. */
const DAMAGED = /^SQLITE_(CORRUPT|NOTADB)/;

/** A short description of the damage; undefined if SQLite finds none. Throws if the file cannot be checked. */
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
