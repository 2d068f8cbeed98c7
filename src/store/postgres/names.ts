// Names and literals in the few statements that are composed.

/** A literal. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Names of schemas that need no quotes. `_` at the start is left to PostgreSQL's own names. */
export const SCHEMA_NAME = /^[a-z][a-z0-9_]{0,40}$/;
