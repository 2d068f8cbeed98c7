// The gateway that takes the place of the imported servers in the client's file.
import type { JsonObject } from "../../src/base";
import type { GatewayRecord } from "../../src/gateways";
import { KEY_AND_USER } from "../../src/gateways/compat";
import { configurationError } from "../../src/errors";
import type { ClientCall } from "../client/client";
import { createGateway, listGateways, slugInfo, updateGateway } from "../client/gateways";
import { UsageError } from "../errors";
import { gatewayBody } from "../gateway-body";
import { type Entry, FORMATS, serverOf } from "../../src/gateways/client-formats";
import { clientEntry, noteKey, tomlOf } from "../mcp-clients";
import { everyRecord } from "../pages";
import { printable } from "../printable";
import { modeOf, replaceFile } from "../replace-file";
import type { ClientFile } from "./client-file";
import { backUp, linesWith, NotChanged, rewritten, type Rewriting } from "./file-rewrite";
import type { Planned } from "./plan";
import type { Imported } from "./run";

export interface RewriteFlags {
  gateway: string | undefined;
  user: string | undefined;
  keyVariable: string | undefined;
  stdio: boolean;
}

export interface RewritePlan {
  file: ClientFile;
  text: string;
  flags: RewriteFlags;
  slug: string;
  /** The gateway, if it is there already. */
  known: GatewayRecord | undefined;
  entry: Entry;
}

const DEFAULT_SLUG = "imported";
/** The published limit of a filter. */
const MOST_TOOLS = 500;

interface Wanted {
  file: ClientFile;
  text: string;
  planned: readonly Planned[];
  flags: RewriteFlags;
}

/** Checks that the file can be changed, before anything is. Throws `usage`, `configuration`. */
export async function rewritePlan(
  call: ClientCall,
  { file, text, planned, flags }: Wanted,
): Promise<RewritePlan> {
  const slug = flags.gateway ?? DEFAULT_SLUG;
  const gateways = await everyRecord((window) => listGateways(call.client, window));
  const known = gateways.find((gateway) => gateway.slug === slug);
  if (known === undefined && !(await slugInfo(call.client, slug)).available)
    throw new UsageError(`The slug ${slug} is taken. Name another gateway: --gateway SLUG`);
  const record = known ?? { slug, auth_type: KEY_AND_USER };
  const entry = await clientEntry(call, record, { ...flags, client: file.client });
  const plan = { file, text, flags, slug, known, entry };
  const gone = planned.filter(isWorker).map(({ server }) => server.path);
  changedText(plan, gone);
  const stays = planned.some(({ outcome, server }) => outcome === "not imported" && server.name === slug);
  if (!stays) return plan;
  throw new UsageError(
    `${file.path} keeps a server with the name ${slug}. Name another gateway: --gateway SLUG`,
  );
}

/** Another gateway stays in the file. */
const isWorker = ({ outcome }: Planned): boolean => outcome !== "not imported" && outcome !== "skipped";

function changedText({ file, text, slug: name, entry }: RewritePlan, gone: Rewriting["gone"]): string {
  try {
    return rewritten(text, { file, gone, name, entry: entryOf(file, entry) });
  } catch (error) {
    if (!(error instanceof NotChanged)) throw error;
    throw configurationError(`${file.path} ${error.message} and was not changed. Import without --rewrite.`, {
      cause: error,
    });
  }
}

function entryOf({ client }: ClientFile, entry: Entry): Rewriting["entry"] {
  if (client === "codex") return { lines: tomlOf(entry) };
  const format = FORMATS[client];
  const record = serverOf(format, entry);
  const { inputs } = format.config(record, entry);
  return { record, inputs: Array.isArray(inputs) ? (inputs as JsonObject[]) : [] };
}

/** Creates or extends the gateway, copies the file, and changes it. Servers that were not imported stay in it. */
export async function rewriteFile(
  call: ClientCall,
  plan: RewritePlan,
  planned: readonly Planned[],
  done: readonly Imported[],
): Promise<void> {
  const { io } = call;
  const gone = planned.filter((one, at) => isWorker(one) && done[at]?.result !== "not imported");
  const ours = done.filter(({ worker }) => worker !== undefined);
  if (ours.length === 0) return io.note(`No server was imported, so ${plan.file.path} was not changed.`);
  await offer(call, plan, ours);
  const text = changedText(
    plan,
    gone.map(({ server }) => server.path),
  );
  if (text === plan.text) return io.note(`${plan.file.path} is as it should be.`);
  const copy = backUp(plan.file.path, plan.text);
  replaceFile(plan.file.path, text, modeOf(plan.file.path) ?? 0o600);
  io.note(printable(`Changed ${plan.file.path}: its servers are now behind the gateway ${plan.slug}.`));
  io.note(
    printable(`The earlier file is ${copy}. It still contains the secrets: delete it when the client works.`),
  );
  const left = done.filter(({ result }) => result === "not imported").map(({ server }) => server);
  if (left.length > 0)
    io.note(printable(`Still in ${plan.file.path}, as they were, with any secrets: ${left.join(", ")}.`));
  const secrets = gone.flatMap(({ draft }) => Object.values(draft?.mcp.secrets ?? {}));
  for (const line of linesWith(text, secrets))
    io.note(
      printable(`warning: line ${line} of ${plan.file.path} still contains a secret of an imported server.`),
    );
  noteKey(io, plan.file.client, plan.entry);
}

/** Makes the gateway offer the tools of these workers. */
async function offer(
  call: ClientCall,
  { slug, known }: RewritePlan,
  ours: readonly Imported[],
): Promise<void> {
  const { client, io } = call;
  const ready = ours.filter(({ tools = 0 }) => tools > 0).flatMap(({ toolkit = "" }) => toolkit);
  const waiting = ours.filter(({ tools = 0 }) => tools === 0);
  const tools = ready.length === 0 ? [] : await toolsOf(call, ready);
  const before = known?.tool_filter?.allowed_tools;
  const all = [...new Set([...(before ?? []), ...tools])];
  const isLimited = all.length <= MOST_TOOLS;
  const filter = isLimited ? { tool_filter: { ...known?.tool_filter, allowed_tools: all } } : {};
  if (known === undefined)
    await createGateway(client, { name: "Imported tools", slug, auth_type: KEY_AND_USER, ...filter });
  else if (before !== undefined && all.length > before.length) await updateGateway(client, known.id, filter);
  if (!isLimited)
    io.note(`The gateway ${slug} offers all tools of the project: a choice has ${MOST_TOOLS} at most.`);
  for (const { worker = "", toolkit = "" } of waiting)
    io.note(
      printable(
        `When the tools of ${worker} are listed, add them: runtime gateways update ${slug} ` +
          [...new Set([...ready, toolkit])].map((name) => `--toolkit ${name}`).join(" "),
      ),
    );
}

async function toolsOf({ client }: ClientCall, toolkits: string[]): Promise<string[]> {
  const body = await gatewayBody(client, {
    toolkits,
    tools: undefined,
    deprecated: true,
    slug: undefined,
    auth: undefined,
    userSource: undefined,
    description: undefined,
    instructions: undefined,
    status: undefined,
  });
  return body.tool_filter?.allowed_tools ?? [];
}
