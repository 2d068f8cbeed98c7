// Refresh of a token: once, however many callers and processes wait for it. Callers of one process share one promise;
// processes share a lease with a fence. The new pair is durable before anybody uses it.
import type { JsonObject } from "../base";
import type { Core } from "../core";
import { newToken } from "../crypto";
import type { ClientKeys, Provider, Providers } from "../providers";
import { type Lease, releaseLease, stillHeld, takeLease, type Transaction } from "../store";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { askedAbout } from "./extra-requests";
import { refreshTokens, type TokenGrant } from "./token-request";
import { TokenRequestError } from "./token-request-error";
import { knownAfter, openTokens, refreshTime, sealTokens } from "./tokens";

/** How much longer the lease lives than the longest token request. */
const LEASE_MARGIN_MS = 15_000;
/** How long a caller waits for somebody else's refresh before giving up. */
const PATIENCE_MS = 90_000;
/** The grant itself is dead (RFC 6749 section 5.2), in the words of several platforms. */
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

type Begun =
  | { kind: "lease"; lease: Lease; row: ConnectionRow }
  | { kind: "done"; row: ConnectionRow | undefined }
  | "busy";

/** A provider without a `refresh_request` never refreshes: its users consent again when a token expires. */
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
   * The row with a token that works now. Undefined when the user must consent again.
   * Throws `TokenRequestError` (transient) when the token has expired and the provider cannot be asked.
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
      // Ahead of its expiry the old token still works: a provider that is down for a moment hurts nobody. It may have been
      // deleted or replaced while the provider was asked.
      const current = await repository.findConnectionById(this.#core.store, row.project_id, row.id);
      return current?.status === "active" ? current : undefined;
    }
  }

  /** A row of a newer version than this one; undefined when the grant is dead. Throws `TokenRequestError`. */
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
    const giveUpAt = clock.now() + PATIENCE_MS;
    while (true) {
      const generation = await store.generation("leases");
      const begun = await store.write(() => this.#begin(row, ttl));
      if (begun !== "busy") {
        if (begun.kind === "done") return begun.row;
        const outcome = await this.#refreshUnder(begun.lease, begun.row, provider);
        if (outcome !== "lost") return outcome;
      }
      if (clock.now() >= giveUpAt) {
        throw new TokenRequestError("Another process is refreshing this grant and does not finish.", {
          transient: true,
        });
      }
      await store.changed("leases", generation, { timeoutMs: 1000 });
    }
  }

  // Somebody may have refreshed between our read and the lease: then his row is what we want.
  *#begin(seen: ConnectionRow, ttl: number): Transaction<Begun> {
    const row = yield* repository.connectionByIdInTransaction(seen.project_id, seen.id);
    if (row === undefined || row.status !== "active") return { kind: "done", row: undefined };
    if (row.version !== seen.version) return { kind: "done", row };
    const lease = yield* takeLease(`refresh of ${row.id}`, this.#holder, this.#core.clock.now(), ttl);
    return lease === undefined ? "busy" : { kind: "lease", lease, row };
  }

  /** "lost": the lease is somebody else's by now, who will say how it ends. */
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
        log.error("a refresh was answered with another account's token", { connection_id: row.id });
        const outcome = await store.write(() => this.#dead(lease, row, OTHER_ACCOUNT));
        released = true;
        return outcome;
      }
      const next = await this.#nextRow(row, grant);
      const stored = await store.write(() => this.#finish(lease, next));
      released = true;
      return stored === next ? await this.#learn(next, provider, keys, grant) : stored;
    } catch (error) {
      if (!(error instanceof TokenRequestError) || !DEAD_GRANT.includes(error.code ?? "")) throw error;
      const outcome = await store.write(() => this.#dead(lease, row, DEAD_REASON));
      released = true;
      return outcome;
    } finally {
      if (!released) await store.write(() => releaseLease(lease));
    }
  }

  /** What the provider says of the new token. Asked when the pair is durable: the answer may be long in coming. */
  async #learn(
    row: ConnectionRow,
    provider: Provider,
    keys: ClientKeys,
    grant: TokenGrant,
  ): Promise<ConnectionRow> {
    const told = await askedAbout(this.#core, provider, keys, grant, "on_token_refresh");
    if (told === grant) return row;
    const next = { ...(await this.#nextRow(row, told)), version: row.version };
    if (told.expiresIn === grant.expiresIn) {
      next.expires_at = row.expires_at;
      next.refresh_at = row.refresh_at;
    }
    return this.#core.store.write(() => this.#keep(next));
  }

  *#keep(next: ConnectionRow): Transaction<ConnectionRow> {
    const row = yield* repository.connectionByIdInTransaction(next.project_id, next.id);
    // Newer tokens, or an end, say more than this.
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
      ...(await sealTokens(keyring, row, tokens, knownAfter(before, grant))),
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
    // Deleted, refreshed or consented anew in between: what is there now counts, the late pair is dropped.
    if (row === undefined || row.version !== next.version - 1) return row;
    if (!mine) return "lost";
    yield* repository.updateConnection(next);
    return next;
  }

  // The refusal may answer a token that somebody else has replaced meanwhile: then the newer pair counts.
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

// What a refresh says of the account is what the consent said (OpenID Connect Core, section 12.2), as far as it says it.
function namesAnotherAccount({ oauth2 }: Provider, before: JsonObject, now: JsonObject): boolean {
  return oauth2.account.some((name) => {
    const [known = null, told = null] = [before[name], now[name]];
    return known !== null && told !== null && JSON.stringify(known) !== JSON.stringify(told);
  });
}
