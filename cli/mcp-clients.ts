// Connects MCP clients to a gateway: prints an entry, or writes it into the client's file. It never contains the API key: the
// client takes the key from the environment, or prompts for it.
import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { type Config, parseDatabaseUrl } from "../src/config";
import type { GatewayRecord } from "../src/gateways";
import {
  type ClientName,
  type Entry,
  type Format,
  FORMATS,
  serverOf,
  TOML_FILE,
  TOML_PARENT,
} from "../src/gateways/client-formats";
import { KEY_AND_USER } from "../src/gateways/compat";
import { type ClientCall, userOf } from "./client/client";
import { gatewayAddress } from "./client/gateways";
import type { Common } from "./command";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { mergedJson } from "./json-file";
import { ownCommand } from "./own-command";
import { type Format as OutputFormat, textOf } from "./output";
import { withTable } from "./toml-file";
import { changeFile } from "./user-text";
import { mergedYaml } from "./yaml-file";

export interface ConnectFlags {
  client: ClientName | undefined;
  user: string | undefined;
  keyVariable: string | undefined;
  stdio: boolean;
  write: boolean;
}

/** Prints or writes the configuration. Throws `usage`, and `configuration` for a file that cannot be changed. */
export async function printClientConfig(
  call: ClientCall,
  record: GatewayRecord,
  flags: ConnectFlags,
): Promise<void> {
  const { io, common } = call;
  const { client: name = "json", write } = flags;
  const entry = await clientEntry(call, record, flags);
  const target = name === "codex" ? tomlTarget(entry) : jsonTarget(FORMATS[name], entry, common.output);
  if (write) writeTo(io, name, target);
  else {
    io.out(target.printed);
    if (target.file !== undefined) io.note(`For ${target.file}. Use --write to add it to the file.`);
  }
  noteKey(io, name, entry);
}

/** The gateway as a client's file has it. Throws `usage`. */
export async function clientEntry(
  { io, common, client }: ClientCall,
  record: Pick<GatewayRecord, "slug" | "auth_type">,
  { client: name = "json", user, keyVariable = "RUNTIME_API_KEY", stdio }: Omit<ConnectFlags, "write">,
): Promise<Entry> {
  if (!/^[A-Za-z_]\w*$/.test(keyVariable)) throw new UsageError("--key-env takes the name of a variable.");
  const needsKey = record.auth_type === KEY_AND_USER;
  const usesStdio = stdio || (name !== "codex" && startsPrograms(FORMATS[name], needsKey));
  return {
    name: record.slug,
    url: await gatewayAddress(client, record.slug),
    key: needsKey ? { variable: keyVariable, user: userOf(client, user) } : undefined,
    command: usesStdio
      ? [...ownCommand(), "mcp", "--gateway", record.slug, "--user", userOf(client, user)].concat(
          locationFlags(io, common, client.config),
        )
      : [],
  };
}

function startsPrograms({ stdioOnly, stdioWithKey }: Format, needsKey: boolean): boolean {
  return stdioOnly === true || (stdioWithKey === true && needsKey);
}

/** Where the client takes its key from, if it needs one. */
export function noteKey(io: Io, name: ClientName, { key, command }: Entry): void {
  if (key !== undefined && command.length === 0) io.note(keyNote(name, key.variable));
}

/** What is printed, or changed in the client's file. */
interface Target {
  file: string | undefined;
  printed: string;
  change(text: string): string;
}

function jsonTarget(format: Format, entry: Entry, output: OutputFormat): Target {
  const config = format.config(serverOf(format, entry), entry);
  return {
    file: fileOf(format),
    printed: textOf(output, config, () =>
      format.isYaml === true ? mergedYaml("", config) : `${JSON.stringify(config, null, 2)}\n`,
    ),
    change: (text) => (format.isYaml === true ? mergedYaml(text, config) : mergedJson(text, config)),
  };
}

function fileOf({ file, otherFile }: Format): string | undefined {
  if (file === undefined || otherFile === undefined) return file;
  return !existsSync(file) && existsSync(otherFile) ? otherFile : file;
}

function tomlTarget(entry: Entry): Target {
  const lines = tomlOf(entry);
  return {
    file: TOML_FILE,
    printed: `[${TOML_PARENT}.${JSON.stringify(entry.name)}]\n${lines.join("\n")}\n`,
    change: (text) => withTable(text, TOML_PARENT, entry.name, lines),
  };
}

/** If the file cannot be changed, the entry is printed, to be added by hand. */
function writeTo(io: Io, name: ClientName, { file, printed, change }: Target): void {
  try {
    const path = pathOf(io, name, file);
    changeFile(path, change);
    io.note(`Written to ${path}.`);
  } catch (error) {
    io.note(printed.trimEnd());
    throw error;
  }
}

function pathOf(io: Io, name: ClientName, file: string | undefined): string {
  if (file === undefined)
    throw new UsageError(
      `--write: the location of the file of ${name} is unknown. Add the printed entry by hand.`,
    );
  if (!file.startsWith("~/")) return resolve(file);
  const home = io.env["HOME"];
  if (home === undefined || !isAbsolute(home))
    throw new UsageError("--write needs a home folder (HOME). Add the printed entry by hand.");
  return join(home, file.slice(2));
}

/** The flags that say where this command works, also those of its environment: the client runs with another one. */
function locationFlags({ env }: Io, common: Common, config: Config): string[] {
  const { dataDir, config: configFile = env["RUNTIME_CONFIG"], project, server, keyFile } = common;
  const { settings } = config;
  const inherited = <T>(name: string, value: T): T | undefined =>
    config.originOf(name).startsWith("environment ") ? value : undefined;
  const address = server ?? (dataDir === undefined ? inherited("server", settings.server) : undefined);
  const folder = dataDir ?? (address === undefined ? inherited("data_dir", settings.data_dir) : undefined);
  const file = (path: string | undefined): string | undefined => (path === undefined ? path : resolve(path));
  const flags: [string, string | undefined][] = [
    ["--data-dir", file(folder)],
    ["--database", address === undefined ? databaseOf(common, config) : undefined],
    ["--config", file(configFile)],
    ["--project", project ?? inherited("project", settings.project)],
    ["--server", address],
    ["--key-file", keyFile === "-" ? undefined : file(keyFile)],
  ];
  return flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}

/** The database that the environment or a flag names; the file of a client contains no password. Throws `usage`. */
export function databaseOf({ database }: Pick<Common, "database">, config: Config): string | undefined {
  if (database !== undefined) return database;
  if (!config.originOf("database.url").startsWith("environment ")) return undefined;
  const url = config.settings["database.url"];
  if (url === undefined || parseDatabaseUrl(url).password === undefined) return url;
  throw new UsageError(
    "RUNTIME_DATABASE_URL contains a password, which the file of a client must not contain. Put the password into a file " +
      "that database.password_file names in the configuration file.",
  );
}

export function tomlOf({ url, key, command: [program, ...args] }: Entry): string[] {
  const text = (value: string): string => JSON.stringify(value);
  if (program !== undefined) return [`command = ${text(program)}`, `args = [${args.map(text).join(", ")}]`];
  if (key === undefined) return [`url = ${text(url)}`];
  const header = `http_headers = { "X-User-ID" = ${text(key.user)} }`;
  return [`url = ${text(url)}`, `bearer_token_env_var = ${text(key.variable)}`, header];
}

function keyNote(name: ClientName, variable: string): string {
  if (name === "vscode")
    return "The client prompts for the API key once. Create one: runtime keys create NAME --user USER";
  return `The client takes the API key from ${variable}. Create one: runtime keys create NAME --user USER`;
}
