// The MCP clients that can be connected: file and format of each.
import { isLoopback, isObject, type JsonObject } from "../base";

export const CLIENT_NAMES = [
  "json",
  "claude",
  "claude-desktop",
  "codex",
  "cursor",
  "gemini",
  "goose",
  "librechat",
  "mcp-remote",
  "opencode",
  "vscode",
  "windsurf",
  "zed",
] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** Those whose files are only written here. */
const WRITTEN_ONLY: readonly ClientName[] = ["goose", "librechat", "mcp-remote", "zed"];
export const IMPORTED_CLIENTS: readonly ClientName[] = CLIENT_NAMES.filter(
  (name) => !WRITTEN_ONLY.includes(name),
);

/** A gateway, as a client sees it. */
export interface Entry {
  /** Name of the server in the client. */
  name: string;
  url: string;
  /** Undefined: the client obtains tokens itself. */
  key: { variable: string; user: string } | undefined;
  /** A command that serves the gateway on standard input and output. */
  command: readonly string[];
}

export interface Format {
  /** Path of the configuration: in the home folder if it begins with `~`, otherwise in the current folder. */
  file?: string | undefined;
  /** Another name of this file, used if only that one exists. */
  otherFile?: string;
  /** The client can only start programs; it cannot call an address with headers. */
  stdioOnly?: true;
  /** With a key, the client starts a program: its file has no variables for headers. */
  stdioWithKey?: true;
  /** The file is YAML, not JSON. */
  isYaml?: true;
  /** The syntax for an environment variable in the client's file. */
  variable?: (name: string) => string;
  config(server: JsonObject, entry: Entry): JsonObject;
  /** The record of a remote server; default: `url` and `headers`. */
  remote?: (url: string, headers: JsonObject) => JsonObject;
  /** The record of a program; default: `command` and `args`. */
  local?: (command: readonly string[]) => JsonObject;
}

const inServers = (server: JsonObject, { name }: Entry): JsonObject => ({ mcpServers: { [name]: server } });
const braces = (name: string): string => `\${${name}}`;
const braced = (name: string): string => `\${env:${name}}`;

/** Where the desktop client keeps its configuration. */
const DESKTOP_FILES: Readonly<Record<string, string>> = {
  darwin: "~/Library/Application Support/Claude/claude_desktop_config.json",
  linux: "~/.config/Claude/claude_desktop_config.json",
};

/** The client with a TOML file. */
export const TOML_FILE = "~/.codex/config.toml";
export const TOML_PARENT = "mcp_servers";

export const FORMATS: { readonly [N in Exclude<ClientName, "codex">]: Format } = {
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
  "claude-desktop": { file: DESKTOP_FILES[process.platform], stdioOnly: true, config: inServers },
  cursor: { file: ".cursor/mcp.json", variable: braced, config: inServers },
  gemini: {
    file: ".gemini/settings.json",
    variable: (name) => `$${name}`,
    config: inServers,
    remote: (url, headers) => ({ httpUrl: url, ...headers }),
  },
  goose: {
    file: "~/.config/goose/config.yaml",
    isYaml: true,
    stdioWithKey: true,
    config: (server, { name }) => ({
      extensions: { [name]: { name, enabled: true, timeout: 300, ...server } },
    }),
    remote: (url) => ({ type: "streamable_http", uri: url }),
    local: ([cmd = "", ...args]) => ({ type: "stdio", cmd, args }),
  },
  librechat: {
    file: "librechat.yaml",
    isYaml: true,
    variable: braces,
    config: inServers,
    remote: (url, headers) => ({
      type: "streamable-http",
      url,
      ...headers,
      ...("headers" in headers ? {} : { requiresOAuth: true }),
    }),
    local: ([command = "", ...args]) => ({ type: "stdio", command, args }),
  },
  "mcp-remote": { variable: braces, config: inServers, remote: bridge },
  opencode: {
    file: "opencode.json",
    otherFile: "opencode.jsonc",
    variable: (name) => `{env:${name}}`,
    config: (server, { name }) => ({ mcp: { [name]: server } }),
    remote: (url, headers) => ({ type: "remote", url, ...headers, ...withoutSignIn(headers) }),
    local: (command) => ({ type: "local", command: [...command] }),
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
  zed: {
    file: "~/.config/zed/settings.json",
    stdioWithKey: true,
    config: (server, { name }) => ({ context_servers: { [name]: server } }),
  },
};

/** A program that calls the gateway for a client which only starts programs. It takes variables in headers from its environment. */
function bridge(url: string, { headers }: JsonObject): JsonObject {
  const given = isObject(headers) ? Object.entries(headers) : [];
  const flags = given.flatMap(([name, value]) => ["--header", `${name}: ${String(value)}`]);
  const plain = url.startsWith("http:") && !isLoopback(new URL(url).hostname) ? ["--allow-http"] : [];
  return { command: "npx", args: ["-y", "mcp-remote", url, ...plain, ...flags] };
}

/** The record of a server in the file of a client. */
export function serverOf(
  { variable = braces, remote, local }: Format,
  { url, key, command }: Entry,
): JsonObject {
  const [program, ...args] = command;
  if (program !== undefined) return local === undefined ? { command: program, args } : local(command);
  const headers: JsonObject =
    key === undefined
      ? {}
      : { headers: { Authorization: `Bearer ${variable(key.variable)}`, "X-User-ID": key.user } };
  return remote === undefined ? { url, ...headers } : remote(url, headers);
}

/** A client with a key must not look for an authorization server when the key is refused. */
const withoutSignIn = (headers: JsonObject): JsonObject => ("headers" in headers ? { oauth: false } : {});

const inputId = (variable: string): string => variable.toLowerCase().replaceAll("_", "-");
const keyInput = (variable: string): JsonObject => ({
  id: inputId(variable),
  type: "promptString",
  description: "API key of runtime",
  password: true,
});
