// Whether a database file is whole, without changing anything in it.
import { Database } from "bun:sqlite";

/** What is damaged, in a few words; undefined when SQLite finds nothing. */
export function damageOf(file: string): string | undefined {
  let database: Database | undefined;
  try {
    database = new Database(file, { readonly: true, strict: true });
    database.run("PRAGMA busy_timeout=5000");
    const rows = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").all();
    const found = rows.map(({ quick_check }) => quick_check).join(" ");
    return found === "ok" ? undefined : found.replaceAll(/\s+/g, " ").slice(0, 200);
  } catch (error) {
    return error instanceof Error ? error.message : "it cannot be opened";
  } finally {
    database?.close();
  }
}
