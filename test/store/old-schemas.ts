// Data folders that earlier versions have written, one for each schema: `NN-runtime.db.gz` was made by the last version whose
// newest migration was NN, with an API key, a secret, two providers with a connection each, and what that version had of a
// scheduled run, a plugin and a gateway.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "schemas");

/** The root key of all of them. */
export const OLD_ROOT_KEY = "07".repeat(32);

/** Their schemas, oldest first. */
export const oldSchemas: readonly number[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith("-runtime.db.gz"))
  .map((name) => Number(name.slice(0, 2)))
  .toSorted((one, other) => one - other);

/** Puts the databases of a schema into a folder. */
export function writeOldSchema(schema: number, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const prefix = String(schema).padStart(2, "0");
  for (const name of ["runtime.db", "executions.db"]) {
    const bytes = Bun.gunzipSync(readFileSync(join(FOLDER, `${prefix}-${name}.gz`)));
    writeFileSync(join(folder, name), bytes, { mode: 0o600 });
  }
}
