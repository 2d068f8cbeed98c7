// Starts consents and reports their status to agents and scripts. The browser's part is `consent.ts`.
import { type Actor, type Audit, type ProjectReference, requireIncarnation } from "../audit";
import type { Core } from "../core";
import { type Connections, type GrantState, missingScopes, unionOfScopes } from "../connections";
import { hashOf, newId, newToken } from "../crypto";
import { invalidParameter, malformedRequest, requirementsNotMet, unknownRecord } from "../errors";
import { actFor, maySee, maySend, type Principal, type SignInMethod, type Suspensions } from "../identity";
import type { Limits } from "../limits";
import type { Provider, Providers } from "../providers";
import type { SessionSettings } from "../settings";
import type { Transaction } from "../store";
import { flowRecord, shownTo, placeOf, UNOPENED_MS, emptyFlow } from "./flow";
import { type Full, NewFlows } from "./pending";
import { completedWithoutGrant } from "./pending-repository";
import { checkNextUri } from "./next-uri";
import { checkScopes } from "./asked-scopes";
import * as repository from "./repository";
import type { FlowRow } from "./repository";
import type { Authorization, AuthorizationInitiation } from "./schema";
import { checkPassable, userCheckOf } from "./user-check";

/** Slows down clients that poll a failed flow without a pause. */
const FAILED_DELAY_MS = 2000;
/** Expiry of a flow does not change the database, so waiting requests check it at this interval. */
const POLL_MS = 500;
const DAY_MS = 24 * 3600_000;

export interface ScopesRequest {
  projectId: string;
  /** Of the caller's project. */
  incarnation?: string | undefined;
  /** Who asked for them; default: this server. */
  actor?: Actor | undefined;
  userId: string;
  provider: Provider;
  /** The scopes that are needed. */
  scopes: readonly string[];
  nextUri?: string | undefined;
  /** Starts a consent also if nothing is missing. */
  renews?: boolean;
}

export interface PendingConsents {
  /** Whether one of them requests all of these scopes. */
  covers(scopes: readonly string[]): boolean;
  /** The newest one that does. */
  covering(scopes: readonly string[]): Promise<Authorization | undefined>;
}

export class AuthorizationService {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #connections: Connections;
  readonly #settings: SessionSettings;
  readonly #newFlows: NewFlows;
  readonly #audit: Audit;
  readonly #suspensions: Suspensions;
  readonly #methodOf: (projectId: string) => Promise<SignInMethod>;

  constructor(
    core: Core,
    parts: {
      providers: Providers;
      connections: Connections;
      settings: SessionSettings;
      limits: Limits;
      audit: Audit;
      suspensions: Suspensions;
      /** How people sign in to a project. */
      methodOf: (projectId: string) => Promise<SignInMethod>;
    },
  ) {
    this.#suspensions = parts.suspensions;
    this.#methodOf = parts.methodOf;
    this.#core = core;
    this.#audit = parts.audit;
    this.#providers = parts.providers;
    this.#connections = parts.connections;
    this.#settings = parts.settings;
    this.#newFlows = new NewFlows(core, parts.limits);
  }

  /** Starts a consent for scopes of a provider. Returns a completed one if all are already granted. */
  async authorize(principal: Principal, request: AuthorizationInitiation): Promise<Authorization> {
    const userId = actFor(principal, request.user_id);
    const { id, provider_id, oauth2 } = request.auth_requirement;
    if (id === undefined && provider_id === undefined) {
      throw malformedRequest("auth_requirement needs id or provider_id.");
    }
    const chosen = await this.#providers.choose(principal.projectId, { id, provider_id });
    if (chosen.provider === undefined)
      throw requirementsNotMet(
        `${chosen.reason}.`,
        chosen.unknown ? unknownRecord(`auth_requirement.${id === undefined ? "provider_id" : "id"}`) : {},
      );
    const { projectId, incarnation } = principal;
    const scopes = oauth2?.scopes ?? [];
    return this.forScopes({
      projectId,
      incarnation,
      actor: principal,
      userId,
      provider: chosen.provider,
      scopes,
      nextUri: request.next_uri,
    });
  }

  /**
   * Requests the granted and the needed scopes. An equal request returns the same pending authorization.
   * Throws `invalid_parameter` for an invalid `next_uri`, too long scopes, or without a user verification, and what
   * `checkPassable` and `NewFlows.add` throw.
   */
  async forScopes(request: ScopesRequest): Promise<Authorization> {
    const { projectId, userId, provider } = request;
    await this.#suspensions.check(projectId, userId);
    checkScopes(provider, request.scopes);
    const allowed = this.#core.settings["redirects.allow"];
    const nextUri = request.nextUri === undefined ? null : checkNextUri(request.nextUri, allowed);
    const known = await this.#connections.state(projectId, userId, provider);
    const state = known && (await this.#connections.stateNow(projectId, known.connectionId));
    if (
      request.renews !== true &&
      state?.usable &&
      missingScopes(state.scopes, request.scopes, provider.oauth2.scopeAliases).length === 0
    ) {
      return this.#completed(projectId, state.connectionId, state);
    }
    const method = await this.#methodOf(projectId);
    checkPassable(userCheckOf(this.#core, await this.#settings.of(projectId), method), userId);
    return this.#start(request, nextUri, state?.scopes ?? []);
  }

  /** Creates a completed flow for tools that need no grant, because callers poll the id of every authorization. */
  async createCompleted(project: ProjectReference, userId: string): Promise<Authorization> {
    const { projectId } = project;
    await this.#suspensions.check(projectId, userId);
    const now = this.#core.clock.now();
    const row: FlowRow = {
      ...emptyFlow(newId("ar", now, this.#core.random), projectId, userId, now),
      status: "completed",
      finished_at: now,
    };
    const newFlows = this.#newFlows;
    const stored = await newFlows.added(projectId, function* () {
      yield* requireIncarnation(project);
      // Of the last day, so that it can be polled for days.
      const known = yield* completedWithoutGrant(projectId, userId, now - DAY_MS);
      return known ?? (yield* newFlows.add(row, now));
    });
    return flowRecord(this.#core, stored);
  }

  /** The pending consents of the user at the provider. */
  async pending(projectId: string, userId: string, provider: Provider): Promise<PendingConsents> {
    const now = this.#core.clock.now();
    const rows = await repository.pendingFlows(this.#core.store, projectId, userId, provider.id, now);
    const pending = rows.map((row) => ({ row, scopes: JSON.parse(row.scopes) as string[] }));
    const { scopeAliases } = provider.oauth2;
    const find = (scopes: readonly string[]): FlowRow | undefined =>
      pending.find((each) => missingScopes(each.scopes, scopes, scopeAliases).length === 0)?.row;
    return {
      covers: (scopes) => find(scopes) !== undefined,
      covering: async (scopes) => {
        const row = find(scopes);
        return row === undefined ? undefined : flowRecord(this.#core, row);
      },
    };
  }

  /**
   * The flow's record. `waitSeconds`: waits for its end at most this long.
   * Throws `invalid_parameter` for an unknown id, and in the same way for that of another user.
   */
  async status(
    principal: Principal,
    id: string,
    waitSeconds = 0,
    signal?: AbortSignal,
  ): Promise<Authorization> {
    const { store, clock } = this.#core;
    const end = clock.monotonic() + waitSeconds * 1000;
    const first = await this.#read(principal, id);
    if (first.status === "failed" && waitSeconds > 0)
      await clock.sleep(Math.min(waitSeconds * 1000, FAILED_DELAY_MS), signal);
    if (first.status !== "pending") return first;
    for (;;) {
      const generation = await store.generation("authorizations");
      const record = await this.#read(principal, id);
      const left = end - clock.monotonic();
      if (record.status !== "pending" || left <= 0 || signal?.aborted) return record;
      const wait = { timeoutMs: Math.min(left, POLL_MS), ...(signal === undefined ? {} : { signal }) };
      await store.changed("authorizations", generation, wait);
    }
  }

  async #read(principal: Principal, id: string): Promise<Authorization> {
    const { projectId } = principal;
    if (id.startsWith("ac_")) {
      const connection = await this.#connections.stateById(projectId, id);
      if (connection !== undefined && maySee(principal, connection.userId)) {
        const state = await this.#connections.stateNow(projectId, id);
        if (state !== undefined) return this.#completed(projectId, id, state);
      }
    } else {
      const row = await repository.findFlow(this.#core.store, projectId, id);
      if (row !== undefined && maySee(principal, row.user_id))
        return shownTo(maySend(principal, row.user_id), await this.#current(row));
    }
    throw invalidParameter("There is no authorization with this id.", unknownRecord("id"));
  }

  // If the grant of a completed flow has become unusable, the caller must not continue.
  async #current(row: FlowRow): Promise<Authorization> {
    const record = await flowRecord(this.#core, row);
    if (row.status !== "completed" || row.connection_id === null) return record;
    const state = await this.#connections.stateNow(row.project_id, row.connection_id);
    if (state === undefined)
      return { ...record, status: "failed", status_reason: "the connection was deleted" };
    if (state.reason !== undefined) return { ...record, status: "failed", status_reason: state.reason };
    return {
      ...record,
      scopes: [...state.scopes],
      context: await this.#contextOf(row.project_id, row.connection_id),
    };
  }

  /** The record of an existing grant, with this id. */
  async #completed(projectId: string, id: string, state: GrantState): Promise<Authorization> {
    const { userId: user_id, providerId: provider_id, scopes, reason } = state;
    return {
      id,
      status: reason === undefined ? "completed" : "failed",
      ...(reason === undefined ? {} : { status_reason: reason }),
      user_id,
      provider_id,
      scopes: [...scopes],
      context: reason === undefined ? await this.#contextOf(projectId, state.connectionId) : {},
    };
  }

  async #contextOf(projectId: string, connectionId: string): Promise<Authorization["context"]> {
    const user_info = await this.#connections.userInfo(projectId, connectionId);
    return user_info === undefined ? {} : { user_info };
  }

  async #start(
    request: ScopesRequest,
    nextUri: string | null,
    granted: readonly string[],
  ): Promise<Authorization> {
    const { keyring, clock, random } = this.#core;
    const { projectId, userId, provider } = request;
    const now = clock.now();
    const id = newId("ar", now, random);
    const token = newToken(random);
    // Sorted, so that the order of scopes does not matter.
    const needed = [...new Set(request.scopes)].toSorted();
    const row: FlowRow = {
      ...emptyFlow(id, projectId, userId, now),
      provider_id: provider.id,
      provider_version: provider.version,
      needed: JSON.stringify(needed),
      scopes: JSON.stringify(
        unionOfScopes(unionOfScopes(granted, needed), provider.oauth2.defaultScopes ?? []),
      ),
      next_uri: nextUri,
      address_hash: hashOf(token),
      sealed_address: await keyring.seal(projectId, placeOf(id, "address"), token),
      expires_at: now + UNOPENED_MS,
    };
    const stored = await this.#newFlows.added(projectId, () => this.#findOrAdd(request, row, now));
    if (stored.id === id) this.#core.telemetry.count("consent", { event: "begun" });
    return flowRecord(this.#core, stored);
  }

  *#findOrAdd(request: ScopesRequest, row: FlowRow, now: number): Transaction<FlowRow | Full> {
    const { projectId, incarnation, actor } = request;
    yield* requireIncarnation({ projectId, incarnation });
    const { project_id, user_id, provider_id } = row;
    const rows = yield* repository.pendingInTransaction(project_id, user_id, provider_id ?? "", now);
    const same = rows.find(
      (known) =>
        known.used_at === null &&
        known.provider_version === row.provider_version &&
        known.needed === row.needed &&
        known.scopes === row.scopes &&
        known.next_uri === row.next_uri,
    );
    if (same !== undefined) return same;
    const added = yield* this.#newFlows.add(row, now);
    if ("setting" in added) return added;
    const by = actor ?? ({ kind: "server", projectId, incarnation } as const);
    yield* this.#audit.record(by, "consent.started", row.id, {
      user: user_id,
      details: { provider: provider_id, scopes: JSON.parse(row.needed) },
    });
    return added;
  }
}
