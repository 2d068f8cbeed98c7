// The configuration of a gateway for MCP clients: file and format of each. It never contains the API key: the client takes
// the key from the environment, or prompts for it.
import { isAbsolute, join, resolve } from "node:path";
import type { JsonObject } from "../src/base";
import type { GatewayRecord } from "../src/gateways";
import { KEY_AND_USER } from "../src/gateways/compat";
import { type ClientCall, userOf } from "./client/client";
import { gatewayAddress } from "./client/gateways";
import type { Common } from "./command";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { mergeInto } from "./json-file";
import { print } from "./output";

export const CLIENT_NAMES = [
  "json",
  "claude",
  "claude-desktop",
  "codex",
  "cursor",
  "gemini",
  "vscode",
  "windsurf",
] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** A gateway, as a client sees it. */
interface Entry {
  /** Name of the server in the client. */
  name: string;
  url: string;
  /** Undefined: the client obtains tokens itself. */
  key: { variable: string; user: string } | undefined;
  /** A command that serves the gateway on standard input and output. */
  command: readonly string[];
}

interface Format {
  /** Path of the configuration: in the home folder if it begins with `~`, otherwise in the current folder. */
  file?: string;
  /** The client can only start programs; it cannot call an address with headers. */
  stdioOnly?: true;
  /** The syntax for an environment variable in the client's file. */
  variable?: (name: string) => string;
  config(server: JsonObject, entry: Entry): JsonObject;
  /** The record of a remote server; default: `url` and `headers`. */
  remote?: (url: string, headers: JsonObject) => JsonObject;
}

const inServers = (server: JsonObject, { name }: Entry): JsonObject => ({ mcpServers: { [name]: server } });
const braces = (name: string): string => `\${${name}}`;
const braced = (name: string): string => `\${env:${name}}`;

const FORMATS: { readonly [N in Exclude<ClientName, "codex">]: Format } = {
  json: {
    variable: braces,
    config: inServers,
    remote: (url, headers) => ({ type: "http", url, ...headers }),
  },
  claude: {
    file: ".mcp.json",
    variable: braces,
    config: inServers,
    remote: (url, headers) => ({ type: "http", url, ...headers }),
  },
  "claude-desktop": { stdioOnly: true, config: inServers },
  cursor: { file: ".cursor/mcp.json", variable: braced, config: inServers },
  gemini: {
    file: ".gemini/settings.json",
    variable: (name) => `$${name}`,
    config: inServers,
    remote: (url, headers) => ({ httpUrl: url, ...headers }),
  },
  vscode: {
    file: ".vscode/mcp.json",
    variable: (name) => `\${input:${inputId(name)}}`,
    config: (server, { name, key }) => ({
      ...(key === undefined || server["url"] === undefined ? {} : { inputs: [keyInput(key.variable)] }),
      servers: { [name]: server },
    }),
    remote: (url, headers) => ({ type: "http", url, ...headers }),
  },
  windsurf: {
    file: "~/.codeium/windsurf/mcp_config.json",
    variable: braced,
    config: inServers,
    remote: (url, headers) => ({ serverUrl: url, ...headers }),
  },
};

const inputId = (variable: string): string => variable.toLowerCase().replaceAll("_", "-");
const keyInput = (variable: string): JsonObject => ({
  id: inputId(variable),
  type: "promptString",
  description: "API key of runtime",
  password: true,
});

export interface ConnectFlags {
  client: ClientName | undefined;
  user: string | undefined;
  keyVariable: string | undefined;
  stdio: boolean;
  write: boolean;
}

/** Prints or writes the configuration. Throws `usage`, and `configuration` for a file that cannot be merged. */
export async function printClientConfig(
  { io, common, client }: ClientCall,
  record: GatewayRecord,
  { client: name = "json", user, keyVariable = "RUNTIME_API_KEY", stdio, write }: ConnectFlags,
): Promise<void> {
  if (!/^[A-Za-z_]\w*$/.test(keyVariable)) throw new UsageError("--key-env takes the name of a variable.");
  const needsKey = record.auth_type === KEY_AND_USER;
  const usesStdio = stdio || (name !== "codex" && FORMATS[name].stdioOnly === true);
  const entry: Entry = {
    name: record.slug,
    url: await gatewayAddress(client, record.slug),
    key: needsKey ? { variable: keyVariable, user: userOf(client, user) } : undefined,
    command: usesStdio
      ? ["mcp", "--gateway", record.slug, "--user", userOf(client, user), ...locationFlags(common)]
      : [],
  };
  if (name === "codex") {
    if (write)
      throw new UsageError(
        "--write does not support codex. Add the printed configuration to its file by hand.",
      );
    io.out(tomlOf(entry, usesStdio));
    return;
  }
  const format = FORMATS[name];
  const config = format.config(serverOf(format, entry, usesStdio), entry);
  if (write) return writeConfig(io, name, format, config);
  print(io, common.output, config, () => `${JSON.stringify(config, null, 2)}\n`);
  if (format.file !== undefined) io.note(`For ${format.file}. Use --write to add it to the file.`);
  if (entry.key !== undefined && !usesStdio) io.note(keyNote(name, entry.key.variable));
}

/** The location flags of this command, because the client runs in another folder and environment. */
function locationFlags({ dataDir, config, project, server, keyFile }: Common): string[] {
  const file = (path: string | undefined): string | undefined => (path === undefined ? path : resolve(path));
  const flags: [string, string | undefined][] = [
    ["--data-dir", file(dataDir)],
    ["--config", file(config)],
    ["--project", project],
    ["--server", server],
    ["--key-file", keyFile === "-" ? undefined : file(keyFile)],
  ];
  return flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}

function serverOf(
  { variable = braces, remote }: Format,
  { url, key, command }: Entry,
  usesStdio: boolean,
): JsonObject {
  if (usesStdio) return { command: "runtime", args: [...command] };
  const headers: JsonObject =
    key === undefined
      ? {}
      : { headers: { Authorization: `Bearer ${variable(key.variable)}`, "X-User-ID": key.user } };
  return remote === undefined ? { url, ...headers } : remote(url, headers);
}

function tomlOf({ name, url, key, command }: Entry, usesStdio: boolean): string {
  const text = (value: string): string => JSON.stringify(value);
  const lines = usesStdio
    ? [`command = "runtime"`, `args = [${command.map(text).join(", ")}]`]
    : [
        `url = ${text(url)}`,
        ...(key === undefined
          ? []
          : [
              `bearer_token_env_var = ${text(key.variable)}`,
              `http_headers = { "X-User-ID" = ${text(key.user)} }`,
            ]),
      ];
  return `[mcp_servers.${text(name)}]\n${lines.join("\n")}\n`;
}

function keyNote(name: ClientName, variable: string): string {
  if (name === "vscode")
    return "The client prompts for the API key once. Create one: runtime keys create NAME --user USER";
  return `The client takes the API key from ${variable}. Create one: runtime keys create NAME --user USER`;
}

async function writeConfig(io: Io, name: ClientName, { file }: Format, config: JsonObject): Promise<void> {
  if (file === undefined) throw new UsageError(`--write: the location of the file of ${name} is unknown.`);
  const home = io.env["HOME"];
  const below = file.startsWith("~/");
  if (below && (home === undefined || !isAbsolute(home)))
    throw new UsageError("--write: there is no home folder (HOME).");
  const path = below ? join(home ?? "", file.slice(2)) : resolve(file);
  mergeInto(path, config);
  io.note(`Written to ${path}.`);
}
