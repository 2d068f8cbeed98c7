// `runtime workers import`: shows what would come, asks, creates the workers one by one, and leaves the client one gateway.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { RuntimeError } from "../../src/errors";
import type { Worker } from "../../src/workers/schema";
import type { ClientCall } from "../client/client";
import { createWorker, deleteWorker, getWorker, updateWorker } from "../client/workers";
import { EXIT, UsageError } from "../errors";
import type { ClientName } from "../../src/gateways/client-formats";
import { printList, type Shape } from "../output";
import { printable } from "../printable";
import { clientFile, type ClientFile } from "./client-file";
import { rewriteFile, type RewriteFlags, rewritePlan } from "./gateway-entry";
import { type Outcome, type Planned, planFor } from "./plan";
import type { WorkerDraft } from "./worker-request";

export interface ImportFlags extends RewriteFlags {
  path: string;
  client: ClientName | undefined;
  rewrite: boolean;
  dryRun: boolean;
  yes: boolean;
}

/** A server of the file, as it is reported. */
export interface Imported {
  server: string;
  result: Outcome | "imported" | "updated";
  worker?: string;
  toolkit?: string;
  /** Its address or command line, without secrets. */
  target?: string;
  tools?: number;
  /** Names of its sealed values. */
  secrets?: string[];
  notes?: string[];
}

export const IMPORT_SHAPE: Shape<Imported> = {
  name: ({ worker, server }) => worker ?? server,
  optional: ["worker", "toolkit", "target", "tools", "secrets", "notes"],
  columns: [
    { title: "server", keep: "always", value: ({ server }) => server },
    { title: "result", keep: "whole", value: ({ result }) => result },
    { title: "worker", keep: "whole", value: ({ worker = "" }) => worker },
    { title: "toolkit", value: ({ toolkit = "" }) => toolkit },
    { title: "tools", keep: "whole", value: ({ tools }) => (tools === undefined ? "" : String(tools)) },
    { title: "sealed", value: ({ secrets = [] }) => secrets.join(", ") },
    { title: "target", value: ({ target = "" }) => target },
  ],
};

/** Resolves to the exit code. */
export async function importFile(call: ClientCall, flags: ImportFlags): Promise<number> {
  const { io, common } = call;
  const text = textOf(flags.path);
  const file = clientFile(flags.path, text, flags.client);
  const planned = await planOf(call, file, flags);
  const isDry = flags.dryRun || (!flags.yes && !io.interactive);
  if (isDry || io.interactive) {
    if (isDry) printList(io, common, planned.map(asPlanned), IMPORT_SHAPE, NO_SERVERS);
    else for (const line of planned.map(lineOf)) io.note(line);
    noteAll(io, planned.map(asPlanned));
  }
  if (isDry) {
    if (!flags.dryRun) io.note("Nothing was imported. To import them: --yes");
    return EXIT.ok;
  }
  const gateway = flags.rewrite ? await rewritePlan(call, { file, text, planned, flags }) : undefined;
  const count = planned.filter(({ outcome }) => outcome === "new" || outcome === "new secrets").length;
  const isWanted = flags.yes || (count === 0 && !flags.rewrite) || (await confirmed(call, count, flags));
  if (!isWanted) {
    io.note("Nothing was imported.");
    return EXIT.error;
  }
  const done: Imported[] = [];
  for (const one of planned) done.push(await imported(call, one));
  printList(io, common, done, IMPORT_SHAPE, NO_SERVERS);
  noteAll(io, done);
  if (gateway !== undefined) await rewriteFile(call, gateway, planned, done);
  return done.some(({ result }) => result === "not imported") ? EXIT.error : EXIT.ok;
}

const NO_SERVERS = "The file has no MCP servers.";

function textOf(path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "not UTF-8 text";
    throw new UsageError(code === "ENOENT" ? `${path} does not exist.` : `${path} cannot be read (${code}).`);
  }
}

async function planOf(call: ClientCall, file: ClientFile, { yes, dryRun }: ImportFlags): Promise<Planned[]> {
  const { io, client } = call;
  const { config } = client;
  const asks = io.interactive && !yes && !dryRun;
  const own = [
    config.dataFolder(),
    config.rootKeyFile(),
    config.auditKeyFile(),
    config.file === undefined ? undefined : dirname(config.file),
  ].filter((path) => path !== undefined);
  const scope = { io: asks ? io : { ...io, interactive: false }, file, answers: new Map<string, string>() };
  const doubt = async (what: string): Promise<boolean> =>
    !asks || io.prompts.confirm(printable(`Is this a secret: ${what}?`), true);
  return planFor(call, scope, { io, own, doubt });
}

async function confirmed(
  { io }: ClientCall,
  count: number,
  { rewrite, path }: ImportFlags,
): Promise<boolean> {
  const change = rewrite ? `, and leave one gateway in ${path}` : "";
  return io.prompts.confirm(printable(`Import ${count} servers${change}?`), true);
}

function asPlanned({ server: { name }, outcome, id, toolkit, draft, notes }: Planned): Imported {
  return {
    server: name,
    result: outcome,
    ...(id === "" ? {} : { worker: id }),
    ...(toolkit === "" ? {} : { toolkit }),
    ...(draft === undefined
      ? {}
      : { target: targetOf(draft), secrets: Object.keys(draft.mcp.secrets ?? {}) }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function targetOf({ mcp: { uri, stdio } }: WorkerDraft): string {
  return uri ?? [stdio?.command, ...(stdio?.arguments ?? [])].join(" ");
}

function lineOf(planned: Planned): string {
  const { server, result, worker = "", secrets = [] } = asPlanned(planned);
  const sealed = secrets.length === 0 ? "" : `; sealed: ${secrets.join(", ")}`;
  return printable(`${server}: ${result}${worker === "" ? "" : `, worker ${worker}`}${sealed}`);
}

function noteAll(io: ClientCall["io"], all: readonly Imported[]): void {
  for (const { server, notes = [] } of all)
    for (const note of notes) io.note(printable(`${server}: ${note}`));
}

/** Makes one worker completely, or leaves nothing of it. */
async function imported(call: ClientCall, planned: Planned): Promise<Imported> {
  const { client } = call;
  const { outcome, id, draft } = planned;
  const common = asPlanned(planned);
  if (outcome === "unchanged") return { ...common, tools: (await getWorker(client, id)).catalog.tools };
  if (draft === undefined || (outcome !== "new" && outcome !== "new secrets")) return common;
  if (outcome === "new secrets") {
    const { catalog } = await updateWorker(client, id, { mcp: { secrets: draft.mcp.secrets } });
    return { ...common, result: "updated", tools: catalog.tools };
  }
  try {
    const worker = await created(call, planned);
    const failure = failureOf(worker, draft);
    if (failure === undefined) return { ...common, ...factsOf(worker), ...notesOf(common, worker) };
    await deleteWorker(client, id);
    return failed(common, failure);
  } catch (error) {
    if (error instanceof RuntimeError && error.status < 500) return failed(common, error.message);
    throw error;
  }
}

function failed({ server }: Imported, reason: string): Imported {
  return { server, result: "not imported", notes: [reason] };
}

const factsOf = ({ toolkit = "", catalog: { tools } }: Worker) => ({
  result: "imported" as const,
  toolkit,
  tools,
});

function notesOf({ notes = [] }: Imported, { id, requirements, enabled, mcp }: Worker): { notes?: string[] } {
  const problem = mcp?.oauth2?.problem;
  const next = problem ?? `Its tools are listed after a consent: runtime workers authorize ${id}`;
  const all = requirements.met || !enabled ? notes : [...notes, next];
  return all.length === 0 ? {} : { notes: all };
}

/** Why a new worker cannot be used. One that waits for a consent can, but not one that refuses what it was given. */
function failureOf(
  { enabled, requirements, catalog: { error } }: Worker,
  draft: WorkerDraft,
): string | undefined {
  if (!enabled || error === undefined || requirements.met) return enabled ? error : undefined;
  const isRefused = Object.keys(draft.mcp.secrets ?? {}).length > 0;
  return isRefused ? `It refuses the credentials in the file. ${error}` : undefined;
}

const MOST_NAMES = 5;

/** Another name of the toolkit is tried if that of the id is taken. */
async function created({ client }: ClientCall, { id, toolkit, draft }: Planned): Promise<Worker> {
  for (let next = 0; ; next++) {
    const other = next === 0 ? {} : { toolkit: `${toolkit}Mcp${next === 1 ? "" : next}` };
    try {
      return await createWorker(client, {
        id,
        type: "mcp",
        enabled: draft?.enabled,
        ...other,
        mcp: draft?.mcp,
      });
    } catch (error) {
      const isTaken =
        error instanceof RuntimeError && error.name === "already_exists" && /toolkit/.test(error.message);
      if (!isTaken || next === MOST_NAMES) throw error;
    }
  }
}
