// How a transaction of the writer begins: its limits, and the lock of the writers.

/**
 * Server-side limits, ms: of a statement, of a wait for the lock, and of the silence of a client that holds the lock. If many
 * servers lose their connections without a word, the waits of most end before they get the lock one after the other: one
 * that gets it just before adds its silence, and their sum is how long all writes may stop.
 */
export const STATEMENT_MS = 10_000;
const LOCK_MS = 1500;
const SILENCE_MS = 2000;
/** Replaces a default of the role or the database, but not a stricter choice. */
const DURABLE =
  "CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END";

/** The first statement that answers names the `session`; the last one returns the version of the tables as `value`. */
export function beginning(schema: string, durability: "full" | "normal"): string[] {
  // The role or the database may have other defaults.
  const settings = {
    statement_timeout: `'${STATEMENT_MS}'`,
    lock_timeout: `'${LOCK_MS}'`,
    idle_in_transaction_session_timeout: `'${SILENCE_MS}'`,
    synchronous_commit: durability === "normal" ? "'off'" : DURABLE,
  };
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', ${value}, true)`);
  return [
    "BEGIN ISOLATION LEVEL read committed",
    `SELECT pg_backend_pid() AS session, ${set.join(", ")}`,
    `SELECT pg_advisory_xact_lock(hashtextextended('runtime writer of ${schema}', 0))`,
    `SELECT value FROM ${schema}.generations WHERE kind = 'schema'`,
  ];
}
