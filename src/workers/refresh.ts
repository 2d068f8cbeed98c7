// Reads the catalogs of workers and stores them. A failed reading keeps the stored catalog.
import type { Audit } from "../audit";
import { setAlarm } from "../base";
import type { Core } from "../core";
import type { Principal } from "../identity";
import type { Transaction } from "../store";
import * as catalogs from "./catalog-repository";
import type { CatalogRow } from "./catalog-repository";
import type { ToolChange } from "./changes";
import type { WorkerAuthorizations } from "./authorizations";
import { configOf } from "./config";
import { type Failure, NO_CATALOG, type Reading, withReading } from "./contents";
import type { SignIdentity } from "./identity";
import { type KnownWorker, loadedWorker, typeOf } from "./known";
import { workerInTransaction, type WorkerRow } from "./repository";
import { type AskOptions, type LoadedWorker, type ReadCatalog, WorkerFailure, type WorkerKind } from "./tool";

export type WorkerKinds = Readonly<Record<"http" | "mcp", WorkerKind>>;

/** Who has a catalog read: a request, or the server itself. */
export type Reader = Principal | { kind: "server"; projectId: string };

/** `challenge`: of a worker that wants a token. */
export type Outcome = { reading: Reading } | { failure: Failure; challenge?: string };

type Ask<Answer> = (loaded: LoadedWorker, options: AskOptions) => Promise<Answer>;

export const READ_TIMEOUT_MS = 10_000;
export const PROBE_TIMEOUT_MS = 5000;
/** A program may have to download its packages first. */
const PROGRAM_TIMEOUT_MS = 150_000;
/** When a failed reading is tried again. */
const AFTER_FAILURE_MS = 60_000;
/** An audit entry names at most this many tools of each kind of change. */
const MOST_NAMES = 20;

export interface RefresherParts {
  audit: Audit;
  kinds: WorkerKinds;
  authorizations: WorkerAuthorizations;
  sign: SignIdentity;
}

export class Refresher {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #kinds: WorkerKinds;
  readonly #authorizations: WorkerAuthorizations;
  readonly #sign: SignIdentity;
  readonly #closing = new AbortController();

  constructor(core: Core, { audit, kinds, authorizations, sign }: RefresherParts) {
    this.#core = core;
    this.#audit = audit;
    this.#kinds = kinds;
    this.#authorizations = authorizations;
    this.#sign = sign;
  }

  /** Ends all readings. */
  close(): void {
    this.#closing.abort();
  }

  /** Asks a stored worker, unless it is not what users consented to. Never throws what a worker causes. */
  async read(worker: KnownWorker): Promise<Outcome> {
    const stopped = await this.#authorizations.recheck(worker);
    if (stopped !== undefined) return { failure: { reason: "refused", message: stopped } };
    return this.readUnchecked(worker);
  }

  /** The same for one that is about to be stored. */
  async readUnchecked(worker: KnownWorker): Promise<Outcome> {
    const { project_id, id } = worker.row;
    const stored = await catalogs.catalogFactsOf(this.#core.store, project_id, [id]);
    const begun = { startedAt: this.#core.clock.now(), storedThen: stored.get(id)?.fetched_at ?? null };
    const ask: Ask<Reading> = async (loaded, options) => {
      const catalog = await this.#kinds[loaded.type].read(loaded, options);
      const isOfAdministrator = options.token !== undefined || Object.keys(options.userKeys ?? {}).length > 0;
      return { catalog: isOfAdministrator ? withoutResources(catalog) : catalog, ...begun };
    };
    const result = await this.#ask(worker, READ_TIMEOUT_MS, ask);
    return "failure" in result ? result : { reading: result.answer };
  }

  /** Whether the worker answers, and what it says about itself. */
  async probe(
    worker: KnownWorker,
  ): Promise<{ answer: Awaited<ReturnType<WorkerKind["probe"]>> } | { failure: Failure }> {
    return this.#ask(worker, PROBE_TIMEOUT_MS, (loaded, options) =>
      this.#kinds[loaded.type].probe(loaded, options),
    );
  }

  /**
   * Stores the outcome of a reading, if the worker still is the one that was read. Returns the catalog as it is then, or
   * undefined.
   */
  *store(reader: Reader, worker: KnownWorker, outcome: Outcome): Transaction<CatalogRow | undefined> {
    const { project_id, id } = worker.row;
    if (worker.fixed === undefined && !isSame(yield* workerInTransaction(project_id, id), worker.row))
      return undefined;
    const stored = yield* catalogs.catalogInTransaction(project_id, id);
    const before: CatalogRow = stored ?? { ...NO_CATALOG, project_id, worker_id: id };
    const now = this.#core.clock.now();
    if ("failure" in outcome) {
      const { failure } = outcome;
      const due_at = now + AFTER_FAILURE_MS;
      const row = { ...before, failure: JSON.stringify(failure), failed_at: now, due_at };
      yield* catalogs.putCatalog(row, false);
      return row;
    }
    // Another process has begun to read it later than this one, and was faster. The clock of its server may be another, so what
    // had been stored before this one began counts as older.
    const { startedAt, storedThen } = outcome.reading;
    if (before.fetched_at !== storedThen && (before.fetched_at ?? 0) > startedAt) return before;
    const { updates } = configOf(worker.row);
    const options = { updates, toolkit: worker.row.toolkit, now };
    const { row, changes } = withReading(before, outcome.reading, options);
    const offered = ["accepted_hash", "contents_hash"] as const;
    yield* catalogs.putCatalog(
      row,
      offered.some((column) => row[column] !== before[column]),
    );
    if (changes.length > 0) yield* this.#recordChanges(reader, before, row, changes);
    return row;
  }

  /** The catalog of a deleted worker. */
  remove(projectId: string, id: string): Transaction<void> {
    return catalogs.deleteCatalog(projectId, id);
  }

  // A worker that changes the description of a tool changes what models do with it.
  *#recordChanges(
    reader: Reader,
    before: CatalogRow,
    row: CatalogRow,
    changes: readonly ToolChange[],
  ): Transaction<void> {
    const of = (kind: ToolChange["change"]): readonly ToolChange[] =>
      changes.filter(({ change }) => change === kind);
    const names = (kind: ToolChange["change"]): string[] =>
      of(kind)
        .slice(0, MOST_NAMES)
        .map(({ name }) => name);
    yield* this.#audit.record(reader, "worker.catalog", row.worker_id, {
      details: {
        old_sha256: before.latest_hash,
        new_sha256: row.latest_hash,
        in_effect: row.latest === null,
        counts: {
          new: of("new").length,
          changed: of("changed").length,
          missing: of("missing").length,
        },
        new: names("new"),
        changed: of("changed")
          .slice(0, MOST_NAMES)
          .map(({ name, fields, accepted_hash, latest_hash }) => ({
            name,
            fields,
            old_sha256: accepted_hash,
            new_sha256: latest_hash,
          })),
        missing: names("missing"),
      },
    });
  }

  async #ask<Answer>(
    worker: KnownWorker,
    timeoutMs: number,
    ask: Ask<Answer>,
  ): Promise<{ answer: Answer } | { failure: Failure; challenge?: string }> {
    const { keyring, log } = this.#core;
    const { project_id, id } = worker.row;
    const ended = new AbortController();
    const isProgram = configOf(worker.row).stdio !== undefined;
    const mostMs = isProgram ? PROGRAM_TIMEOUT_MS : timeoutMs;
    const alarm = setAlarm(mostMs, () => ended.abort());
    try {
      const signal = AbortSignal.any([ended.signal, this.#closing.signal]);
      const loaded = loadedWorker({ keyring, sign: this.#sign }, worker);
      const keys = await this.#authorizations.keysFor(worker);
      const answer = await this.#authorizations.withToken(worker, (token) =>
        ask(loaded, { signal, ...keys, ...(token === undefined ? {} : { token }) }),
      );
      return { answer };
    } catch (error) {
      if (error instanceof WorkerFailure) {
        const { reason, message, challenge } = error;
        return { failure: { reason, message }, ...(challenge === undefined ? {} : { challenge }) };
      }
      if (!ended.signal.aborted)
        log.error("a worker could not be asked", { project_id, id, type: typeOf(worker.row), error });
      return { failure: ended.signal.aborted ? timedOut(mostMs) : UNEXPECTED };
    } finally {
      alarm.cancel();
    }
  }
}

/** What a worker that wants a token says about it. */
export function challengeOf(outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined || !("failure" in outcome) || outcome.failure.reason !== "unauthorized")
    return undefined;
  return outcome.challenge ?? "";
}

/** Whether a worker has not changed since. One of a later project may have its id and version. */
function isSame(now: WorkerRow | undefined, { version, created_at }: WorkerRow): boolean {
  return now?.version === version && now.created_at === created_at;
}

/**
 * Tools, prompts and templates are definitions. The resources that a server lists to an administrator may be that person's own,
 * and other users must not learn their names.
 */
function withoutResources({ resources = [], ...catalog }: ReadCatalog): ReadCatalog {
  if (resources.length === 0) return catalog;
  return { ...catalog, skipped: [...catalog.skipped, { name: "resources", reason: OF_ADMINISTRATOR }] };
}

const OF_ADMINISTRATOR =
  "The list was read with the consent of an administrator and may be that person's own. Resources can be read by their addresses.";

function timedOut(timeoutMs: number): Failure {
  return { reason: "timeout", message: `It did not answer within ${timeoutMs / 1000} s.` };
}

const UNEXPECTED: Failure = {
  reason: "protocol",
  message: "It could not be asked. The log of this server says why.",
};
