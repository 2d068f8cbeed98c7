// What administrators do with the catalogs of workers: refresh, compare, accept, check.
import type { Audit } from "../audit";
import { present, timestamp } from "../base";
import type { Core } from "../core";
import { conflict, invalidParameter, malformedRequest } from "../errors";
import type { Principal } from "../identity";
import { cageSupport } from "../processes";
import { makeChange, type Transaction } from "../store";
import { accessOf, type WorkerAuthorizations } from "./authorizations";
import * as stored from "./catalog-repository";
import type { CatalogRow } from "./catalog-repository";
import type { OfferedCatalogs } from "./catalogs";
import { diffOf, failureOf, NO_CATALOG, skippedOf, withAcceptance } from "./contents";
import type { WorkerDirectory } from "./directory";
import { programSentences } from "./stdio/facts";
import { configOf } from "./config";
import type { KnownWorker } from "./known";
import { workerRecord } from "./record";
import type { Refresher } from "./refresh";
import { plainRow } from "./rows";
import type { AcceptWorker, Worker, WorkerDiff, WorkerHealth, WorkerTest, WorkerTestResult } from "./schema";
import type { Skipped } from "./tool";

interface Parts {
  audit: Audit;
  directory: WorkerDirectory;
  authorizations: WorkerAuthorizations;
  refresher: Refresher;
  offered: OfferedCatalogs;
}

/** Tools that a message names as left out. */
const MOST_SHOWN = 3;
const MOST_UNKNOWN = 5;

export class WorkerCatalogs {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #directory: WorkerDirectory;
  readonly #authorizations: WorkerAuthorizations;
  readonly #refresher: Refresher;
  readonly #offered: OfferedCatalogs;

  constructor(core: Core, parts: Parts) {
    this.#core = core;
    this.#audit = parts.audit;
    this.#directory = parts.directory;
    this.#authorizations = parts.authorizations;
    this.#refresher = parts.refresher;
    this.#offered = parts.offered;
  }

  /** Reads the catalog now; if that fails, the record says why. Throws `not_found`. */
  async refresh(principal: Principal, id: string): Promise<Worker> {
    const worker = await this.#directory.find(principal.projectId, id);
    const outcome = await this.#refresher.read(worker);
    await this.#core.store.write(() => this.#refresher.store(principal, worker, outcome));
    // Reading may have stopped it.
    return this.record(await this.#directory.find(principal.projectId, id));
  }

  /** What accepting would change. Throws `not_found`. */
  async diff({ projectId }: Principal, id: string): Promise<WorkerDiff> {
    const worker = await this.#directory.find(projectId, id);
    const row = (await stored.findCatalog(this.#core.store, projectId, id)) ?? emptyCatalog(worker);
    return {
      id,
      ...present({
        fetched_at: row.fetched_at === null ? undefined : timestamp(row.fetched_at),
        accepted_hash: row.accepted_hash === "" ? undefined : row.accepted_hash,
        latest_hash: row.latest_hash === "" ? undefined : row.latest_hash,
      }),
      tools: diffOf(row, worker.row.toolkit),
    };
  }

  /**
   * Accepts changes of the catalog, all or those of the named tools. Throws `not_found`, `invalid_parameter`, and `conflict` if
   * the catalog is another one than that of the given hash.
   */
  async accept(principal: Principal, id: string, request: AcceptWorker): Promise<Worker> {
    const worker = await this.#directory.find(principal.projectId, id);
    await makeChange(this.#core.store, { body: () => this.#accept(principal, worker, request) });
    return this.record(worker);
  }

  /** From the stored state and a request to the worker. Throws `not_found`. */
  async health({ projectId }: Principal, id: string): Promise<WorkerHealth> {
    const worker = await this.#directory.find(projectId, id);
    const enabled = worker.row.enabled === 1;
    if (!enabled)
      return { id, enabled, healthy: false, message: "It is disabled: its tools are not offered." };
    const row = (await stored.findCatalog(this.#core.store, projectId, id)) ?? emptyCatalog(worker);
    const probed = await this.#refresher.probe(worker);
    const failure = "failure" in probed ? probed.failure : failureOf(row);
    const skipped = [...skippedOf(row), ...((await this.#offered.of(projectId)).collisions.get(id) ?? [])];
    const problem = accessOf(worker.row)?.problem ?? failure?.message;
    const { stdio } = configOf(worker.row);
    const program = stdio === undefined ? [] : programSentences(stdio, id, cageSupport());
    const message = [problem ?? "It answers.", ...program, ...skippedSentence(skipped)].join(" ");
    return { id, enabled, healthy: problem === undefined, message };
  }

  /** Asks a server that is not stored. Throws `malformed_request` for an address that cannot be one of a worker. */
  async test({ projectId }: Principal, { type, http, mcp }: WorkerTest): Promise<WorkerTestResult> {
    const given = type === "http" ? http : mcp;
    if (given === undefined || (http !== undefined && mcp !== undefined))
      throw malformedRequest(`Exactly ${type} is required for the type ${type}.`);
    const common = { timeout: 5, retry: 0, uri: given.uri };
    const settings = type === "http" ? { http: { ...common, secret: "-" } } : { mcp: common };
    const { row } = plainRow(projectId, { id: "test", ...settings }, this.#core.clock.now());
    const probed = await this.#refresher.probe({ row, fixed: { secret: "-" } });
    if ("failure" in probed) return { success: false, message: probed.failure.message };
    const { server } = probed.answer;
    const { name, version, description } = server ?? {};
    return {
      success: true,
      message: "It answers.",
      ...(server === undefined ? {} : { serverInfo: present({ name, version, description }) }),
    };
  }

  async record(worker: KnownWorker): Promise<Worker> {
    const { project_id: projectId, id } = worker.row;
    const catalog = await stored.findCatalog(this.#core.store, projectId, id);
    const { collisions } = await this.#offered.of(projectId);
    const access = await this.#authorizations.facts(worker);
    return workerRecord(worker, { catalog, collisions: collisions.get(id), access });
  }

  *#accept(
    principal: Principal,
    { row: { project_id, id, toolkit } }: KnownWorker,
    { tools: names, latest_hash: seen }: AcceptWorker,
  ): Transaction<void> {
    const before = yield* stored.catalogInTransaction(project_id, id);
    if (seen !== undefined && seen !== before?.latest_hash)
      throw conflict("The catalog is another one than the one that you looked at. See its diff again.");
    if (before === undefined || before.latest === null) {
      if (names === undefined) return;
      throw invalidParameter("There is nothing to accept.");
    }
    const { row, unknown } = withAcceptance(before, toolkit, names);
    if (unknown.length > 0) {
      const shown = unknown.slice(0, MOST_UNKNOWN).join(", ");
      throw invalidParameter(`There is no change with this name: ${shown}. See the diff of the worker.`);
    }
    yield* stored.putCatalog(row, row.accepted_hash !== before.accepted_hash);
    yield* this.#audit.record(principal, "worker.accept", id, {
      details: {
        old_sha256: before.accepted_hash,
        new_sha256: row.accepted_hash,
        ...(names === undefined ? {} : { tools: names.slice(0, 50) }),
      },
    });
  }
}

function emptyCatalog({ row: { project_id, id } }: KnownWorker): CatalogRow {
  return { ...NO_CATALOG, project_id, worker_id: id };
}

function skippedSentence(skipped: readonly Skipped[]): string[] {
  if (skipped.length === 0) return [];
  const some = skipped.slice(0, MOST_SHOWN).map(({ name, reason }) => `${name} (${reason})`);
  const more = skipped.length > MOST_SHOWN ? " …" : "";
  const tools = skipped.length === 1 ? "1 tool is" : `${skipped.length} tools are`;
  return [`${tools} left out: ${some.join("; ")}${more}`];
}
