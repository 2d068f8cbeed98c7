// What users granted at providers: store, read, refresh, forget. The token leaves this area only as `Redacted`, for
// the hosts of its own platform.
import type { Json, JsonText, Page } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { notFound } from "../errors";
import { maySee, type Principal } from "../identity";
import type { Provider, Providers } from "../providers";
import type { Transaction } from "../store";
import { GrantStore } from "./grant-store";
import { type KeptConnection, type LiveGrant, LiveGrants } from "./live";
import { ConnectionPages, hasExpired, isUsable } from "./pages";
import { canRefresh, Refresher } from "./refresh";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { revokeGrant } from "./revoke";
import type { ConnectionsFilter, UserConnection } from "./schema";
import { TokenRequestError } from "./token-request-error";
import { openTokens, TokensLost } from "./tokens";

/** Which grant it was: a connection, and which of its tokens. */
type UsedGrant = Pick<LiveGrant, "connectionId" | "version">;

/** What is known of a user's grant without asking anybody. */
export interface GrantState {
  connectionId: string;
  userId: string;
  providerId: string;
  /** The token works, or can be refreshed. */
  usable: boolean;
  /** Why it does not. */
  reason: string | undefined;
  scopes: readonly string[];
}

export class Connections {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #providers: Providers;
  readonly #refresher: Refresher;
  readonly #grants: GrantStore;
  readonly #pages: ConnectionPages;
  readonly #live: LiveGrants;

  constructor(core: Core, audit: Audit, providers: Providers) {
    this.#core = core;
    this.#audit = audit;
    this.#providers = providers;
    this.#refresher = new Refresher(core, providers);
    this.#grants = new GrantStore(core, audit);
    this.#live = new LiveGrants(core);
    this.#pages = new ConnectionPages(core, providers, this.#live);
  }

  /** A page of connections; see `ConnectionPages`. */
  list(principal: Principal, query: ConnectionsFilter): Promise<Page<UserConnection>> {
    return this.#pages.list(principal, query);
  }

  /** The same as JSON, from memory while nothing has changed. */
  listing(principal: Principal, query: ConnectionsFilter): Promise<Page<UserConnection> | JsonText> {
    return this.#pages.listing(principal, query);
  }

  /** Forgets the tokens: the user's next call needs consent. Throws `not_found`. */
  async delete(principal: Principal, id: string): Promise<void> {
    const row = await this.#core.store.write(() => this.#delete(principal, id));
    await this.#revoke(row);
  }

  /** What the provider told of the user, by its user info request. */
  userInfo(projectId: string, id: string): Promise<Json | undefined> {
    return this.#live.userInfo(projectId, id);
  }

  /** What the user has granted at the provider, from the database alone; undefined when nothing. */
  async state(projectId: string, userId: string, provider: Provider): Promise<GrantState | undefined> {
    const kept = await this.#live.ofUser(projectId, userId, provider.id);
    return kept === undefined ? undefined : this.#stateOf(kept, provider);
  }

  /** The same by the connection's own id. */
  async stateById(projectId: string, id: string): Promise<GrantState | undefined> {
    const kept = await this.#live.byId(projectId, id);
    if (kept === undefined) return undefined;
    return this.#stateOf(kept, await this.#providers.find(projectId, kept.row.provider_id));
  }

  /**
   * The state of a connection whose token, where it has expired, was refreshed: whether the provider still accepts the
   * grant is known then. A provider that cannot be asked leaves it as it was.
   */
  async stateNow(projectId: string, id: string): Promise<GrantState | undefined> {
    const kept = await this.#live.byId(projectId, id);
    if (kept !== undefined && hasExpired(kept.row, this.#core.clock.now())) await this.#refreshed(kept.row);
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
   * The user's token, refreshed when it is time. Undefined when the user must consent (again): also where the stored
   * tokens cannot be opened, which the log says.
   * Throws `TokenRequestError` (transient) when a needed refresh failed for a reason that may pass.
   */
  async grant(projectId: string, userId: string, provider: Provider): Promise<LiveGrant | undefined> {
    const kept = await this.#live.ofUser(projectId, userId, provider.id);
    if (kept === undefined || kept.row.status !== "active") return undefined;
    return this.#unlessLost(kept.row, async () => {
      const fresh = await this.#refresher.fresh(kept.row, provider);
      if (fresh === undefined) return undefined;
      return fresh === kept.row ? this.#live.of(kept) : this.#live.opened(fresh);
    });
  }

  /** A newer token than `used`, which the platform refused; undefined when there is none to be had. */
  async renew(
    projectId: string,
    userId: string,
    provider: Provider,
    used: LiveGrant,
  ): Promise<LiveGrant | undefined> {
    const kept = await this.#live.ofUser(projectId, userId, provider.id);
    if (kept === undefined || kept.row.status !== "active") return undefined;
    return this.#unlessLost(kept.row, async () => {
      if (kept.row.version !== used.version) return this.#live.of(kept);
      if (!canRefresh(kept.row, provider)) return undefined;
      const fresh = await this.#refresher.refresh(kept.row, provider);
      return fresh === undefined ? undefined : this.#live.opened(fresh);
    });
  }

  async #unlessLost(
    row: ConnectionRow,
    work: () => Promise<LiveGrant | undefined>,
  ): Promise<LiveGrant | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TokensLost)) throw error;
      this.#core.log.error("tokens of a connection cannot be opened", { connection_id: row.id, error });
      const used = { connectionId: row.id, version: row.version };
      await this.markDead(
        row.project_id,
        used,
        "the stored tokens cannot be opened; the user must consent again",
      );
      return undefined;
    }
  }

  /** The platform no longer accepts the grant: it becomes an unmet requirement and is not tried again. */
  async markDead(projectId: string, used: UsedGrant, reason: string): Promise<void> {
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
    const row = yield* repository.connectionByIdInTransaction(principal.projectId, id);
    if (row === undefined || !maySee(principal, row.user_id))
      throw notFound("There is no connection with this id in this project.");
    yield* repository.deleteConnection(row);
    yield* this.#audit.record(principal, "connection.delete", id);
    return row;
  }

  /** Ends the grant at the provider too, unless another connection lives, or may live, on the same account there. */
  async #revoke(row: ConnectionRow): Promise<void> {
    const provider = await this.#providers.find(row.project_id, row.provider_id);
    if (provider?.oauth2.revoke === undefined) return;
    if (!provider.oauth2.revokesSingleGrant && (await this.#mayBeShared(row, provider))) {
      this.#core.log.info("a grant was not ended at its provider: another connection may live on it", {
        connection_id: row.id,
      });
      return;
    }
    const tokens = await openTokens(this.#core.keyring, row).catch((error: unknown) => {
      if (!(error instanceof TokensLost)) throw error;
      this.#core.log.warn("a grant was not ended at its provider: its tokens cannot be opened", {
        connection_id: row.id,
      });
    });
    if (tokens === undefined) return;
    await revokeGrant(this.#core, provider, await this.#providers.clientKeys(provider), tokens);
  }

  // The provider ends all that a client holds of an account. Not every provider says whose account it is: then any other
  // connection of the client may be of the same.
  async #mayBeShared({ account }: ConnectionRow, provider: Provider): Promise<boolean> {
    const { store } = this.#core;
    if (account !== null && (await repository.isAccountUsed(store, account))) return true;
    for (const place of await this.#providers.listByClient(provider)) {
      if (await repository.anyLives(store, place, account === null ? "all" : "unknown")) return true;
    }
    return false;
  }

  *#markDead(projectId: string, used: UsedGrant, reason: string): Transaction<void> {
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

  #stateOf({ row, scopes }: KeptConnection, provider: Provider | undefined): GrantState {
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
