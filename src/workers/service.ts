// The administration of workers: servers whose tools a project offers.
import { type Page, page, paging } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { alreadyExists, conflict, invalidParameter, unavailable } from "../errors";
import { actorOf, type Principal } from "../identity";
import { originChange } from "../origins";
import type { StaticWorker } from "../config";
import { type Change, makeChange, type Transaction } from "../store";
import * as stored from "./catalog-repository";
import { WorkerCatalogs } from "./catalog-service";
import { type Define, OfferedCatalogs, type WorkerCatalog } from "./catalogs";
import { configOf, givenSecrets } from "./config";
import { namesOf } from "./contents";
import { WorkerDirectory } from "./directory";
import { typeOf } from "./known";
import { auditRecord, workerRecord } from "./record";
import { type CatalogToken, type Outcome, Refresher, type WorkerKinds } from "./refresh";
import { Previews } from "./preview/service";
import * as repository from "./repository";
import type { WorkerRow } from "./repository";
import { asksDifferently, changedRow, fixedWorker, newRow, refusedAddress, unknownWorker } from "./rows";
import { MOST_WORKERS } from "./rules";
import type { CreateWorker, UpdateWorker, Worker, WorkerAuthorization } from "./schema";
import { equalSecrets } from "./secrets";
import { Upkeep } from "./upkeep";

export interface WorkerParts {
  audit: Audit;
  kinds: WorkerKinds;
  define: Define;
  /** Names of the toolkits that are compiled in. */
  toolkits: readonly string[];
  /** Workers of the configuration. */
  fixed: readonly StaticWorker[];
  tokenOf?: CatalogToken;
}

export class Workers {
  /** Finds out what an address is. */
  readonly previews: Previews;
  /** Refreshes, compares, accepts and checks catalogs. */
  readonly catalogs: WorkerCatalogs;
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #kinds: WorkerKinds;
  readonly #builtIn: ReadonlySet<string>;
  readonly #directory: WorkerDirectory;
  readonly #refresher: Refresher;
  readonly #offered: OfferedCatalogs;
  readonly #upkeep: Upkeep;

  /** Throws `configuration` for a worker of the configuration that breaks a rule. */
  constructor(core: Core, parts: WorkerParts) {
    this.#core = core;
    this.#audit = parts.audit;
    this.#kinds = parts.kinds;
    this.#builtIn = new Set(parts.toolkits.map((name) => name.toLowerCase()));
    const directory = new WorkerDirectory(core, parts.fixed, this.#builtIn);
    const refresher = new Refresher(core, parts.audit, parts.kinds, parts.tokenOf ?? noToken);
    const offered = new OfferedCatalogs(core, { ...parts, directory });
    this.#directory = directory;
    this.#refresher = refresher;
    this.#offered = offered;
    this.previews = new Previews(core, refresher);
    this.#upkeep = new Upkeep(core, directory, refresher);
    this.catalogs = new WorkerCatalogs(core, { audit: parts.audit, directory, refresher, offered });
  }

  /** Resolves when no catalog is read any more, and the sessions at servers have ended. */
  async close(): Promise<void> {
    await this.#upkeep.close();
    await Promise.all(Object.values(this.#kinds).map((kind) => kind.close?.()));
  }

  /** Looks after the catalogs of a project whose tools are used. Returns at once. */
  used(projectId: string): void {
    this.#upkeep.used(projectId);
  }

  /** Has the catalog read soon: the worker says that it has changed, or does not know a tool. Returns at once. */
  stale(projectId: string, id: string): void {
    this.#upkeep.stale(projectId, id);
  }

  /** The accepted tools of the project's enabled workers. The same list while nothing changes. */
  async catalogsOf(projectId: string): Promise<readonly WorkerCatalog[]> {
    return (await this.#offered.of(projectId)).catalogs;
  }

  /** First the workers of the configuration. */
  async list(
    { projectId }: Principal,
    query: { limit?: number | undefined; offset?: number | undefined } = {},
  ): Promise<Page<Worker>> {
    const window = paging(query);
    const { workers, total } = await this.#directory.page(projectId, window);
    const ids = workers.map(({ row }) => row.id);
    const facts = await stored.catalogFactsOf(this.#core.store, projectId, ids);
    const { collisions } = await this.#offered.of(projectId);
    const records = workers.map((worker) =>
      workerRecord(worker, facts.get(worker.row.id), collisions.get(worker.row.id)),
    );
    return page(records, total, window);
  }

  /** Throws `not_found`. */
  async get({ projectId }: Principal, id: string): Promise<Worker> {
    return this.catalogs.record(await this.#directory.find(projectId, id));
  }

  /**
   * Creates the worker and reads its catalog; if that fails, the record says why. Throws `already_exists`,
   * also for a toolkit that is taken, `malformed_request`, and `invalid_parameter` for an address that the policy refuses.
   */
  async create(principal: Principal, request: CreateWorker): Promise<Worker> {
    const row = await makeChange(this.#core.store, await this.creation(principal, request));
    return this.catalogs.record({ row });
  }

  /** `create` as a part of a transaction. */
  async creation(principal: Principal, request: CreateWorker): Promise<Change<WorkerRow>> {
    const { projectId } = principal;
    this.#refuseFixed(request.id, () => alreadyExists(taken(request.id)));
    // Before the worker is asked; the transaction checks it again.
    if ((await repository.findWorker(this.#core.store, projectId, request.id)) !== undefined)
      throw alreadyExists(taken(request.id));
    const row = await newRow(this.#core, projectId, request);
    const outcome = row.enabled === 1 ? await this.#readable(row) : undefined;
    return { body: () => this.#create(principal, row, outcome) };
  }

  /**
   * Changes the given fields, and reads the catalog if it may be another one. Throws `not_found`, `read_only` for a worker of
   * the configuration, `malformed_request` for an address at another origin without the secrets.
   */
  async update(principal: Principal, id: string, patch: UpdateWorker): Promise<Worker> {
    // Sealing and reading are asynchronous, which a transaction cannot be: do them first, and retry if the row has changed.
    for (let attempt = 0; attempt < 5; attempt++) {
      const { before, row, outcome } = await this.#prepared(principal, id, patch);
      if (await this.#core.store.write(() => this.#update(principal, before, row, outcome)))
        return this.catalogs.record({ row });
    }
    throw unavailable("The worker kept changing. Try again.");
  }

  /** `update` as a part of a transaction. Throws `conflict` in it if the worker has changed since. */
  async change(principal: Principal, id: string, patch: UpdateWorker): Promise<Change<void>> {
    const { before, row, outcome } = await this.#prepared(principal, id, patch);
    return { body: () => this.#updateUnchanged(principal, before, row, outcome) };
  }

  /** The names of the given secrets that are stored with the same value: `secret`, `client_secret`, `secrets.NAME`. */
  async sameSecrets(
    { projectId }: Principal,
    id: string,
    request: Pick<UpdateWorker, "http" | "mcp">,
  ): Promise<string[]> {
    const row = await repository.findWorker(this.#core.store, projectId, id);
    return row === undefined ? [] : equalSecrets(this.#core.keyring, row, givenSecrets(request));
  }

  /** Starts the consent with which its catalog is read; `completed` if it needs none. Throws `not_found`. */
  async authorize(principal: Principal, id: string): Promise<WorkerAuthorization> {
    const { row } = await this.#directory.find(principal.projectId, id);
    return { worker_id: row.id, user_id: actorOf(principal), status: "completed", scopes: [] };
  }

  /** Deletes the worker with its catalog. Throws `not_found`, `read_only`. */
  async delete(principal: Principal, id: string): Promise<void> {
    await makeChange(this.#core.store, this.deletion(principal, id));
  }

  /** `delete` as a part of a transaction. */
  deletion(principal: Principal, id: string): Change<void> {
    this.#refuseFixed(id, () => fixedWorker(id));
    return { body: () => this.#delete(principal, id) };
  }

  async #prepared(
    principal: Principal,
    id: string,
    patch: UpdateWorker,
  ): Promise<{ before: WorkerRow; row: WorkerRow; outcome: Outcome | undefined }> {
    this.#refuseFixed(id, () => fixedWorker(id));
    const before = await repository.findWorker(this.#core.store, principal.projectId, id);
    if (before === undefined) throw unknownWorker();
    const row = await changedRow(this.#core, before, patch);
    if (!asksDifferently(before, row)) return { before, row, outcome: undefined };
    const outcome = row.uri === before.uri ? await this.#refresher.read({ row }) : await this.#readable(row);
    return { before, row, outcome };
  }

  /** Throws `invalid_parameter` if the policy refuses the address: nothing could ever be called. */
  async #readable(row: WorkerRow): Promise<Outcome> {
    const outcome = await this.#refresher.read({ row });
    if ("failure" in outcome && outcome.failure.reason === "address_refused") {
      throw refusedAddress(`${typeOf(row)}.uri`, row.uri, outcome.failure);
    }
    return outcome;
  }

  #refuseFixed(id: string, refusal: () => Error): void {
    if (this.#directory.isFixed(id)) throw refusal();
  }

  *#create(principal: Principal, row: WorkerRow, outcome: Outcome | undefined): Transaction<WorkerRow> {
    if ((yield* repository.workerInTransaction(row.project_id, row.id)) !== undefined)
      throw alreadyExists(taken(row.id));
    if ((yield* repository.countInTransaction(row.project_id)) >= MOST_WORKERS)
      throw invalidParameter(`A project has at most ${MOST_WORKERS} workers. Delete one first.`);
    yield* this.#requireFreeToolkit(row);
    yield* repository.addWorker(row);
    yield* this.#audit.record(principal, "worker.create", row.id, { after: auditRecord({ row }) });
    if (outcome !== undefined) yield* this.#refresher.store(principal, { row }, outcome);
    return row;
  }

  /** False if the worker has changed since. */
  *#update(
    principal: Principal,
    before: WorkerRow,
    row: WorkerRow,
    outcome: Outcome | undefined,
  ): Transaction<boolean> {
    const now = yield* repository.workerInTransaction(row.project_id, row.id);
    if (now === undefined) throw unknownWorker();
    // A rotation of the data key seals the secrets again without a new version.
    if (now.version !== before.version || now.sealed_secrets !== before.sealed_secrets) return false;
    if (row.toolkit !== before.toolkit) yield* this.#requireFreeToolkit(row);
    yield* repository.updateWorker(row);
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

  *#updateUnchanged(
    principal: Principal,
    before: WorkerRow,
    row: WorkerRow,
    outcome: Outcome | undefined,
  ): Transaction<void> {
    if (!(yield* this.#update(principal, before, row, outcome)))
      throw conflict("The worker has just been changed by somebody else. Try again.");
  }

  *#delete(principal: Principal, id: string): Transaction<void> {
    const row = yield* repository.workerInTransaction(principal.projectId, id);
    if (row === undefined) throw unknownWorker();
    yield* repository.deleteWorker(row);
    yield* this.#refresher.remove(row.project_id, id);
    yield* this.#audit.record(principal, "worker.delete", id, { before: auditRecord({ row }) });
  }

  /** Toolkits of HTTP workers are only known when their catalogs have been read; those that collide are left out. */
  *#requireFreeToolkit({ project_id, id, type, toolkit }: WorkerRow): Transaction<void> {
    if (type === "http") return;
    const name = toolkit.toLowerCase();
    if (this.#builtIn.has(name)) throw alreadyExists(toolkitTaken(toolkit, "This server itself"));
    const owner = this.#directory.fixedWith(name) ?? (yield* repository.withToolkit(project_id, toolkit, id));
    const others = yield* stored.catalogFactsInTransaction(project_id);
    const namer = others.find(
      (facts) =>
        facts.worker_id !== id && namesOf(facts).some(({ toolkit: kit }) => kit?.name.toLowerCase() === name),
    );
    const taker = owner ?? namer?.worker_id;
    if (taker !== undefined) throw alreadyExists(toolkitTaken(toolkit, `The worker ${taker}`));
  }
}

function taken(id: string): string {
  return `A worker with the id ${id} already exists in this project.`;
}

function toolkitTaken(toolkit: string, owner: string): string {
  return `${owner} has a toolkit with the name ${toolkit}. Give another one in toolkit.`;
}

const noToken: CatalogToken = async () => undefined;
