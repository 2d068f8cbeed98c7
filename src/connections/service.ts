// What users granted at providers: store, read, refresh, forget. The token leaves this area only as `Redacted`, for
// the hosts of its own platform.
import { type Json, type JsonObject, type Page, page, paging, type Redacted } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { forbidden, notFound } from "../errors";
import { actorOf, maySee, type Principal } from "../identity";
import type { Provider, Providers } from "../providers";
import { type Transaction } from "../store";
import { GrantStore } from "./grant-store";
import { canRefresh, Refresher } from "./refresh";
import * as repository from "./repository";
import type { ConnectionRow, ListedConnection } from "./repository";
import { revokeGrant } from "./revoke";
import type { ConnectionsFilter, UserConnection } from "./schema";
import { openKnown, openTokens } from "./tokens";

/** A grant that a tool may run with. */
export interface LiveGrant {
  connectionId: string;
  version: number;
  token: Redacted;
  scopes: string[];
  facts: JsonObject;
  /** What the user info request gave. */
  userInfo?: Json;
}

/** What is known of a user's grant without asking anybody. */
export interface GrantState {
  connectionId: string;
  userId: string;
  providerId: string;
  /** The token works, or can be refreshed. */
  usable: boolean;
  /** Why it does not. */
  reason: string | undefined;
  scopes: string[];
}

export class Connections {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #providers: Providers;
  readonly #refresher: Refresher;
  readonly #grants: GrantStore;

  constructor(core: Core, audit: Audit, providers: Providers) {
    this.#core = core;
    this.#audit = audit;
    this.#providers = providers;
    this.#refresher = new Refresher(core, providers);
    this.#grants = new GrantStore(core, audit);
  }

  /** A key that is pinned to users sees theirs only, one user at a time. Throws `forbidden` for anybody else's. */
  async list(principal: Principal, query: ConnectionsFilter): Promise<Page<UserConnection>> {
    const { store } = this.#core;
    const { projectId } = principal;
    const window = paging(query);
    const filter = { userId: userToList(principal, query.user_id), providerId: query.provider_id };
    const rows = await repository.listConnections(store, projectId, filter, window.limit, window.offset);
    const total = await repository.countConnections(store, projectId, filter);
    const providers = new Map<string, Provider | undefined>();
    for (const { provider_id: id } of rows) {
      if (!providers.has(id)) providers.set(id, await this.#providers.find(projectId, id));
    }
    const records = rows.map((row) => this.#record(row, providers.get(row.provider_id)));
    for (const record of records) {
      // Sealed, and of few providers: read apart, so that other lists need not carry it.
      if (providers.get(record.provider_id)?.oauth2.userInfo === undefined) continue;
      const userInfo = await this.userInfo(projectId, record.id);
      if (userInfo !== undefined) record.provider_user_info = userInfo;
    }
    return page(records, total, window);
  }

  /** Forgets the tokens: the user's next call needs consent. Throws `not_found`. */
  async delete(principal: Principal, id: string): Promise<void> {
    const row = await this.#core.store.write(() => this.#delete(principal, id));
    await this.#revoke(row);
  }

  /** What the provider told of the user, by its user info request. */
  async userInfo(projectId: string, id: string): Promise<Json | undefined> {
    const row = await repository.findConnectionById(this.#core.store, projectId, id);
    return row === undefined ? undefined : (await openKnown(this.#core.keyring, row)).userInfo;
  }

  /** What the user has granted at the provider, from the database alone; undefined when nothing. */
  async state(projectId: string, userId: string, provider: Provider): Promise<GrantState | undefined> {
    const row = await repository.findConnection(this.#core.store, projectId, userId, provider.id);
    return row === undefined ? undefined : this.#stateOf(row, provider);
  }

  /** The same by the connection's own id. */
  async stateById(projectId: string, id: string): Promise<GrantState | undefined> {
    const row = await repository.findConnectionById(this.#core.store, projectId, id);
    if (row === undefined) return undefined;
    return this.#stateOf(row, await this.#providers.find(projectId, row.provider_id));
  }

  /**
   * The user's token, refreshed when it is time. Undefined when the user must consent (again).
   * Throws `TokenRequestError` (transient) when a needed refresh failed for a reason that may pass.
   */
  async grant(projectId: string, userId: string, provider: Provider): Promise<LiveGrant | undefined> {
    const row = await repository.findConnection(this.#core.store, projectId, userId, provider.id);
    if (row === undefined || row.status !== "active") return undefined;
    const fresh = await this.#refresher.fresh(row, provider);
    return fresh === undefined ? undefined : this.#live(fresh);
  }

  /** A newer token than `used`, which the platform refused; undefined when there is none to be had. */
  async renew(
    projectId: string,
    userId: string,
    provider: Provider,
    used: LiveGrant,
  ): Promise<LiveGrant | undefined> {
    const row = await repository.findConnection(this.#core.store, projectId, userId, provider.id);
    if (row === undefined || row.status !== "active") return undefined;
    if (row.version !== used.version) return this.#live(row);
    if (!canRefresh(row, provider)) return undefined;
    const fresh = await this.#refresher.refresh(row, provider);
    return fresh === undefined ? undefined : this.#live(fresh);
  }

  /** The platform no longer accepts the grant: it becomes an unmet requirement and is not tried again. */
  async markDead(projectId: string, used: LiveGrant, reason: string): Promise<void> {
    await this.#core.store.write(() => this.#markDead(projectId, used, reason));
  }

  /** The platform says which scopes the token really holds: what it lacks is no longer claimed. */
  async narrow(projectId: string, used: LiveGrant, lost: readonly string[]): Promise<void> {
    await this.#core.store.write(() => this.#narrow(projectId, used, lost));
  }

  /** Stores a grant; see `GrantStore`. */
  store(...args: Parameters<GrantStore["store"]>): Promise<void> {
    return this.#grants.store(...args);
  }

  *#delete(principal: Principal, id: string): Transaction<ConnectionRow> {
    const { projectId } = principal;
    const row = yield* repository.connectionByIdInTransaction(projectId, id);
    if (row === undefined || !maySee(principal, row.user_id))
      throw notFound("There is no connection with this id in this project.");
    yield* repository.deleteConnection(row);
    yield* this.#audit.record({
      projectId,
      actor: actorOf(principal),
      action: "connection.delete",
      target: id,
    });
    return row;
  }

  /** Ends the grant at the provider too, unless another connection lives on the same account there. */
  async #revoke(row: ConnectionRow): Promise<void> {
    const provider = await this.#providers.find(row.project_id, row.provider_id);
    if (provider?.oauth2.revoke === undefined) return;
    const mayBeShared = row.account !== null && !provider.oauth2.revokesAlone;
    if (mayBeShared && (await repository.isAccountUsed(this.#core.store, row.account ?? ""))) return;
    const tokens = await openTokens(this.#core.keyring, row);
    const keys = {
      secret: await this.#providers.clientSecret(provider),
      privateKey: await this.#providers.privateKey(provider),
    };
    await revokeGrant(this.#core, provider, keys, tokens);
  }

  *#markDead(projectId: string, used: LiveGrant, reason: string): Transaction<void> {
    const row = yield* repository.connectionByIdInTransaction(projectId, used.connectionId);
    // A newer token is somebody else's business: it has not been refused yet.
    if (row === undefined || row.version !== used.version || row.status !== "active") return;
    const updated_at = this.#core.clock.now();
    yield* repository.updateConnection({ ...row, status: "expired", status_reason: reason, updated_at });
  }

  *#narrow(projectId: string, used: LiveGrant, lost: readonly string[]): Transaction<void> {
    const row = yield* repository.connectionByIdInTransaction(projectId, used.connectionId);
    if (row === undefined || row.version !== used.version) return;
    const scopes: string[] = JSON.parse(row.scopes);
    const kept = scopes.filter((scope) => !lost.includes(scope));
    if (kept.length === scopes.length) return;
    const updated_at = this.#core.clock.now();
    yield* repository.updateConnection({ ...row, scopes: JSON.stringify(kept), updated_at });
  }

  #stateOf(row: ConnectionRow, provider: Provider | undefined): GrantState {
    const usable = this.#usable(row, provider);
    return {
      connectionId: row.id,
      userId: row.user_id,
      providerId: row.provider_id,
      usable,
      reason: row.status_reason ?? (usable ? undefined : "the grant has expired and cannot be renewed"),
      scopes: JSON.parse(row.scopes),
    };
  }

  /** The token works, or can be refreshed. */
  #usable(row: ListedConnection, provider: Provider | undefined): boolean {
    const refreshable = provider !== undefined && canRefresh(row, provider);
    return row.status === "active" && (refreshable || !this.#expired(row));
  }

  #expired(row: ListedConnection): boolean {
    return row.expires_at !== null && row.expires_at <= this.#core.clock.now();
  }

  async #live(row: ConnectionRow): Promise<LiveGrant> {
    const tokens = await openTokens(this.#core.keyring, row);
    return {
      connectionId: row.id,
      version: row.version,
      token: tokens.accessToken,
      scopes: JSON.parse(row.scopes),
      facts: tokens.facts,
      ...(tokens.userInfo === undefined ? {} : { userInfo: tokens.userInfo }),
    };
  }

  #record(row: ListedConnection, provider: Provider | undefined): UserConnection {
    return {
      id: row.id,
      connection_id: row.id,
      connection_status: this.#usable(row, provider) ? "active" : "expired",
      provider_id: row.provider_id,
      provider_type: "oauth2",
      ...(provider?.description === undefined ? {} : { provider_description: provider.description }),
      scopes: JSON.parse(row.scopes),
      user_id: row.user_id,
    };
  }
}

function userToList(principal: Principal, userId: string | undefined): string | undefined {
  const pinned = principal.kind === "key" ? principal.users : null;
  const bound = principal.kind === "user" ? [principal.userId] : pinned;
  if (bound === null) return userId;
  const wanted = userId ?? (bound.length === 1 ? bound[0] : undefined);
  if (wanted !== undefined && bound.includes(wanted)) return wanted;
  throw forbidden("This credential is bound to certain users: name one of them in user_id.");
}
