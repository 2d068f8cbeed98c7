// A server of a client's file in one form: a program with its environment, or an address with its headers.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { isObject } from "../../src/base";
import type { RawServer } from "./client-file";
import { NotImported, type Part, resolved, type Scope } from "./references";

export interface Common {
  name: string;
  enabled: boolean;
  /** Whole seconds that a call may take. */
  timeout: number | undefined;
  /** What is not taken over, in words. */
  notes: string[];
}

export interface ProgramEntry extends Common {
  kind: "program";
  command: string;
  arguments: Part[][];
  environment: Record<string, Part[]>;
  /** The folder in which the client starts it. */
  folder: string | undefined;
}

export interface AddressEntry extends Common {
  kind: "address";
  url: Part[];
  headers: Record<string, Part[]>;
}

export type ServerEntry = ProgramEntry | AddressEntry;
type Texts = Record<string, string>;

/** Throws `NotImported` with the reason. */
export async function serverEntry(scope: Scope, { name, record }: RawServer): Promise<ServerEntry> {
  const common = {
    name,
    enabled: record["disabled"] !== true && record["enabled"] !== false,
    timeout: timeoutOf(record),
    notes: notesOn(record),
  };
  const url = addressIn(record);
  if (url !== undefined) return addressEntry(scope, common, url, record);
  return programEntry(scope, common, record);
}

export function addressIn(record: RawServer["record"]): string | undefined {
  const given = ["httpUrl", "serverUrl", "url"].map((key) => record[key]);
  return given.find((value) => typeof value === "string");
}

async function addressEntry(
  scope: Scope,
  common: Common,
  url: string,
  record: RawServer["record"],
): Promise<AddressEntry> {
  if ([record["type"], record["transport"]].includes("sse"))
    throw new NotImported(
      "It uses the transport sse of 2024, which workers do not speak. Give the address of its Streamable HTTP transport.",
    );
  const headers: Record<string, Part[]> = {};
  const given = { ...textsIn(record["http_headers"]), ...textsIn(record["headers"]) };
  for (const [header, text] of Object.entries(given)) headers[header] = await resolved(scope, text);
  for (const [header, variable] of Object.entries(textsIn(record["env_http_headers"])))
    headers[header] = await variableOf(scope, variable);
  const bearer = record["bearer_token_env_var"];
  if (typeof bearer === "string")
    headers["Authorization"] = [{ text: "Bearer " }, ...(await variableOf(scope, bearer))];
  const token = record["bearer_token"];
  if (typeof token === "string")
    headers["Authorization"] = [{ text: "Bearer " }, { text: token, secret: "BEARER_TOKEN" }];
  return { ...common, kind: "address", url: await resolved(scope, url), headers };
}

async function programEntry(
  scope: Scope,
  common: Common,
  record: RawServer["record"],
): Promise<ProgramEntry> {
  const [command, ...words] = commandOf(record);
  if (command === undefined) throw new NotImported("It has neither a command nor an address.");
  const own = {
    ...fileVariables(scope, record),
    ...textsIn(record["environment"]),
    ...textsIn(record["env"]),
  };
  const environment: Record<string, Part[]> = {};
  for (const [name, text] of Object.entries(own)) environment[name] = await resolved(scope, text);
  for (const name of listIn(record["env_vars"])) environment[name] = await variableOf(scope, name);
  // A shell replaces its variables itself.
  const seen = /(?:^|\/)(?:ba|da|z|fi)?sh$/.test(command) ? selfReferring(own) : own;
  const folder = record["cwd"];
  return {
    ...common,
    kind: "program",
    command: textOf(await resolved(scope, command)),
    arguments: await Promise.all(words.map((word) => resolved(scope, word, seen))),
    environment,
    folder: typeof folder === "string" ? resolve(textOf(await resolved(scope, folder))) : undefined,
  };
}

export const textOf = (parts: readonly Part[]): string => parts.map(({ text }) => text).join("");

const selfReferring = (own: Texts): Texts =>
  Object.fromEntries(Object.keys(own).map((name) => [name, `\${${name}}`]));

async function variableOf(scope: Scope, name: string): Promise<Part[]> {
  const [part] = await resolved({ ...scope, file: { ...scope.file, client: "json" } }, `\${env:${name}}`);
  return [{ text: part?.text ?? "", secret: name }];
}

/** One text with spaces is a line, unless it is the path of a file. */
export function commandOf({ command, args }: RawServer["record"]): string[] {
  const rest = listIn(args);
  if (Array.isArray(command)) return [...listIn(command), ...rest];
  if (typeof command !== "string" || command.trim() === "") return [];
  if (rest.length > 0 || !/\s/.test(command) || existsSync(command)) return [command, ...rest];
  return (command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^(["'])(.*)\1$/, "$2"));
}

function listIn(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((item) => ["string", "number", "boolean"].includes(typeof item)).map(String)
    : [];
}

function textsIn(value: unknown): Texts {
  if (!isObject(value)) return {};
  const known = Object.entries(value).filter(([, text]) => text !== null && typeof text !== "object");
  return Object.fromEntries(known.map(([name, text]) => [name, String(text)]));
}

function fileVariables({ file }: Scope, { envFile }: RawServer["record"]): Texts {
  if (typeof envFile !== "string") return {};
  const path = resolve(file.workspace, envFile.replace("${workspaceFolder}", file.workspace));
  try {
    return parseEnv(readFileSync(path, "utf8")) as Texts;
  } catch {
    throw new NotImported(`Its file of variables ${envFile} cannot be read.`);
  }
}

const MOST_SECONDS = 3600;

/** Some clients have seconds, others milliseconds. */
const LEAST_MS = 1000;

function timeoutOf({ tool_timeout_sec, timeout }: RawServer["record"]): number | undefined {
  const time = typeof tool_timeout_sec === "number" ? tool_timeout_sec : timeout;
  const given = typeof time !== "number" ? undefined : time < LEAST_MS ? time : time / 1000;
  return given === undefined || !(given > 0) ? undefined : Math.min(MOST_SECONDS, Math.ceil(given));
}

const CHOSEN_TOOLS = ["includeTools", "excludeTools", "enabled_tools", "disabled_tools", "tools"];

function notesOn(record: RawServer["record"]): string[] {
  const chosen = CHOSEN_TOOLS.filter((key) => record[key] !== undefined);
  return [
    ...(chosen.length === 0 ? [] : [`its choice of tools (${chosen.join(", ")}) is not taken over`]),
    ...(isObject(record["oauth"]) ? ["its OAuth client is not taken over: each user consents"] : []),
  ];
}
