// The worker that a server of a client's file becomes: a request without secrets in clear.
import { basename } from "node:path";
import { toolkitOf } from "../../src/workers/rules";
import type { Io } from "../io";
import { reachedBy } from "./program-paths";
import { NotImported } from "./references";
import { type Doubt, Sealed } from "./sealing";
import { type AddressEntry, type ProgramEntry, type ServerEntry, textOf } from "./server-entry";

const TIMEOUT_S = 30;
const RETRIES = 2;

export interface ProgramPart {
  command: string;
  arguments: string[];
  environment: Record<string, string>;
  read: string[];
  write: string[];
}

export interface ServerPart {
  timeout: number;
  retry: number;
  uri?: string;
  headers?: Record<string, string>;
  stdio?: ProgramPart;
  secrets?: Record<string, string>;
}

export interface WorkerDraft {
  enabled: boolean;
  mcp: ServerPart;
  notes: string[];
}

export interface Place {
  io: Io;
  /** Folders that no program may read. */
  own: readonly string[];
  doubt: Doubt;
}

/** Throws `NotImported` with the reason. */
export async function workerDraft(entry: ServerEntry, place: Place): Promise<WorkerDraft> {
  const sealed = new Sealed(place.doubt);
  const { part, notes } =
    entry.kind === "address" ? await addressPart(entry, sealed) : await programPart(entry, sealed, place);
  const { enabled, timeout = TIMEOUT_S } = entry;
  const secrets = Object.keys(sealed.values).length === 0 ? {} : { secrets: sealed.values };
  return {
    enabled,
    mcp: { timeout, retry: RETRIES, ...part, ...secrets },
    notes: [...entry.notes, ...notes],
  };
}

type Made = Promise<{ part: Omit<ServerPart, "timeout" | "retry" | "secrets">; notes: string[] }>;

/** Set by the protocol or the connection. */
const NOT_SENT =
  /^(?:accept|connection|content-(?:length|type|encoding)|host|keep-alive|mcp-.*|te|trailer|transfer-encoding|upgrade)$/i;

async function addressPart({ url, headers }: AddressEntry, sealed: Sealed): Made {
  const address = URL.parse(textOf(url));
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new NotImported("Its address is not an http(s) address.");
  const sent: Record<string, string> = {};
  const notes: string[] = [];
  for (const [name, parts] of Object.entries(headers))
    if (NOT_SENT.test(name)) notes.push(`the header ${name} is left to the protocol`);
    else sent[name] = await sealed.header(name, parts);
  const { username, password } = address;
  if (username !== "" || password !== "") {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    const value = [{ text: `Basic ${Buffer.from(pair).toString("base64")}` }];
    sent["Authorization"] ??= await sealed.header("Authorization", value);
    notes.push("the password in its address is sent as a header");
  }
  const uri = await sealed.text("ADDRESS", "its address", withoutUser(url, address));
  return { part: { uri, ...(Object.keys(sent).length === 0 ? {} : { headers: sent }) }, notes };
}

function withoutUser(url: AddressEntry["url"], address: URL): AddressEntry["url"] {
  if (address.username === "" && address.password === "") return url;
  const bare = new URL(address.href);
  bare.username = "";
  bare.password = "";
  return [{ text: bare.href }];
}

async function programPart(entry: ProgramEntry, sealed: Sealed, { io, own }: Place): Made {
  const given = Object.fromEntries(
    Object.entries(entry.environment).map(([name, parts]) => [name, textOf(parts)]),
  );
  const { HOME: home = "" } = io.env;
  const reached = reachedBy({
    command: entry.command,
    arguments: entry.arguments.map(textOf),
    environment: given,
    folder: entry.folder,
    searched: given["PATH"] ?? io.env["PATH"] ?? "",
    home,
    own,
  });
  if (reached === undefined)
    throw new NotImported(`Its program ${entry.command} does not exist on this machine.`);
  const environment: Record<string, string> = reached.path === undefined ? {} : { PATH: reached.path };
  const words: string[] = [];
  for (const [index, parts] of entry.arguments.entries()) {
    const before = textOf(entry.arguments[index - 1] ?? []);
    const variable =
      isContainer(entry.command) && /^(?:-e|--env)$/.test(before) ? variableOf(textOf(parts)) : undefined;
    // A container takes a variable from the environment of the command that starts it.
    if (variable !== undefined)
      environment[variable[0]] = await sealed.variable(variable[0], [{ text: variable[1] }]);
    words.push(variable === undefined ? await sealed.argument(before, parts) : variable[0]);
  }
  for (const [name, parts] of Object.entries(entry.environment))
    if (!OWN_FOLDERS.has(name)) environment[name] = await sealed.variable(name, parts);
  const { read, write, kept } = reached;
  return {
    part: { stdio: { ...startedIn(entry.folder, reached.command, words), environment, read, write } },
    notes: [
      ...(write.length === 0 ? [] : [`it may change ${write.join(", ")}`]),
      ...(kept.length === 0
        ? []
        : [`it cannot read ${kept.join(", ")}, where the data of this installation is`]),
      ...(words.some((word) => word.includes("${secret:"))
        ? ["its arguments contain a secret, which users of this machine can see while it runs"]
        : []),
    ],
  };
}

/** Those of a program are folders of its own. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(["HOME", "TMPDIR", "TMP", "TEMP"]);

const isContainer = (command: string): boolean => /^(?:docker|podman|nerdctl)$/.test(basename(command));

function variableOf(text: string): [string, string] | undefined {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
}

/** A program starts in a folder of its own, unless `env` changes it. */
function startedIn(
  folder: string | undefined,
  command: string,
  words: string[],
): Pick<ProgramPart, "command" | "arguments"> {
  if (folder === undefined) return { command, arguments: words };
  return { command: "env", arguments: ["-C", folder, command, ...words] };
}

const LONGEST_ID = 40;

/** An id for the name that the client has given. */
export function idFor(name: string): string {
  const id = name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, LONGEST_ID)
    .replaceAll(/^-|-$/g, "");
  return id === "" ? "server" : id;
}

/** The toolkit that the record gets without one. */
export const toolkitFor = (id: string): string => toolkitOf(id);
