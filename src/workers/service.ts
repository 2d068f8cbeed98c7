// The administration of workers: servers whose tools a project offers.
import { type Page, page, paging } from "../base";
import type { NewGrant } from "../authorization";
import { changeInTurn } from "../change-in-turn";
import type { Core } from "../core";
import { alreadyExists, isConflict } from "../errors";
import type { Principal } from "../identity";
import { type Change, makeChange } from "../store";
import { accessOf, type AuthorizeRequest, WorkerAuthorizations } from "./authorizations";
import * as stored from "./catalog-repository";
import { WorkerCatalogs } from "./catalog-service";
import { OfferedCatalogs, type WorkerCatalog } from "./catalogs";
import { configOf } from "./config";
import { WorkerDirectory } from "./directory";
import { IdentityKeys, identitySigner, type SignIdentity } from "./identity";
import { loadedWorker, typeOf } from "./known";
import type { WorkerParts } from "./parts";
import { Previews } from "./preview/service";
import { workerRecord } from "./record";
import { challengeOf, type Outcome, Refresher, type WorkerKinds } from "./refresh";
import { deletionOf } from "./deletion";
import { requireEnabled, withoutConsent } from "./no-consent";
import * as repository from "./repository";
import type { WorkerRow } from "./repository";
import { type Result, taken, WorkerRows } from "./row-changes";
import { asksDifferently, changedRow, fixedWorker, newRow, refusedAddress, unknownWorker } from "./rows";
import type { CreateWorker, UpdateWorker, Worker, WorkerAuthorization } from "./schema";
import type { StdioWorkers } from "./stdio";
import { checkProgramSetter } from "./stdio/permission";
import type { LoadedWorker } from "./tool";
import { StoredParts } from "./stored-parts";
import { Upkeep } from "./upkeep";
import { waitsFor } from "./waiting";
import { Turns } from "../turns";

export class Workers {
  /** Finds out what an address is. */
  readonly previews: Previews;
  /** Refreshes, compares, accepts and checks catalogs. */
  readonly catalogs: WorkerCatalogs;
  /** Sign who calls. */
  readonly identityKeys: IdentityKeys;
  readonly #core: Core;
  readonly #kinds: WorkerKinds;
  readonly #rows: WorkerRows;
  readonly #directory: WorkerDirectory;
  readonly #authorizations: WorkerAuthorizations;
  readonly #refresher: Refresher;
  readonly #offered: OfferedCatalogs;
  readonly #upkeep: Upkeep;
  readonly #programs: StdioWorkers;
  readonly #sign: SignIdentity;
  readonly #turns: Turns;
  /** For manifests. */
  readonly stored: StoredParts;

  /** Throws `configuration` for a worker of the configuration that breaks a rule. */
  constructor(core: Core, parts: WorkerParts) {
    this.#core = core;
    this.#turns = new Turns(core);
    this.#kinds = parts.kinds;
    this.#programs = parts.programs;
    const builtIn = new Set(parts.toolkits.map((name) => name.toLowerCase()));
    const directory = new WorkerDirectory(core, parts.fixed, builtIn);
    const authorizations = new WorkerAuthorizations(core, parts.audit, parts.consents);
    this.identityKeys = new IdentityKeys(core, parts.audit);
    const sign = identitySigner(core, this.identityKeys);
    const refresher = new Refresher(core, { ...parts, authorizations, sign });
    const offered = new OfferedCatalogs(core, { ...parts, directory, sign });
    this.#directory = directory;
    this.#sign = sign;
    this.stored = new StoredParts(core, authorizations);
    this.#authorizations = authorizations;
    this.#refresher = refresher;
    this.#offered = offered;
    this.previews = new Previews(core, refresher, parts.programs);
    this.#upkeep = new Upkeep(core, directory, refresher);
    this.#rows = new WorkerRows({ audit: parts.audit, builtIn, directory, refresher });
    this.catalogs = new WorkerCatalogs(core, {
      audit: parts.audit,
      directory,
      authorizations,
      refresher,
      offered,
    });
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
    const records = workers.map(async (worker) =>
      workerRecord(worker, {
        catalog: facts.get(worker.row.id),
        collisions: collisions.get(worker.row.id),
        access: await this.#authorizations.facts(worker),
      }),
    );
    return page(await Promise.all(records), total, window);
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
    checkProgramSetter(principal, request.mcp, { isProgram: false });
    this.#refuseFixed(request.id, () => alreadyExists(taken(request.id)));
    // Before the worker is asked; the transaction checks it again.
    if ((await repository.findWorker(this.#core.store, projectId, request.id)) !== undefined)
      throw alreadyExists(taken(request.id));
    const given = await newRow(this.#core, projectId, request);
    const outcome = given.enabled === 1 ? await this.#readable(given) : undefined;
    const { row, change } = await this.#authorizations.prepared(principal, given, {
      given: request.mcp?.oauth2,
      challenge: challengeOf(outcome),
    });
    return {
      body: () => this.#rows.create(principal, row, { outcome, access: change }),
      committed: () => change.committed?.(),
    };
  }

  /**
   * Changes the given fields, and reads the catalog if it may be another one. Throws `not_found`, `read_only` for a worker of
   * the configuration, `malformed_request` for an address at another origin without the secrets.
   */
  async update(principal: Principal, id: string, patch: UpdateWorker): Promise<Worker> {
    const changed = await this.#inTurn(principal, id, async () => {
      const { before, row, result } = await this.#prepared(principal, id, patch);
      const isMade = await this.#core.store.write(() => this.#rows.update(principal, before, row, result));
      if (!isMade) return undefined;
      this.#changed(result);
      return row;
    });
    return this.catalogs.record({ row: changed });
  }

  /** Makes a change when that of the worker before it is made. `change`: undefined if the worker has changed meanwhile. */
  async #inTurn<T extends object>(
    { projectId }: Principal,
    id: string,
    change: () => Promise<T | undefined>,
  ): Promise<T> {
    // No turn of a worker that does not exist.
    await this.#directory.find(projectId, id);
    return changeInTurn(this.#turns, `worker ${projectId} ${id}`, change);
  }

  /** `update` as a part of a transaction. Throws `conflict` in it if the worker has changed since. */
  async change(principal: Principal, id: string, patch: UpdateWorker): Promise<Change<void>> {
    const { before, row, result } = await this.#prepared(principal, id, patch);
    return {
      body: () => this.#rows.updateUnchanged(principal, before, row, result),
      committed: () => this.#changed(result),
    };
  }

  /** The enabled worker as its calls need it; undefined if there is none. */
  async loaded(projectId: string, id: string): Promise<LoadedWorker | undefined> {
    const worker = await this.#directory.findEnabled(projectId, id);
    return worker && loadedWorker({ keyring: this.#core.keyring, sign: this.#sign }, worker);
  }

  /** A user has consented: the catalogs of workers are read that wait for it. Returns at once. */
  granted(grant: NewGrant): void {
    this.#upkeep.granted(grant.projectId, ({ row }) => waitsFor(row, grant));
  }

  /**
   * Starts the consent with which its catalog is read; `completed` if it needs none or has it, and the catalog is then read.
   * Throws `not_found`, and `tool_requirements_not_met` with what must be done first.
   */
  async authorize(
    principal: Principal,
    id: string,
    request: AuthorizeRequest = {},
  ): Promise<WorkerAuthorization> {
    const answer = await this.#inTurn(principal, id, () =>
      this.#authorized(principal, id, request).catch((error: unknown) => {
        if (isConflict(error)) return undefined;
        throw error;
      }),
    );
    if (answer.status === "completed") await this.catalogs.refresh(principal, id);
    return answer;
  }

  /** Throws `conflict` if the worker has changed since. */
  async #authorized(
    principal: Principal,
    id: string,
    request: AuthorizeRequest,
  ): Promise<WorkerAuthorization> {
    const worker = await this.#directory.find(principal.projectId, id);
    requireEnabled(worker.row);
    const outcome = accessOf(worker.row) === undefined ? await this.#refresher.read(worker) : undefined;
    const consent = await this.#authorizations.authorize(principal, worker, request, challengeOf(outcome));
    return consent ?? withoutConsent(this.#core, principal, id, request, outcome);
  }

  /** Deletes the worker with its catalog. Throws `not_found`, `read_only`. */
  async delete(principal: Principal, id: string): Promise<void> {
    await makeChange(this.#core.store, this.deletion(principal, id));
  }

  /** `delete` as a part of a transaction. */
  deletion(principal: Principal, id: string): Change<void> {
    this.#refuseFixed(id, () => fixedWorker(id));
    const parts = { rows: this.#rows, authorizations: this.#authorizations, programs: this.#programs };
    return deletionOf(parts, principal, id);
  }

  /** After a change of a worker: a process of the old settings ends. */
  #changed({ access }: Result): void {
    access.committed?.();
    this.#programs.lookInBackground();
  }

  async #prepared(
    principal: Principal,
    id: string,
    patch: UpdateWorker,
  ): Promise<{ before: WorkerRow; row: WorkerRow; result: Result }> {
    this.#refuseFixed(id, () => fixedWorker(id));
    const before = await repository.findWorker(this.#core.store, principal.projectId, id);
    if (before === undefined) throw unknownWorker();
    checkProgramSetter(principal, patch.mcp, { isProgram: configOf(before).stdio !== undefined });
    const given = await changedRow(this.#core, before, patch);
    const outcome = asksDifferently(before, given) ? await this.#asked(before, given) : undefined;
    const { row, change } = await this.#authorizations.prepared(principal, given, {
      before,
      given: patch.mcp?.oauth2,
      challenge: challengeOf(outcome),
    });
    return { before, row, result: { outcome, access: change } };
  }

  async #asked(before: WorkerRow, row: WorkerRow): Promise<Outcome> {
    return row.uri === before.uri ? this.#refresher.readUnchecked({ row }) : this.#readable(row);
  }

  /** Throws `invalid_parameter` if the policy refuses the address: nothing could ever be called. */
  async #readable(row: WorkerRow): Promise<Outcome> {
    const outcome = await this.#refresher.readUnchecked({ row });
    if ("failure" in outcome && outcome.failure.reason === "address_refused") {
      throw refusedAddress(`${typeOf(row)}.uri`, row.uri, outcome.failure);
    }
    return outcome;
  }

  #refuseFixed(id: string, refusal: () => Error): void {
    if (this.#directory.isFixed(id)) throw refusal();
  }
}
