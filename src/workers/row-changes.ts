// The transactions that create, change and delete workers.
import type { Audit } from "../audit";
import { alreadyExists, conflict, invalidParameter } from "../errors";
import type { Principal } from "../identity";
import { originChange } from "../origins";
import type { Change, Transaction } from "../store";
import { configOf } from "./config";
import type { WorkerDirectory } from "./directory";
import { requireFreeToolkit } from "./free-toolkit";
import { auditRecord } from "./record";
import type { Outcome, Refresher } from "./refresh";
import * as repository from "./repository";
import type { WorkerRow } from "./repository";
import { unknownWorker } from "./rows";
import { MOST_WORKERS } from "./rules";
import { requireKeyProviders } from "./user-key-rules";

/** What goes with a change of a row: the catalog that was read, and what changes for consents. */
export interface Result {
  outcome: Outcome | undefined;
  access: Change<void>;
}

interface Parts {
  audit: Audit;
  /** Toolkits of this server itself, in lower case. */
  builtIn: ReadonlySet<string>;
  directory: WorkerDirectory;
  refresher: Refresher;
}

export class WorkerRows {
  readonly #audit: Audit;
  readonly #builtIn: ReadonlySet<string>;
  readonly #directory: WorkerDirectory;
  readonly #refresher: Refresher;

  constructor({ audit, builtIn, directory, refresher }: Parts) {
    this.#audit = audit;
    this.#builtIn = builtIn;
    this.#directory = directory;
    this.#refresher = refresher;
  }

  *create(principal: Principal, row: WorkerRow, { outcome, access }: Result): Transaction<WorkerRow> {
    if ((yield* repository.workerInTransaction(row.project_id, row.id)) !== undefined)
      throw alreadyExists(taken(row.id));
    if ((yield* repository.countInTransaction(row.project_id)) >= MOST_WORKERS)
      throw invalidParameter(`A project has at most ${MOST_WORKERS} workers. Delete one first.`);
    yield* requireFreeToolkit(row, this.#builtIn, this.#directory);
    yield* requireKeyProviders(row);
    yield* repository.addWorker(row);
    yield* access.body();
    yield* this.#audit.record(principal, "worker.create", row.id, { after: auditRecord({ row }) });
    if (outcome !== undefined) yield* this.#refresher.store(principal, { row }, outcome);
    return row;
  }

  /** False if the worker has changed since. */
  *update(
    principal: Principal,
    before: WorkerRow,
    row: WorkerRow,
    { outcome, access }: Result,
  ): Transaction<boolean> {
    const now = yield* repository.workerInTransaction(row.project_id, row.id);
    if (now === undefined) throw unknownWorker();
    // A rotation of the data key seals the secrets again without a new version.
    if (now.version !== before.version || now.sealed_secrets !== before.sealed_secrets) return false;
    if (row.toolkit !== before.toolkit) yield* requireFreeToolkit(row, this.#builtIn, this.#directory);
    yield* requireKeyProviders(row, before);
    yield* repository.updateWorker(row);
    yield* access.body();
    const secrets = before.sealed_secrets === row.sealed_secrets ? {} : { secrets: configOf(row).sealed };
    const origins = originChange(JSON.parse(before.origins), JSON.parse(row.origins));
    yield* this.#audit.record(principal, "worker.update", row.id, {
      details: { ...secrets, ...origins },
      before: auditRecord({ row: before }),
      after: auditRecord({ row }),
    });
    if (outcome !== undefined) yield* this.#refresher.store(principal, { row }, outcome);
    return true;
  }

  *updateUnchanged(
    principal: Principal,
    before: WorkerRow,
    row: WorkerRow,
    result: Result,
  ): Transaction<void> {
    if (!(yield* this.update(principal, before, row, result)))
      throw conflict("The worker has just been changed by somebody else. Try again.");
  }

  *delete(principal: Principal, id: string, end: (row: WorkerRow) => Change<void>): Transaction<void> {
    const row = yield* repository.workerInTransaction(principal.projectId, id);
    if (row === undefined) throw unknownWorker();
    yield* repository.deleteWorker(row);
    yield* end(row).body();
    yield* this.#refresher.remove(row.project_id, id);
    yield* this.#audit.record(principal, "worker.delete", id, { before: auditRecord({ row }) });
  }
}

export function taken(id: string): string {
  return `A worker with the id ${id} already exists in this project.`;
}
