// The settings of a PostgreSQL database. Without `database.url`, the database is a file in the data folder.
import { argumentList, path } from "./types";

const databaseUrl = {
  type: "string",
  pattern: "^postgres(ql)?://",
  description: "a URL such as postgres://runtime@db1,db2/runtime?sslmode=verify-full",
} as const;

export const DATABASE_KEYS = {
  "database.url": {
    schema: databaseUrl,
    databaseUrl: true,
    flag: "--database",
    meaning:
      "PostgreSQL database: hosts, database, user, TLS; shown without its password. Unset: SQLite in the data folder",
  },
  "database.password_file": {
    schema: path,
    meaning: "file with the password of the database user; read at each connect",
  },
  "database.password_command": {
    schema: argumentList,
    json: true,
    meaning:
      "program with its arguments that prints the password of the database user; started without a shell at each connect",
  },
  "database.migrate_url": {
    schema: databaseUrl,
    databaseUrl: true,
    meaning: "the same database with a user that may create tables, for migrations; default: database.url",
  },
  "database.listen_url": {
    schema: databaseUrl,
    databaseUrl: true,
    meaning: "the same database without a connection pooler in between, for LISTEN; default: database.url",
  },
  "database.schema": {
    schema: {
      type: "string",
      // Two schemas are made of it, and names have at most 63 bytes.
      pattern: "^(?!pg_)[a-z_][a-z0-9_]{0,49}$",
      description: "a name of lower-case letters, digits and _, at most 50, that does not begin with pg_",
    },
    default: "runtime",
    meaning: "PostgreSQL schema of the tables; those of the execution log are in the schema NAME_executions",
  },
  "database.connections": {
    schema: { type: "integer", minimum: 2, maximum: 500, description: "a number, 2 to 500" },
    default: 8,
    meaning: "most connections of each server process to PostgreSQL",
  },
  "database.prepared_statements": {
    schema: { type: "boolean", description: "true or false" },
    default: true,
    meaning: "false for PgBouncer in transaction mode before version 1.21",
  },
} as const;
