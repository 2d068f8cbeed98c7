// The settings of a PostgreSQL database, put together.
import { Redacted } from "../base";
import { configurationError } from "../errors";
import { parseDatabaseUrl } from "./database-url";
import type { Settings } from "./keys";
import { absolute, type Environment } from "./paths";

export interface DatabaseSettings {
  /** Redacted, because a URL may contain a password. */
  url: Redacted;
  /** The URL for migrations; `url` if it is not set. */
  migrateUrl: Redacted;
  /** The URL for LISTEN; `url` if it is not set. */
  listenUrl: Redacted;
  /** Where the password of a URL without one comes from; at most one of the two. Absolute. */
  passwordFile: string | undefined;
  passwordCommand: readonly string[] | undefined;
  schema: string;
  connections: number;
  preparedStatements: boolean;
  /** Files with the password or the key of a client certificate. Absolute. */
  secretFiles: readonly string[];
}

/** `given`: a value as it was set, with its password. Undefined without `database.url`. */
export function databaseSettings(
  settings: Settings,
  given: (name: keyof Settings) => unknown,
  environment: Environment,
): DatabaseSettings | undefined {
  const url = redacted(given("database.url"));
  const file = settings["database.password_file"];
  const command = settings["database.password_command"];
  if (url === undefined) {
    const names = ["database.password_file", "database.password_command", "database.migrate_url"] as const;
    const set = names.find((name) => settings[name] !== undefined);
    if (set === undefined) return undefined;
    throw configurationError(
      `${set} is set but database.url is not. Set database.url too, or remove ${set}.`,
    );
  }
  const sources = [
    ...(parseDatabaseUrl(url.reveal()).password === undefined ? [] : ["a password in database.url"]),
    ...(file === undefined ? [] : ["database.password_file"]),
    ...(command === undefined ? [] : ["database.password_command"]),
  ];
  if (sources.length > 1)
    throw configurationError(`${sources.join(" and ")} are set. Keep the one that has the password.`);
  const migrateUrl = redacted(given("database.migrate_url")) ?? url;
  const listenUrl = redacted(given("database.listen_url")) ?? url;
  const passwordFile = file === undefined ? undefined : absolute(file, environment);
  return {
    url,
    migrateUrl,
    listenUrl,
    passwordFile,
    passwordCommand: command,
    schema: settings["database.schema"],
    connections: settings["database.connections"],
    preparedStatements: settings["database.prepared_statements"],
    secretFiles: [
      ...(passwordFile === undefined ? [] : [passwordFile]),
      ...keyFiles([url, migrateUrl, listenUrl], environment),
    ],
  };
}

/** The keys of client certificates. */
function keyFiles(urls: readonly (Redacted | undefined)[], environment: Environment): string[] {
  const keys = urls.map((url) => (url === undefined ? undefined : parseDatabaseUrl(url.reveal()).tls.key));
  return [...new Set(keys)].filter((key) => key !== undefined).map((key) => absolute(key, environment));
}

function redacted(value: unknown): Redacted | undefined {
  return typeof value === "string" ? new Redacted(value) : undefined;
}
