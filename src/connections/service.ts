// Connections: store, read, refresh, delete. A token leaves this area only as `Redacted`, for the hosts of its own
// platform.
import type { Json, JsonText, Page } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { notFound } from "../errors";
import { mayEnd, type Principal } from "../identity";
import type { Provider, Providers } from "../providers";
import type { Transaction } from "../store";
import { type Earlier, GrantStore, type NewGrant } from "./grant-store";
import { CachedConnection, type LiveGrant, LiveGrants } from "./live";
import { ConnectionPages, hasExpired, isUsable } from "./pages";
import { canRefresh, Refresher } from "./refresh";
import { isTemporary, RepeatedWrites } from "../repeated-writes";
import { endGrant, narrowGrant, restoreGrant, type UsedGrant } from "./grant-changes";
import { type OwnConnection, ownConnections } from "./own";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { addRevocation } from "./revocation-rows";
import { Revocations } from "./revocations";
import type { ConnectionsFilter, UserConnection } from "./schema";
import { TokenRequestError } from "./token-answer";
import type { TokenGrant } from "./token-request";
import { TokensLost } from "./tokens";

/** How long a stop waits for grants that are not stored. */
const CLOSE_MS = 10_000;

/** The state of a user's grant, from the database alone. */
export interface GrantState {
  connectionId: string;
  userId: string;
  providerId: string;
  /** The token is valid or can be refreshed. */
  usable: boolean;
  /** Why it is not usable. */
  reason: string | undefined;
  scopes: readonly string[];
}

/** A grant after a refusal of its earlier token. */
export interface RenewedGrant extends LiveGrant {
  /** False: another caller or a consent had stored it. */
  readonly isRefreshed: boolean;
}

export class Connections {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #providers: Providers;
  readonly revocations: Revocations;
  readonly #writes: RepeatedWrites;
  readonly #refresher: Refresher;
  readonly #grants: GrantStore;
  readonly #pages: ConnectionPages;
  readonly #live: LiveGrants;

  constructor(core: Core, audit: Audit, providers: Providers) {
    this.#core = core;
    this.#audit = audit;
    this.#providers = providers;
    this.#writes = new RepeatedWrites(core);
    this.revocations = new Revocations(core, providers, this.#writes);
    this.#refresher = new Refresher(core, providers, { writes: this.#writes, revocations: this.revocations });
    this.#grants = new GrantStore(core, audit, { refresher: this.#refresher, revocations: this.revocations });
    this.#live = new LiveGrants(core);
    this.#pages = new ConnectionPages(core, providers, this.#live);
  }

  /** A page of connections; see `ConnectionPages`. */
  list(principal: Principal, query: ConnectionsFilter): Promise<Page<UserConnection>> {
    return this.#pages.list(principal, query);
  }

  /** The same as JSON, cached until something changes. */
  listing(principal: Principal, query: ConnectionsFilter): Promise<Page<UserConnection> | JsonText> {
    return this.#pages.listing(principal, query);
  }

  /** The connections of one user, with what the user is told about them. */
  own(projectId: string, userId: string, most: number): Promise<OwnConnection[]> {
    return ownConnections(
      this.#core,
      { providers: this.#providers, live: this.#live },
      { projectId, userId, most },
    );
  }

  /** One connection. Throws `not_found`. */
  async get(principal: Principal, id: string): Promise<UserConnection> {
    const found = await this.#pages.get(principal, id);
    if (found !== undefined) return found;
    throw notFound("No connection with this id exists in this project.");
  }

  /** Deletes a connection: the user's next call needs consent. Throws `not_found`. */
  async delete(principal: Principal, id: string): Promise<void> {
    const { store } = this.#core;
    const row = await repository.findConnectionById(store, principal.projectId, id);
    const provider = row && (await this.#providers.find(row.project_id, row.provider_id));
    const revocation = provider?.oauth2.revoke === undefined ? undefined : this.revocations.newId();
    await store.write(() => this.#delete(principal, id, revocation));
    if (revocation !== undefined) await this.revocations.send(revocation);
  }

  /** The answer of the provider's user info request. */
  userInfo(projectId: string, id: string): Promise<Json | undefined> {
    return this.#live.userInfo(projectId, id);
  }

  /** The state of the user's grant at a provider; undefined if there is none. */
  async state(projectId: string, userId: string, provider: Provider): Promise<GrantState | undefined> {
    const cached = await this.#live.ofUser(projectId, userId, provider.id);
    return cached === undefined ? undefined : this.#stateOf(this.#newest(cached), provider);
  }

  /** The same by the connection's id. */
  async stateById(projectId: string, id: string): Promise<GrantState | undefined> {
    const cached = await this.#live.byId(projectId, id);
    if (cached === undefined) return undefined;
    return this.#stateOf(this.#newest(cached), await this.#providers.find(projectId, cached.row.provider_id));
  }

  /**
   * The same, after a refresh of an expired token, which shows whether the provider still accepts the grant. If the
   * provider cannot be reached, the state is unchanged.
   */
  async stateNow(projectId: string, id: string): Promise<GrantState | undefined> {
    const cached = await this.#live.byId(projectId, id);
    if (cached !== undefined && hasExpired(this.#refresher.newest(cached.row), this.#core.clock.now()))
      await this.#refreshed(cached.row);
    return this.stateById(projectId, id);
  }

  async #refreshed({ id, project_id, user_id, provider_id }: ConnectionRow): Promise<void> {
    const provider = await this.#providers.find(project_id, provider_id);
    if (provider?.active !== true) return;
    try {
      await this.grant(project_id, user_id, provider);
    } catch (error) {
      if (!(error instanceof TokenRequestError)) throw error;
      this.#core.log.warn("an expired token was not refreshed", { connection_id: id, error });
    }
  }

  /**
   * The user's grant with a valid token; undefined if the user must consent. Tokens that cannot be opened are logged and
   * need a new consent.
   * Throws `TokenRequestError` (transient) if a necessary refresh failed temporarily.
   */
  async grant(projectId: string, userId: string, provider: Provider): Promise<LiveGrant | undefined> {
    const cached = await this.#ofUser(projectId, userId, provider);
    if (cached?.row.status !== "active") return undefined;
    return this.#unlessLost(cached.row, async () => {
      const fresh = await this.#refresher.fresh(cached.row, provider);
      if (fresh === undefined) return undefined;
      return fresh === cached.row ? this.#live.of(cached) : this.#live.opened(fresh);
    });
  }

  /** The user's grant as it is stored: its token may have expired. Undefined if the user must consent. */
  async stored(projectId: string, userId: string, provider: Provider): Promise<LiveGrant | undefined> {
    const cached = await this.#ofUser(projectId, userId, provider);
    if (cached?.row.status !== "active") return undefined;
    return this.#unlessLost(cached.row, () => this.#live.of(cached));
  }

  /**
   * A newer token than `used`, which the platform refused; undefined if there is none. One that is stored already is not
   * refreshed, and may be refused as well.
   */
  async renew(
    projectId: string,
    userId: string,
    provider: Provider,
    used: LiveGrant,
  ): Promise<RenewedGrant | undefined> {
    const cached = await this.#ofUser(projectId, userId, provider);
    if (cached?.row.status !== "active") return undefined;
    return this.#unlessLost(cached.row, async () => {
      if (cached.row.token_version !== used.version)
        return { ...(await this.#live.of(cached)), isRefreshed: false };
      if (!canRefresh(cached.row, provider)) return undefined;
      const fresh = await this.#refresher.refresh(cached.row, provider);
      if (fresh === undefined) return undefined;
      // A consent or another process may have stored the tokens meanwhile.
      const isRefreshed = this.#refresher.isRefreshed(fresh);
      return { ...(await this.#live.opened(fresh)), isRefreshed };
    });
  }

  /** Waits for running refreshes, and for a bounded time until every answer of a provider is stored. */
  /** New grants that are not stored yet. */
  get unstored(): number {
    return this.#writes.pending;
  }

  async close(): Promise<void> {
    await this.#refresher.close();
    await this.#writes.close(CLOSE_MS);
    await this.revocations.close();
  }

  /** Repeats a write that stores a new grant until it succeeds, while the database is locked or the disk is full. */
  keep<T>(write: () => Promise<T>): Promise<T> {
    return this.#writes.run("a new grant", write, { isFinal: (error) => !isTemporary(error) });
  }

  async #ofUser(
    projectId: string,
    userId: string,
    provider: Provider,
  ): Promise<CachedConnection | undefined> {
    const cached = await this.#live.ofUser(projectId, userId, provider.id);
    return cached && this.#newest(cached);
  }

  /** With new tokens that are not stored yet. */
  #newest(cached: CachedConnection): CachedConnection {
    const newest = this.#refresher.newest(cached.row);
    return newest === cached.row ? cached : new CachedConnection(newest);
  }

  async #unlessLost<Grant extends LiveGrant>(
    row: ConnectionRow,
    work: () => Promise<Grant | undefined>,
  ): Promise<Grant | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TokensLost)) throw error;
      this.#core.log.error("tokens of a connection cannot be opened", { connection_id: row.id, error });
      const used = { connectionId: row.id, version: row.token_version };
      await this.markDead(
        row.project_id,
        used,
        "the stored tokens cannot be opened; the user must consent again",
      );
      return undefined;
    }
  }

  /** Marks a grant that the platform no longer accepts; the user must consent again. */
  async markDead(projectId: string, used: UsedGrant, reason: string): Promise<void> {
    await this.#core.store.write(() => endGrant(projectId, used, reason, this.#core.clock.now()));
  }

  /** Undoes `markDead` with this reason, unless the tokens have changed since. */
  async restore(projectId: string, used: UsedGrant, reason: string): Promise<void> {
    await this.#core.store.write(() => restoreGrant(projectId, used, reason, this.#core.clock.now()));
  }

  /** Removes scopes that the token does not have, according to the platform. */
  async narrow(projectId: string, used: LiveGrant, lost: readonly string[]): Promise<void> {
    await this.#core.store.write(() => narrowGrant(projectId, used, lost, this.#core.clock.now()));
  }

  /** Stores a grant, however long it takes; see `GrantStore`. */
  store(
    projectId: string,
    userId: string,
    provider: Provider,
    grant: TokenGrant,
    requestedScopes: readonly string[],
    body: NewGrant["body"],
  ): Promise<void> {
    const receivedAt = this.#grants.received();
    const given = { projectId, userId, provider, grant, receivedAt, requestedScopes, body };
    let earlier: Earlier | undefined;
    return this.keep(async () => {
      earlier ??= await this.#grants.earlier(given);
      await this.#grants.store(given, earlier);
    });
  }

  *#delete(principal: Principal, id: string, revocation: string | undefined): Transaction<void> {
    const row = yield* repository.connectionByIdInTransaction(principal.projectId, id);
    if (row === undefined || !mayEnd(principal, row.user_id))
      throw notFound("This project has no connection with this id.");
    yield* repository.deleteConnection(row);
    if (revocation !== undefined) yield* addRevocation(row, revocation, this.#core.clock.now());
    yield* this.#audit.record(principal, "connection.delete", id, {
      user: row.user_id,
      before: { provider: row.provider_id, status: row.status, scopes: JSON.parse(row.scopes) },
    });
  }

  #stateOf({ row, scopes }: CachedConnection, provider: Provider | undefined): GrantState {
    const usable = isUsable(row, provider, this.#core.clock.now());
    return {
      connectionId: row.id,
      userId: row.user_id,
      providerId: row.provider_id,
      usable,
      reason: row.status_reason ?? (usable ? undefined : "the grant has expired and cannot be renewed"),
      scopes,
    };
  }
}
