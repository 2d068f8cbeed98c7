// What an address turns out to be, before a worker is created: its protocol, what it says about itself, and its tools. Nothing
// is stored.
import { present } from "../../base";
import type { Core } from "../../core";
import { invalidParameter, malformedRequest } from "../../errors";
import type { Principal } from "../../identity";
import type { KnownWorker } from "../known";
import type { Outcome, Refresher } from "../refresh";
import { plainRow, refusedAddress } from "../rows";
import type { WorkerType } from "../schema";
import { configOf } from "../config";
import type { StdioWorkers } from "../stdio";
import { checkProgramSetter } from "../stdio/permission";
import type { PreviewWorker, WorkerPreview } from "./schema";
import type { Failure } from "../contents";

const TIMEOUT_S = 10;
const MAX_ID_LENGTH = 40;

export class Previews {
  readonly #core: Core;
  readonly #refresher: Refresher;
  readonly #programs: StdioWorkers;

  constructor(core: Core, refresher: Refresher, programs: StdioWorkers) {
    this.#programs = programs;
    this.#core = core;
    this.#refresher = refresher;
  }

  /** Throws `malformed_request`, and `invalid_parameter` for an address that is refused or is not one of a worker. */
  async preview(principal: Principal, request: PreviewWorker): Promise<WorkerPreview> {
    const { projectId } = principal;
    checkProgramSetter(principal, request.mcp, { isProgram: false });
    let first: { failure: Failure } | undefined;
    for (const type of typesOf(request)) {
      const worker = this.#workerOf(projectId, type, request);
      const outcome = await this.#read(worker, request).finally(() => this.#forget(worker));
      if (!("failure" in outcome)) return previewOf(worker, outcome);
      if (outcome.failure.reason === "unauthorized" && type === "mcp") return unread(worker, outcome.failure);
      first ??= outcome;
      // Another protocol would not help.
      if (["address_refused", "unreachable", "timeout"].includes(outcome.failure.reason)) break;
    }
    throw notAWorker(request, first?.failure);
  }

  /** A worker over HTTP has an open route for its health, and lists its tools only to those who know its secret. */
  async #read(worker: KnownWorker, { http }: PreviewWorker): Promise<Outcome> {
    if (worker.row.type === "mcp" || http?.secret !== undefined) return this.#refresher.read(worker);
    const probed = await this.#refresher.probe(worker);
    if ("failure" in probed) return probed;
    return {
      reading: { catalog: { tools: [], skipped: [] }, startedAt: this.#core.clock.now(), storedThen: null },
    };
  }

  /** The folder of a program that is not stored. */
  async #forget({ row }: KnownWorker): Promise<void> {
    if (configOf(row).stdio !== undefined) await this.#programs.removeWorker(row);
  }

  #workerOf(
    projectId: string,
    type: WorkerType,
    { http, mcp, identity, identity_header }: PreviewWorker,
  ): KnownWorker {
    const uri = (http ?? mcp)?.uri;
    const common = { timeout: TIMEOUT_S, retry: 0 };
    const settings =
      type === "http"
        ? { http: { ...common, uri: uri ?? "", secret: http?.secret ?? "-" } }
        : { mcp: { ...common, ...present({ uri, ...mcp }) } };
    // Messages name a worker by its id, and this one has none yet.
    const id = URL.parse(uri ?? "")?.host ?? mcp?.stdio?.command ?? "";
    const given = present({ identity, identity_header });
    const { row, secrets } = plainRow(projectId, { id, ...settings, ...given }, this.#core.clock.now());
    return { row, fixed: secrets };
  }
}

/** The protocols to try, the more likely one first. */
function typesOf({ type, http, mcp }: PreviewWorker): WorkerType[] {
  if ((http === undefined) === (mcp === undefined))
    throw malformedRequest("Exactly one of http and mcp is required.");
  if (type !== undefined) return [type];
  if (mcp?.stdio !== undefined) return ["mcp"];
  return http === undefined ? ["mcp", "http"] : ["http"];
}

function previewOf({ row }: KnownWorker, outcome: Exclude<Outcome, { failure: unknown }>): WorkerPreview {
  const { server, tools, skipped } = outcome.reading.catalog;
  const type = row.type === "http" ? "http" : "mcp";
  return {
    type,
    suggested_id: suggestedId(server?.name, row.uri),
    ...(server === undefined ? {} : { server: present({ name: server.name, version: server.version }) }),
    tools: tools
      .filter(({ reserved }) => reserved === undefined)
      .map(({ name, toolkit, description }) => ({
        name: toolkit === undefined ? name : `${toolkit.name}.${name}`,
        description,
      })),
    skipped,
    sends_tokens: type === "http" && tools.some(({ authorization }) => authorization !== undefined),
  };
}

/** Its tools are listed after a consent. */
function unread({ row }: KnownWorker, { message }: Failure): WorkerPreview {
  return {
    type: "mcp",
    suggested_id: suggestedId(undefined, row.uri),
    tools: [],
    skipped: [],
    sends_tokens: false,
    authorization: { message },
  };
}

/** After the server's name for itself, otherwise after the host: `example` of `mcp.example.com`. */
function suggestedId(name: string | undefined, uri: string): string {
  const { hostname = "" } = URL.parse(uri) ?? {};
  const labels = hostname.split(".").filter((label) => /[a-z]/i.test(label) && label !== "mcp");
  return idOf(name ?? "") ?? idOf(labels.length > 1 ? (labels.at(-2) ?? "") : (labels[0] ?? "")) ?? "worker";
}

function idOf(text: string): string | undefined {
  const words = text.toLowerCase().split(/[^a-z0-9]+/);
  const id = words
    .filter((word) => word !== "")
    .join("-")
    .slice(0, MAX_ID_LENGTH)
    .replace(/-$/, "");
  return id === "" ? undefined : id;
}

function notAWorker({ http, mcp }: PreviewWorker, failure: Failure | undefined): Error {
  const uri = (http ?? mcp)?.uri ?? "";
  if (mcp?.stdio !== undefined) {
    const message = failure?.message ?? "The program is not an MCP server.";
    return invalidParameter(message, { fieldErrors: [{ field: "mcp.stdio", rule: "worker", message }] });
  }
  if (failure?.reason === "address_refused") return refusedAddress("uri", uri, failure);
  const message = failure?.message ?? "The address is not one of a worker.";
  return invalidParameter(`uri: ${message}`, { fieldErrors: [{ field: "uri", rule: "worker", message }] });
}
