// What an import would do with each server of a file: create a worker, bring secrets up to date, leave it, or say why not.
import type { Worker } from "../../src/workers/schema";
import type { ClientCall } from "../client/client";
import { gatewayAddress, listGateways } from "../client/gateways";
import { equalWorkerSecrets, listWorkers } from "../client/workers";
import { everyRecord } from "../pages";
import type { RawServer } from "./client-file";
import { NotImported, type Scope } from "./references";
import { withoutBridge } from "./remote-bridge";
import { addressIn, commandOf, serverEntry } from "./server-entry";
import { idFor, type Place, toolkitFor, type WorkerDraft, workerDraft } from "./worker-request";

export type Outcome =
  /** A worker is made of it. */
  | "new"
  /** It is a worker already, and the file has other values of its secrets. */
  | "new secrets"
  | "unchanged"
  /** It is a gateway of this server. */
  | "skipped"
  | "not imported";

export interface Planned {
  server: RawServer;
  outcome: Outcome;
  id: string;
  toolkit: string;
  draft?: WorkerDraft;
  /** Why, or what to know about it: sentences. */
  notes: string[];
}

/** The plan for all servers, in their order. Nothing is changed. */
export async function planFor(call: ClientCall, scope: Scope, place: Place): Promise<Planned[]> {
  const { client } = call;
  const workers = await everyRecord((window) => listWorkers(client, window));
  const gateways = await everyRecord((window) => listGateways(client, window));
  const addresses = await Promise.all(gateways.map(({ slug }) => gatewayAddress(client, slug)));
  const taken = new Map<string, Worker | "new">(workers.map((worker) => [worker.id, worker]));
  const planned: Planned[] = [];
  for (const server of scope.file.servers) {
    const one = await plannedFor(call, server, { scope, place, addresses, taken });
    planned.push(one);
    if (one.outcome === "new") taken.set(one.id, "new");
  }
  return planned;
}

interface Known {
  scope: Scope;
  place: Place;
  /** Those of gateways. */
  addresses: readonly string[];
  taken: ReadonlyMap<string, Worker | "new">;
}

async function plannedFor(call: ClientCall, server: RawServer, known: Known): Promise<Planned> {
  const { name } = server;
  const wanted = idFor(name);
  try {
    if (isGateway(server.record, known.addresses))
      return { server, outcome: "skipped", id: "", toolkit: "", notes: ["It is a gateway of this server."] };
    const entry = withoutBridge(await serverEntry(known.scope, server));
    if (entry.kind === "program" && call.client.kind === "remote") throw new NotImported(PROGRAM_OVER_HTTP);
    const draft = await workerDraft(entry, known.place);
    const { id, worker } = placeFor(wanted, draft, known.taken);
    const notes = draft.notes.map(sentence);
    if (worker === undefined) return { server, outcome: "new", id, toolkit: toolkitFor(id), draft, notes };
    return { server, id, toolkit: worker.toolkit ?? "", draft, ...(await compared(call, worker, draft)) };
  } catch (error) {
    if (!(error instanceof NotImported)) throw error;
    return { server, outcome: "not imported", id: "", toolkit: "", notes: [error.message] };
  }
}

const PROGRAM_OVER_HTTP =
  "It is a program, which is never set over the API. Run this command on the data folder of the server, or add it to runtime.yaml.";

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function isGateway(record: RawServer["record"], addresses: readonly string[]): boolean {
  const url = addressIn(record);
  if (url !== undefined) return addresses.includes(url.replace(/\/$/, ""));
  const words = commandOf(record);
  const isOurs = words.some(
    (word) => word === process.execPath || /(?:^|\/)(?:runtime|cli\/main\.ts)$/.test(word),
  );
  return isOurs && words.includes("mcp") && words.includes("--gateway");
}

/** The first id that is free, or whose worker is the same server. */
function placeFor(
  wanted: string,
  draft: WorkerDraft,
  taken: Known["taken"],
): { id: string; worker: Worker | undefined } {
  for (let next = 1; ; next++) {
    const id = next === 1 ? wanted : `${wanted}-${next}`;
    const worker = taken.get(id);
    if (worker === undefined) return { id, worker };
    if (worker !== "new" && isSameServer(worker, draft)) return { id, worker };
  }
}

function isSameServer({ mcp }: Worker, { mcp: { uri, stdio } }: WorkerDraft): boolean {
  if (uri !== undefined) return mcp?.uri === uri;
  const { command, arguments: words } = mcp?.stdio ?? {};
  return command === stdio?.command && Bun.deepEquals(words, stdio?.arguments);
}

async function compared(
  { client }: ClientCall,
  worker: Worker,
  { mcp: { headers = {}, stdio, secrets = {} } }: WorkerDraft,
): Promise<Pick<Planned, "outcome" | "notes">> {
  const sameTexts =
    Bun.deepEquals(worker.mcp?.headers ?? {}, headers) &&
    Bun.deepEquals(worker.mcp?.stdio?.environment ?? {}, stdio?.environment ?? {});
  if (!sameTexts) {
    const note = `The worker ${worker.id} has other headers or variables, and stays as it is. To import the server again, delete it first.`;
    return { outcome: "unchanged", notes: [note] };
  }
  const names = Object.keys(secrets);
  if (names.length === 0 || worker.managed) return { outcome: "unchanged", notes: [] };
  const equal = await equalWorkerSecrets(client, worker.id, { mcp: { secrets } });
  if (equal === undefined)
    return {
      outcome: "unchanged",
      notes: ["Over the API its secrets cannot be compared. They stay as they are."],
    };
  const isSame = names.every((name) => equal.includes(`secrets.${name}`));
  return { outcome: isSame ? "unchanged" : "new secrets", notes: [] };
}
