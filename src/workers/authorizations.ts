// Workers that want tokens: what is prepared when their records change, the consent of an administrator with which a catalog
// is read, and whether they still are what users consented to.
import type { Audit } from "../audit";
import type { Authorization } from "../authorization";
import type { Redacted } from "../base";
import type { Core } from "../core";
import { conflict, isConflict, requirementsNotMet } from "../errors";
import type { Principal } from "../identity";
import type { Change, Transaction } from "../store";
import { AdministratorKeys, keyUserOf } from "./administrator-keys";
import { configOf, userKeyIdsOf } from "./config";
import { type KnownWorker, typeOf } from "./known";
import {
  type ConsentParts,
  type GivenOAuth2,
  Preparation,
  type Prepared,
  type ShownAccess,
  type WorkerAccess,
  WorkerConsents,
} from "./oauth";
import * as repository from "./repository";
import type { WorkerRow } from "./repository";
import type { UpdateWorker, WorkerAuthorization } from "./schema";
import type { AskOptions } from "./tool";
import { openOrLost } from "./secrets";

type Given = NonNullable<NonNullable<UpdateWorker["mcp"]>["oauth2"]>;

type Writer = Principal | { kind: "server"; projectId: string };

export interface AuthorizeRequest {
  user_id?: string | undefined;
  next_uri?: string | undefined;
}

/** What the record of a worker shows. */
export interface AccessFacts extends ShownAccess {
  /** Whether the grant is there with which its catalog is read. Undefined: no administrator has been asked for one. */
  met: boolean | undefined;
  problem?: string;
}

export class WorkerAuthorizations {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #preparation: Preparation;
  readonly #consents: WorkerConsents;
  readonly #keys: AdministratorKeys;

  constructor(core: Core, audit: Audit, parts: ConsentParts) {
    this.#core = core;
    this.#audit = audit;
    this.#preparation = new Preparation(core, parts.providers);
    this.#consents = new WorkerConsents(core, parts);
    this.#keys = new AdministratorKeys(parts);
  }

  /**
   * The row with how users consent to it, and the changes that belong to it. `given`: `mcp.oauth2` of the request;
   * `challenge`: of the worker's answer without a token, if it wanted one. Throws `malformed_request`.
   */
  async prepared(
    principal: Principal,
    row: WorkerRow,
    {
      before,
      given,
      challenge,
    }: { before?: WorkerRow; given?: Given | undefined; challenge?: string | undefined },
  ): Promise<{ row: WorkerRow; change: Change<void> }> {
    const access = accessOf(before ?? row);
    const moved = access !== undefined && access.uri !== row.uri;
    const isOpen = access === undefined || access.problem !== undefined;
    // A worker with keys of users wants such a key, as far as its record does not say that it wants a token.
    const wantsToken = asksForConsent(row, challenge) && userKeyIdsOf(row).length === 0;
    const isNeeded = given !== undefined || moved || (wantsToken && isOpen);
    if (typeOf(row) !== "mcp" || !isNeeded) return { row, change: NOTHING };
    const prepared = await this.#prepare(principal, row, { access, given, challenge });
    return { row: withAccess(row, prepared.access), change: prepared.change };
  }

  /** Deletes what belongs to a worker, as a part of the transaction that deletes it. */
  removal(principal: Principal, row: WorkerRow): Change<void> {
    const worker = { projectId: row.project_id, id: row.id };
    return this.#preparation.removal(principal, worker, accessOf(row));
  }

  /**
   * Starts the consent of an administrator; undefined for a worker that wants none. Throws `tool_requirements_not_met` with
   * what must be done first. `challenge`: what the worker asks for now.
   */
  async authorize(
    principal: Principal,
    worker: KnownWorker,
    request: AuthorizeRequest,
    challenge: string | undefined,
  ): Promise<WorkerAuthorization | undefined> {
    const { row: stored, fixed } = worker;
    const keys = await this.#keys.authorize(principal, stored, request);
    if (keys !== undefined) {
      const row = await this.#withKeyUser(principal, worker, keys.user);
      if (keys.authorization.status !== "completed" || accessOf(row) === undefined)
        return answerOf(row, keys, request);
    }
    let row = stored;
    const known = accessOf(row);
    if (known === undefined && !asksForConsent(row, challenge)) return undefined;
    if (fixed !== undefined)
      throw requirementsNotMet(
        `The worker "${row.id}" of the configuration wants a token. Users can only consent to workers that are created.`,
      );
    if (known === undefined || known.problem !== undefined) {
      const prepared = await this.#prepare(principal, row, { access: known, challenge });
      row = await this.#store(principal, row, prepared);
    }
    const access = accessOf(row);
    if (access === undefined) throw new Error("a prepared worker has no access");
    const { user, authorization } = await this.#consents.authorize(
      principal,
      { id: row.id, access },
      request,
    );
    if (access.user !== user)
      await this.#store(principal, row, { access: { ...access, user }, change: NOTHING });
    return answerOf(row, { user, authorization }, request);
  }

  /**
   * Looks whether the worker still names the issuer that users consented at, and stops it otherwise. Returns why it is
   * stopped.
   */
  async recheck(worker: KnownWorker): Promise<string | undefined> {
    const { row, fixed } = worker;
    const access = accessOf(row);
    if (access === undefined || fixed !== undefined) return undefined;
    const by = { kind: "server", projectId: row.project_id } as const;
    const given = configOf(row).oauth2 ?? {};
    const prepared = await this.#preparation.recheck(by, { worker: keyOf(row), given }, access);
    if (prepared === undefined) return access.stopped === true ? access.problem : undefined;
    // If it has been changed meanwhile, the next reading looks again.
    await this.#store(by, row, prepared).catch((error: unknown) => {
      if (!isConflict(error)) throw error;
    });
    if (prepared.access.stopped)
      this.#core.log.warn("a worker names another issuer and was stopped", {
        project_id: row.project_id,
        id: row.id,
      });
    return prepared.access.stopped === true ? prepared.access.problem : undefined;
  }

  /** Own keys of the administrator, for a worker that sends keys of users. */
  keysFor({ row }: KnownWorker): Promise<Pick<AskOptions, "userId" | "userKeys">> {
    return this.#keys.of(row);
  }

  /** Calls `ask` with the token of the administrator's consent, if there is one for this address. */
  async withToken<T>({ row }: KnownWorker, ask: (token: Redacted | undefined) => Promise<T>): Promise<T> {
    const access = accessOf(row);
    const isForAddress = access?.uri === row.uri && access.stopped === undefined;
    return this.#consents.withToken(row.project_id, isForAddress ? access : undefined, ask);
  }

  /** Whether the client of the worker's consents has this secret. */
  async hasClientSecret(row: WorkerRow, client_secret: string | undefined): Promise<boolean> {
    const access = accessOf(row);
    return access !== undefined && this.#consents.hasClientSecret(row.project_id, access, client_secret);
  }

  /** Undefined for a worker that wants no tokens, as far as is known. */
  async facts({ row }: KnownWorker): Promise<AccessFacts | undefined> {
    const access = accessOf(row);
    if (access === undefined) return undefined;
    const { project_id: projectId } = row;
    return {
      ...(await this.#consents.shown(projectId, access)),
      met: access.user === undefined ? undefined : await this.#consents.isMet(projectId, access),
      ...(access.problem === undefined ? {} : { problem: access.problem }),
    };
  }

  async #prepare(
    principal: Principal,
    row: WorkerRow,
    {
      access,
      given,
      challenge,
    }: { access: WorkerAccess | undefined; given?: Given | undefined; challenge: string | undefined },
  ): Promise<Prepared> {
    const settings: GivenOAuth2 = { ...configOf(row).oauth2, register: given?.register };
    // One that was given before there was a provider to store it.
    const waiting =
      access?.client === undefined ? (await openOrLost(this.#core.keyring, row)).client_secret : undefined;
    const client_secret = given?.client_secret ?? waiting;
    return this.#preparation.prepare(principal, {
      worker: keyOf(row),
      given: { ...settings, client_secret },
      before: access,
      challenge,
    });
  }

  /** Stores with whose keys the catalog is read. One of the configuration is read with those of its own user. */
  async #withKeyUser(by: Principal, { row, fixed }: KnownWorker, user: string): Promise<WorkerRow> {
    if (fixed !== undefined || keyUserOf(row) === user) return row;
    const before = { key_user: keyUserOf(row) };
    const config = JSON.stringify({ ...configOf(row), key_user: user });
    return this.#storeRow(by, row, {
      next: { ...row, config },
      change: NOTHING,
      before,
      after: { key_user: user },
    });
  }

  /** Stores what was prepared. Throws `conflict` if the worker has changed since. */
  #store(by: Writer, row: WorkerRow, { access, change }: Prepared): Promise<WorkerRow> {
    const before = { authorization: accessOf(row) ?? null };
    return this.#storeRow(by, row, {
      next: withAccess(row, access),
      change,
      before,
      after: { authorization: access },
    });
  }

  async #storeRow(
    by: Writer,
    row: WorkerRow,
    {
      next: changed,
      change,
      before,
      after,
    }: { next: WorkerRow; change: Change<void>; before: object; after: object },
  ): Promise<WorkerRow> {
    const { store, clock } = this.#core;
    const audit = this.#audit;
    const next = { ...changed, version: row.version + 1, updated_at: clock.now() };
    await store.write(function* (): Transaction<void> {
      const now = yield* repository.workerInTransaction(row.project_id, row.id);
      if (now?.version !== row.version)
        throw conflict("The worker has just been changed by somebody else. Try again.");
      yield* repository.updateWorker(next);
      yield* change.body();
      yield* audit.record(by, "worker.update", row.id, { before, after });
    });
    change.committed?.();
    return next;
  }
}

function answerOf(
  row: WorkerRow,
  { user, authorization }: { user: string; authorization: Authorization },
  request: AuthorizeRequest,
): WorkerAuthorization {
  const { id: authorization_id, status, scopes, url } = authorization;
  return {
    worker_id: row.id,
    user_id: user,
    status,
    scopes,
    authorization_id,
    ...(url === undefined ? {} : { url }),
    ...(request.next_uri === undefined ? {} : { next_uri: request.next_uri }),
  };
}

/** How users consent to a worker, if it wants tokens. */
export function accessOf(row: Pick<WorkerRow, "config">): WorkerAccess | undefined {
  return configOf(row).authorization;
}

/**
 * Whether an answer asks for a token of the user. A worker that is told who calls may refuse that token with the same status,
 * and in `Authorization` there is place for one only.
 */
function asksForConsent(row: WorkerRow, challenge: string | undefined): boolean {
  const header = configOf(row).identity_header?.toLowerCase();
  if (header === "authorization") return false;
  return challenge !== undefined && (header === undefined || challenge !== "");
}

function withAccess(row: WorkerRow, authorization: WorkerAccess): WorkerRow {
  return { ...row, config: JSON.stringify({ ...configOf(row), authorization }) };
}

function keyOf({ project_id: projectId, id, uri }: WorkerRow) {
  return { projectId, id, uri };
}

const NOTHING: Change<void> = { *body() {} };
