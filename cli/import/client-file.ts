// The MCP servers in a client's file: JSON with comments, or TOML. Each client has its own place and names for the same facts.
import { parse, type ParseError } from "jsonc-parser";
import { basename, dirname, join, resolve } from "node:path";
import { isObject } from "../../src/base";
import { UsageError } from "../errors";
import type { ClientName } from "../../src/gateways/client-formats";

type Plain = { readonly [key: string]: unknown };

/** A server as the file has it. */
export interface RawServer {
  name: string;
  /** Where its record is: keys from the top of the file. */
  path: readonly string[];
  record: Plain;
}

export interface ClientFile {
  path: string;
  /** The client that reads it. */
  client: ClientName;
  servers: readonly RawServer[];
  /** What the client asks its user for, by id. */
  inputs: ReadonlyMap<string, Plain>;
  /** What `${workspaceFolder}` is. */
  workspace: string;
}

/** Throws `usage` for a file without MCP servers. */
export function clientFile(path: string, text: string, given: ClientName | undefined): ClientFile {
  const isToml = path.endsWith(".toml");
  const record = isToml ? tomlOf(path, text) : jsonOf(path, text);
  const places = placesIn(record, isToml);
  if (places.length === 0)
    throw new UsageError(
      `${path} has no MCP servers: none of mcpServers, servers, mcp or mcp_servers contains one.`,
    );
  const servers = places.flatMap(({ at, record: list }) =>
    Object.entries(list).flatMap(([name, server]) =>
      isObject(server) ? [{ name, path: [...at, name], record: server }] : [],
    ),
  );
  return {
    path,
    client: given ?? clientOf(path, places[0]?.at ?? []),
    servers,
    inputs: inputsIn(record),
    workspace: workspaceOf(path),
  };
}

interface Place {
  at: readonly string[];
  record: Plain;
}

function placesIn(record: Plain, isToml: boolean): Place[] {
  const here = (at: readonly string[]): Place[] => {
    let inner: unknown = record;
    for (const key of at) inner = isObject(inner) ? inner[key] : undefined;
    return isObject(inner) ? [{ at, record: inner }] : [];
  };
  if (isToml) return here(["mcp_servers"]);
  const projects = isObject(record["projects"]) ? Object.keys(record["projects"]) : [];
  const mcp = here(["mcp"]);
  return [
    ...here(["mcpServers"]),
    // A client that keeps its settings of all projects in one file.
    ...projects.flatMap((project) => here(["projects", project, "mcpServers"])),
    ...here(["servers"]),
    ...(mcp.length > 0 && isObject(mcp[0]?.record["servers"]) ? here(["mcp", "servers"]) : mcp),
  ].filter(({ record: list }) => Object.values(list).some(isServer));
}

const isServer = (value: unknown): boolean =>
  isObject(value) && ["command", "url", "httpUrl", "serverUrl"].some((key) => key in value);

function jsonOf(path: string, text: string): Plain {
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined)
    throw new UsageError(`${path} is not valid JSON (line ${lineAt(text, first.offset)}).`);
  if (isObject(value)) return value;
  throw new UsageError(`${path} does not contain one JSON object.`);
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

function tomlOf(path: string, text: string): Plain {
  try {
    // Checked border: TOML is always a table.
    return Bun.TOML.parse(text) as Plain;
  } catch {
    throw new UsageError(`${path} is not TOML that can be read.`);
  }
}

/** `inputs`, at the top or below `mcp`. */
function inputsIn(record: Plain): ReadonlyMap<string, Plain> {
  const mcp = isObject(record["mcp"]) ? record["mcp"] : {};
  const lists = [record["inputs"], mcp["inputs"]].flatMap((list: unknown) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  return new Map(lists.filter(isObject).map((input) => [String(input["id"]), input]));
}

const FILES: readonly (readonly [RegExp, ClientName])[] = [
  [/(?:^|\/)\.mcp\.json$|(?:^|\/)\.claude\.json$/, "claude"],
  [/(?:^|\/)claude_desktop_config\.json$/, "claude-desktop"],
  [/(?:^|\/)\.cursor\//, "cursor"],
  [/(?:^|\/)\.gemini\//, "gemini"],
  [/(?:^|\/)opencode\.jsonc?$/, "opencode"],
  [/(?:^|\/)\.vscode\//, "vscode"],
  [/(?:^|\/)\.codeium\/|(?:^|\/)windsurf\//, "windsurf"],
  [/\.toml$/, "codex"],
];

/** By the name of the file, or else by where its servers are. */
function clientOf(path: string, at: readonly string[]): ClientName {
  const named = FILES.find(([pattern]) => pattern.test(resolve(path)));
  if (named !== undefined) return named[1];
  if (at.includes("servers")) return "vscode";
  return at[0] === "mcp" ? "opencode" : "json";
}

/** The folder of a project whose settings are in a folder of their own, or the folder of the file. */
function workspaceOf(path: string): string {
  const folder = dirname(resolve(path));
  return /^\.(?:cursor|gemini|vscode|codex)$/.test(basename(folder)) ? join(folder, "..") : folder;
}
