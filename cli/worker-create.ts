// `runtime workers create`: finds out what an address is, shows its tools, asks what must be asked, and creates the worker.
import type { WorkerPreview } from "../src/workers/preview/schema";
import type { Worker } from "../src/workers/schema";
import { programSentences } from "../src/workers/stdio/facts";
import type { ClientCall } from "./client/client";
import { authorizeWorker, createWorker, getWorker, previewWorker } from "./client/workers";
import { defined } from "./command";
import { EXIT, UsageError } from "./errors";
import type { Io } from "./io";
import { print, printRecord, type Shape } from "./output";
import { printable } from "./printable";
import { serverPart, type WorkerFields, type WorkerType } from "./worker-body";
import { requireDataFolder } from "./worker-program";

export interface CreateWorkerOptions {
  /** Undefined: a program. */
  address: string | undefined;
  id: string | undefined;
  fields: WorkerFields;
  dryRun: boolean;
  yes: boolean;
}

/** More tools are counted, not listed. */
const MOST_SHOWN = 40;
const TIMEOUT_S = 30;
const RETRIES = 2;

/** Resolves to the exit code. */
export async function createFromAddress(
  call: ClientCall,
  options: CreateWorkerOptions,
  shape: Shape<Worker>,
): Promise<number> {
  const { io, common, client } = call;
  const { fields, dryRun, yes } = options;
  requireDataFolder(client, fields.program);
  if (!dryRun && !yes && !io.interactive)
    throw new UsageError("Questions need a terminal. To take the defaults, use --yes.");
  // A program with everything given is started once, not twice.
  if (options.address === undefined && options.id !== undefined && yes && !dryRun)
    return created(call, options, { id: options.id, type: "mcp" }, shape);
  const preview = await previewOf(call, options);
  if (dryRun) {
    print(io, common.output, preview, () => previewText(preview));
    return EXIT.ok;
  }
  for (const line of previewText(preview).trimEnd().split("\n")) io.note(line);
  const id = options.id ?? (yes ? preview.suggested_id : await io.prompts.ask("Id", preview.suggested_id));
  if (!yes && !(await io.prompts.confirm(questionOf(id, preview), true))) {
    io.note("Nothing was created.");
    return EXIT.error;
  }
  return created(call, options, { id, type: preview.type }, shape);
}

async function created(
  call: ClientCall,
  options: CreateWorkerOptions,
  { id, type }: { id: string; type: WorkerType },
  shape: Shape<Worker>,
): Promise<number> {
  const { io, common, client } = call;
  const part = { timeout: TIMEOUT_S, retry: RETRIES, ...(await placePart(io, type, options)) };
  const worker = await createWorker(client, { id, type, ...options.fields.own, [type]: part });
  printRecord(io, common, worker, shape);
  noteState(io, worker);
  const { requirements, mcp } = worker;
  if (requirements.met || mcp?.oauth2?.problem !== undefined || options.yes || !io.interactive)
    return EXIT.ok;
  if (await io.prompts.confirm("Consent now, so that its tools can be listed?", true))
    return consentOfWorker(call, { id, browser: true });
  return EXIT.ok;
}

/** What is sent about the server, with its address or its program. */
async function placePart(
  io: Io,
  type: WorkerType,
  { address, fields }: CreateWorkerOptions,
): Promise<object> {
  return { ...(await serverPart(io, type, fields)), ...defined({ uri: address }) };
}

async function previewOf({ io, client }: ClientCall, options: CreateWorkerOptions) {
  const { fields } = options;
  const type = fields.type ?? (fields.secret === undefined ? undefined : "http");
  const guess = type ?? "mcp";
  const part = await placePart(io, guess, options);
  const given = type === undefined ? fields.identity : { ...fields.identity, type };
  return previewWorker(client, { ...given, [guess]: part });
}

function questionOf(id: string, { tools, authorization }: WorkerPreview): string {
  if (authorization !== undefined) return `Create the worker ${id}? Its tools are listed after your consent.`;
  return `Create the worker ${id} with ${tools.length} tools?`;
}

function previewText({ type, server, tools, skipped, authorization, sends_tokens }: WorkerPreview): string {
  const kind = type === "mcp" ? "An MCP server" : "An HTTP worker";
  const name = server?.name === undefined ? "" : `: ${server.name} ${server.version ?? ""}`.trimEnd();
  const lines = [`${kind}${name}`];
  if (authorization !== undefined) lines.push(authorization.message);
  const shown = tools.slice(0, MOST_SHOWN);
  lines.push(...shown.map(({ name: tool, description }) => `  ${tool}  ${firstLine(description)}`));
  if (tools.length > shown.length) lines.push(`  and ${tools.length - shown.length} more`);
  lines.push(...skipped.map(({ name: tool, reason }) => `Left out: ${tool}: ${reason}`));
  if (sends_tokens)
    lines.push("It will get the tokens of users for tools that need them. To prevent that: --no-send-tokens");
  return `${lines.map(printable).join("\n")}\n`;
}

function firstLine(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

/** Says what of a worker does not work, and what to do next. */
export function noteState(io: Io, { id, mcp, requirements, catalog, skipped }: Worker): void {
  if (mcp?.stdio !== undefined)
    for (const sentence of programSentences(mcp.stdio, id)) io.note(printable(sentence));
  const waiting = catalog.new + catalog.changed + catalog.missing;
  const problem = mcp?.oauth2?.problem;
  if (problem !== undefined) io.note(printable(problem));
  else if (!requirements.met) io.note(`It needs your consent: runtime workers authorize ${id}`);
  else if (catalog.error !== undefined) io.note(`Its catalog could not be read: ${printable(catalog.error)}`);
  if (skipped.length > 0)
    io.note(`${skipped.length} left out. To see why: runtime workers show ${id} -o json --fields skipped`);
  if (waiting > 0) io.note(`${waiting} changes wait. To see them: runtime workers diff ${id}`);
}

/** Sends the administrator to the consent of an OAuth server, and waits for it at a terminal. */
export async function consentOfWorker(
  call: ClientCall,
  { id, browser, user }: { id: string; browser: boolean; user?: string | undefined },
): Promise<number> {
  const { io, common, client } = call;
  const wanted = user === undefined ? {} : { user_id: user };
  let started = await authorizeWorker(client, id, wanted);
  print(io, common.output, started, () => `${printable(started.url ?? started.status)}\n`);
  if (started.status === "completed" || started.url === undefined || !io.interactive) return EXIT.ok;
  const { obtainConsent } = await import("./consent");
  const options = { browser, what: `the catalog of ${id}` };
  // One for each key that the worker sends. The last one reads the catalog.
  while (started.status === "pending" && started.url !== undefined) {
    const { url, authorization_id = "", user_id, scopes } = started;
    const authorization = { id: authorization_id, url, user_id, provider_id: id, scopes, context: {} };
    await obtainConsent(io, client, { ...authorization, status: "pending" }, options);
    started = await authorizeWorker(client, id, wanted);
  }
  noteState(io, await getWorker(client, id));
  return EXIT.ok;
}
