// Refreshes a token once, however many callers and processes need it. The callers of a process share a promise, processes
// share a lease with a fence. The new tokens are stored before any caller uses them.
import type { JsonObject } from "../base";
import type { Core } from "../core";
import { newToken } from "../crypto";
import type { ClientKeys, Provider, Providers } from "../providers";
import { type Lease, releaseLease, stillHeld, takeLease, type Transaction } from "../store";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { withDetails } from "./extra-requests";
import { refreshTokens, type TokenGrant } from "./token-request";
import { TokenRequestError } from "./token-answer";
import { mergeAccountInfo, openTokens, refreshTime, sealTokens } from "./tokens";

/** How much longer the lease is than the longest token request. */
const LEASE_MARGIN_MS = 15_000;
/** How long a caller waits for a refresh by another process. */
const PATIENCE_MS = 90_000;
/** Error codes of several platforms for a dead grant (RFC 6749 section 5.2). */
const DEAD_GRANT = [
  "invalid_grant",
  "invalid_refresh_token",
  "token_revoked",
  "account_inactive",
  "invalid_code",
];
const DEAD_REASON = "the provider no longer accepts the grant; the user must consent again";
const OTHER_ACCOUNT =
  "the provider answered a refresh with the token of another account; the user must consent again";

type RefreshStart =
  | { kind: "lease"; lease: Lease; row: ConnectionRow }
  | { kind: "done"; row: ConnectionRow | undefined }
  | "busy";

/** Without a `refresh_request` in the provider's record, users consent again when a token expires. */
export function canRefresh(row: Pick<ConnectionRow, "has_refresh">, provider: Provider): boolean {
  return row.has_refresh === 1 && provider.oauth2.refresh !== undefined;
}

export class Refresher {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #running = new Map<string, Promise<ConnectionRow | undefined>>();
  readonly #holder: string;

  constructor(core: Core, providers: Providers) {
    this.#core = core;
    this.#providers = providers;
    this.#holder = newToken(core.random);
  }

  /**
   * The row with a valid token; undefined if the user must consent again.
   * Throws `TokenRequestError` (transient) if the token has expired and the provider cannot be reached.
   */
  async fresh(row: ConnectionRow, provider: Provider): Promise<ConnectionRow | undefined> {
    const now = this.#core.clock.now();
    const expired = row.expires_at !== null && row.expires_at <= now;
    const due = row.refresh_at !== null && row.refresh_at <= now;
    if (!canRefresh(row, provider)) return expired ? undefined : row;
    if (!due && !expired) return row;
    try {
      return await this.refresh(row, provider);
    } catch (error) {
      if (!(error instanceof TokenRequestError) || expired) throw error;
      // The old token has not expired, so it is used while the provider is down. It may have been deleted or replaced
      // during the request.
      const current = await repository.findConnectionById(this.#core.store, row.project_id, row.id);
      return current?.status === "active" ? current : undefined;
    }
  }

  /** The row in a newer version; undefined if the grant is dead. Throws `TokenRequestError`. */
  refresh(row: ConnectionRow, provider: Provider): Promise<ConnectionRow | undefined> {
    const running = this.#running.get(row.id);
    if (running !== undefined) return running;
    const work = this.#refresh(row, provider).finally(() => this.#running.delete(row.id));
    this.#running.set(row.id, work);
    return work;
  }

  async #refresh(row: ConnectionRow, provider: Provider): Promise<ConnectionRow | undefined> {
    const { store, clock, settings } = this.#core;
    const ttl = settings["egress.timeout"] * 1000 + LEASE_MARGIN_MS;
    const deadline = clock.now() + PATIENCE_MS;
    while (true) {
      const generation = await store.generation("leases");
      const start = await store.write(() => this.#begin(row, ttl));
      if (start !== "busy") {
        if (start.kind === "done") return start.row;
        const outcome = await this.#refreshUnder(start.lease, start.row, provider);
        if (outcome !== "lost") return outcome;
      }
      if (clock.now() >= deadline) {
        throw new TokenRequestError(
          "Another process is refreshing this grant and has not finished in time.",
          {
            transient: true,
          },
        );
      }
      await store.changed("leases", generation, { timeoutMs: 1000 });
    }
  }

  // Another process may have refreshed the token since the row was read: then its row is the result.
  *#begin(seen: ConnectionRow, ttl: number): Transaction<RefreshStart> {
    const row = yield* repository.connectionByIdInTransaction(seen.project_id, seen.id);
    if (row === undefined || row.status !== "active") return { kind: "done", row: undefined };
    if (row.version !== seen.version) return { kind: "done", row };
    const lease = yield* takeLease(`refresh of ${row.id}`, this.#holder, this.#core.clock.now(), ttl);
    return lease === undefined ? "busy" : { kind: "lease", lease, row };
  }

  /** "lost": another process has the lease by now and determines the outcome. */
  async #refreshUnder(
    lease: Lease,
    row: ConnectionRow,
    provider: Provider,
  ): Promise<ConnectionRow | undefined | "lost"> {
    const { store, keyring, log } = this.#core;
    let released = false;
    try {
      const { accessToken, refreshToken, facts } = await openTokens(keyring, row);
      const template = provider.oauth2.refresh;
      if (refreshToken === undefined || template === undefined) return undefined;
      const keys = await this.#providers.clientKeys(provider);
      const scopes = (JSON.parse(row.scopes) as string[]).join(provider.oauth2.scopeDelimiter);
      const grant = await refreshTokens(this.#core, {
        provider,
        template,
        keys,
        refreshToken,
        facts,
        values: { access_token: accessToken.reveal(), scopes, existing_scopes: scopes },
      });
      if (namesAnotherAccount(provider, facts, grant.facts)) {
        log.error("a refresh returned a token of another account", { connection_id: row.id });
        const outcome = await store.write(() => this.#dead(lease, row, OTHER_ACCOUNT));
        released = true;
        return outcome;
      }
      const next = await this.#nextRow(row, grant);
      const stored = await store.write(() => this.#finish(lease, next));
      released = true;
      return stored === next ? await this.#addDetails(next, provider, keys, grant) : stored;
    } catch (error) {
      if (!(error instanceof TokenRequestError) || !DEAD_GRANT.includes(error.code ?? "")) throw error;
      const outcome = await store.write(() => this.#dead(lease, row, DEAD_REASON));
      released = true;
      return outcome;
    } finally {
      if (!released) await store.write(() => releaseLease(lease));
    }
  }

  /** Requests details of the new token. Runs after the tokens are stored, because the requests may be slow. */
  async #addDetails(
    row: ConnectionRow,
    provider: Provider,
    keys: ClientKeys,
    grant: TokenGrant,
  ): Promise<ConnectionRow> {
    const detailed = await withDetails(this.#core, provider, keys, grant, "on_token_refresh");
    if (detailed === grant) return row;
    const next = { ...(await this.#nextRow(row, detailed)), version: row.version };
    if (detailed.expiresIn === grant.expiresIn) {
      next.expires_at = row.expires_at;
      next.refresh_at = row.refresh_at;
    }
    return this.#core.store.write(() => this.#updateIfCurrent(next));
  }

  *#updateIfCurrent(next: ConnectionRow): Transaction<ConnectionRow> {
    const row = yield* repository.connectionByIdInTransaction(next.project_id, next.id);
    // Newer tokens or a dead grant take precedence.
    if (row?.version === next.version && row.status === "active") yield* repository.updateConnection(next);
    return next;
  }

  async #nextRow(row: ConnectionRow, grant: TokenGrant): Promise<ConnectionRow> {
    const { keyring, clock } = this.#core;
    const before = await openTokens(keyring, row);
    const now = clock.now();
    const tokens = {
      accessToken: grant.accessToken,
      refreshToken: grant.refreshToken ?? before.refreshToken,
    };
    return {
      ...row,
      ...(await sealTokens(keyring, row, tokens, mergeAccountInfo(before, grant))),
      scopes: grant.scopes === undefined ? row.scopes : JSON.stringify(grant.scopes),
      expires_at: grant.expiresIn === undefined ? null : now + grant.expiresIn * 1000,
      refresh_at: refreshTime(now, grant.expiresIn),
      version: row.version + 1,
      updated_at: now,
    };
  }

  *#finish(lease: Lease, next: ConnectionRow): Transaction<ConnectionRow | undefined | "lost"> {
    const row = yield* repository.connectionByIdInTransaction(next.project_id, next.id);
    const mine = yield* stillHeld(lease);
    yield* releaseLease(lease);
    // The connection was deleted, refreshed or consented to again in the meantime: the new tokens are dropped.
    if (row === undefined || row.version !== next.version - 1) return row;
    if (!mine) return "lost";
    yield* repository.updateConnection(next);
    return next;
  }

  // The provider may have refused a token that was replaced in the meantime: then the newer tokens are used.
  *#dead(lease: Lease, seen: ConnectionRow, reason: string): Transaction<ConnectionRow | undefined | "lost"> {
    const row = yield* repository.connectionByIdInTransaction(seen.project_id, seen.id);
    const mine = yield* stillHeld(lease);
    yield* releaseLease(lease);
    if (row === undefined) return undefined;
    if (row.version !== seen.version) return row.status === "active" ? row : undefined;
    if (!mine) return "lost";
    const updated_at = this.#core.clock.now();
    yield* repository.updateConnection({ ...row, status: "expired", status_reason: reason, updated_at });
    return undefined;
  }
}

// A refresh must not change the account (OpenID Connect Core, section 12.2). Facts that are missing are not compared.
function namesAnotherAccount({ oauth2 }: Provider, before: JsonObject, now: JsonObject): boolean {
  return oauth2.account.some((name) => {
    const [old = null, current = null] = [before[name], now[name]];
    return old !== null && current !== null && JSON.stringify(old) !== JSON.stringify(current);
  });
}
