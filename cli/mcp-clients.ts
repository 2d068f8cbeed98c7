// MCP clients and how each is told of a gateway: which file, which form. The API key is never written: the client takes it
// from the environment, or asks for it.
import { isAbsolute, join, resolve } from "node:path";
import type { JsonObject } from "../src/base";
import type { GatewayRecord } from "../src/gateways";
import { KEY_AND_USER } from "../src/gateways/compat";
import type { Client } from "./client/client";
import { gatewayAddress } from "./client/gateways";
import type { Common } from "./command";
import { UsageError } from "./errors";
import type { Io } from "./io";
import { mergeInto } from "./json-file";
import { print } from "./output";
import { userOf } from "./user";

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

/** What a client needs to know of a gateway. */
interface Entry {
  /** Name of the server in the client. */
  name: string;
  url: string;
  /** Undefined: the client gets tokens by itself. */
  key: { variable: string; user: string } | undefined;
  /** A command that serves the gateway on standard input and output. */
  command: readonly string[];
}

interface Form {
  /** Where the configuration stands; a path below the home folder begins with `~`, others in the current folder. */
  file?: string;
  /** Only programs are started: the client calls no address with headers. */
  stdioOnly?: true;
  /** Text in the client's file that stands for an environment variable. */
  variable?: (name: string) => string;
  config(server: JsonObject, entry: Entry): JsonObject;
  /** The server's own record; default: `url` and `headers`. */
  remote?: (url: string, headers: JsonObject) => JsonObject;
}

const inServers = (server: JsonObject, { name }: Entry): JsonObject => ({ mcpServers: { [name]: server } });
const braces = (name: string): string => `\${${name}}`;
const braced = (name: string): string => `\${env:${name}}`;

const FORMS: { readonly [N in Exclude<ClientName, "codex">]: Form } = {
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

/** Prints or writes the configuration. Throws `usage`, and `configuration` for a file that cannot be kept. */
export async function connect(
  io: Io,
  common: Common,
  client: Client,
  record: GatewayRecord,
  { client: name = "json", user, keyVariable = "RUNTIME_API_KEY", stdio, write }: ConnectFlags,
): Promise<void> {
  if (!/^[A-Za-z_]\w*$/.test(keyVariable)) throw new UsageError("--key-env takes the name of a variable.");
  const keyed = record.auth_type === KEY_AND_USER;
  const piped = stdio || (name !== "codex" && FORMS[name].stdioOnly === true);
  const entry: Entry = {
    name: record.slug,
    url: await gatewayAddress(client, record.slug),
    key: keyed ? { variable: keyVariable, user: userOf(client, user) } : undefined,
    command: piped
      ? ["mcp", "--gateway", record.slug, "--user", userOf(client, user), ...placeOf(common)]
      : [],
  };
  if (name === "codex") {
    if (write)
      throw new UsageError("--write: the file of codex is yours to edit; add what is printed to it.");
    io.out(tomlOf(entry, piped));
    return;
  }
  const form = FORMS[name];
  const config = form.config(serverOf(form, entry, piped), entry);
  if (write) return writeConfig(io, name, form, config);
  print(io, common.output, config, () => `${JSON.stringify(config, null, 2)}\n`);
  if (form.file !== undefined) io.note(`For ${form.file}; --write puts it there.`);
  if (entry.key !== undefined && !piped) io.note(keyNote(name, entry.key.variable));
}

/** What this command was told of where it works: the client's own folder and environment know nothing of it. */
function placeOf({ dataDir, config, project, server, keyFile }: Common): string[] {
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
  { variable = braces, remote }: Form,
  { url, key, command }: Entry,
  piped: boolean,
): JsonObject {
  if (piped) return { command: "runtime", args: [...command] };
  const headers: JsonObject =
    key === undefined
      ? {}
      : { headers: { Authorization: `Bearer ${variable(key.variable)}`, "X-User-ID": key.user } };
  return remote === undefined ? { url, ...headers } : remote(url, headers);
}

function tomlOf({ name, url, key, command }: Entry, piped: boolean): string {
  const text = (value: string): string => JSON.stringify(value);
  const lines = piped
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
  if (name === "vscode") return "The client asks for the API key once: runtime keys create NAME --user USER";
  return `The client takes the API key from ${variable}: runtime keys create NAME --user USER`;
}

async function writeConfig(io: Io, name: ClientName, { file }: Form, config: JsonObject): Promise<void> {
  if (file === undefined) throw new UsageError(`--write: where ${name} keeps its file is not known here.`);
  const home = io.env["HOME"];
  const below = file.startsWith("~/");
  if (below && (home === undefined || !isAbsolute(home)))
    throw new UsageError("--write: there is no home folder (HOME).");
  const path = below ? join(home ?? "", file.slice(2)) : resolve(file);
  mergeInto(path, config);
  io.note(`Written to ${path}.`);
}
