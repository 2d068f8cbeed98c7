// Refreshes a token once, however many callers and processes need it. The callers of a process share a promise, processes
// share a lease. A new pair of tokens is used from memory until it is stored: the provider may have ended the earlier one.
import { allEnded, Delays } from "../base";
import type { Core } from "../core";
import type { Provider, Providers } from "../providers";
import { type HeldLease, releaseLease, type Seen, stillHeld, type Taken, type Transaction } from "../store";
import { namesAnotherAccount } from "./account";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { type NewTokens, tokenKey, type UnstoredParts, UnstoredTokens } from "./new-tokens";
import type { RepeatedWrites } from "../repeated-writes";
import type { Revocations } from "./revocations";
import { postpone, postponed } from "./postponed";
import { databaseFailure, RefreshLeases, Superseded } from "./refresh-lease";
import { refreshTokens } from "./token-request";
import { TokenRequestError } from "./token-answer";
import { openTokens } from "./tokens";

/** How long a caller waits for a refresh by another process. */
const PATIENCE_MS = 90_000;
/** When a refresh ahead of the expiry may be tried again after it failed. */
const REFRESH_DELAYS = { firstMs: 1000, maxMs: 60_000, maxKeys: 10_000 };
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
  | { kind: "lease"; taken: Taken; row: ConnectionRow }
  | { kind: "done"; row: ConnectionRow | undefined }
  | { kind: "postponed"; error: TokenRequestError }
  | "busy";

/** Without a `refresh_request` in the provider's record, users consent again when a token expires. */
export function canRefresh(row: Pick<ConnectionRow, "has_refresh">, provider: Provider): boolean {
  return row.has_refresh === 1 && provider.oauth2.refresh !== undefined;
}

export class Refresher {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #running = new Map<string, Promise<ConnectionRow | undefined>>();
  readonly #revocations: Revocations;
  readonly #writes: RepeatedWrites;
  readonly #unstored: UnstoredTokens;
  readonly #delays: Delays;
  readonly #leases: RefreshLeases;

  constructor(core: Core, providers: Providers, parts: UnstoredParts) {
    this.#core = core;
    this.#providers = providers;
    this.#revocations = parts.revocations;
    this.#writes = parts.writes;
    this.#unstored = new UnstoredTokens(core, parts);
    this.#delays = new Delays(core.clock, REFRESH_DELAYS);
    this.#leases = new RefreshLeases(core);
  }

  /** The row with the newest tokens of this process, which may not be stored yet. */
  newest(row: ConnectionRow): ConnectionRow {
    return this.#unstored.newest(row);
  }

  /** Whether a refresh of this process has returned the access token of the row. */
  isRefreshed(row: ConnectionRow): boolean {
    return this.#unstored.isRefreshed(row);
  }

  /**
   * The row with a valid token; undefined if the user must consent again. A token that has not expired is used at once, and
   * refreshed in the background when it is time.
   * Throws `TokenRequestError` (transient) if the token has expired and cannot be refreshed at the moment.
   */
  async fresh(row: ConnectionRow, provider: Provider): Promise<ConnectionRow | undefined> {
    const now = this.#core.clock.now();
    const expired = row.expires_at !== null && row.expires_at <= now;
    const due = row.refresh_at !== null && row.refresh_at <= now;
    if (!canRefresh(row, provider)) return expired ? undefined : row;
    if (!expired && postponed(row, provider, now) !== undefined) return row;
    if (expired) return this.refresh(row, provider);
    if (due) this.#refreshInBackground(row, provider);
    return row;
  }

  /** The row with newer tokens; undefined if the grant is dead. Throws `TokenRequestError`. */
  refresh(row: ConnectionRow, provider: Provider): Promise<ConnectionRow | undefined> {
    const key = tokenKey(row);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const work = this.#refresh(row, provider).finally(() => this.#running.delete(key));
    this.#running.set(key, work);
    return work;
  }

  /**
   * Keeps refreshes away from a connection, and waits until none is in progress and its tokens are stored. The caller
   * releases the lease. Undefined if a refresh takes longer than any should.
   */
  hold(id: string): Promise<HeldLease | undefined> {
    return this.#leases.hold(id, () => this.#unstored.has(id));
  }

  release(held: HeldLease): Promise<void> {
    return this.#leases.release(held);
  }

  /** Waits for running refreshes. */
  close(): Promise<void> {
    return allEnded(this.#running);
  }

  #refreshInBackground(row: ConnectionRow, provider: Provider): void {
    const key = tokenKey(row);
    if (this.#running.has(key) || this.#delays.has(key)) return;
    this.refresh(row, provider).then(
      () => this.#delays.clear(key),
      (error: unknown) => {
        this.#delays.add(key, 0.75 + (this.#core.random(1)[0] ?? 0) / 512);
        this.#core.log.warn("a token was not refreshed ahead of its expiry", {
          connection_id: row.id,
          error,
        });
      },
    );
  }

  async #refresh(row: ConnectionRow, provider: Provider): Promise<ConnectionRow | undefined> {
    const { store, clock } = this.#core;
    const deadline = clock.monotonic() + PATIENCE_MS;
    while (true) {
      const generation = await store.generation("leases");
      const start = await this.#start(row, provider);
      if (start !== "busy") {
        if (start.kind === "postponed") throw start.error;
        if (start.kind === "done") return start.row;
        const outcome = await this.#refreshUnder(this.#leases.held(start.taken), start.row, provider);
        if (outcome !== "lost") return outcome;
      }
      if (clock.monotonic() >= deadline) {
        throw new TokenRequestError(
          "Another process is refreshing this grant and has not finished in time.",
          { transient: true },
        );
      }
      await this.#leases.changed(generation);
    }
  }

  // Nothing is sent unless the answer can be stored.
  async #start(row: ConnectionRow, provider: Provider): Promise<RefreshStart> {
    const { store } = this.#core;
    try {
      await store.reserve();
      const lease = await this.#leases.look(row.id);
      return await store.write(() => this.#begin(row, provider, lease));
    } catch (cause) {
      throw databaseFailure(cause);
    }
  }

  // Another process may have refreshed the token since the row was read: then its row is the result.
  *#begin(seen: ConnectionRow, provider: Provider, lease: Seen): Transaction<RefreshStart> {
    const row = yield* repository.connectionByIdInTransaction(seen.project_id, seen.id);
    if (row !== undefined && row.token_version < seen.token_version) throw new Error("not stored yet");
    if (row === undefined || row.status !== "active") return { kind: "done", row: undefined };
    if (row.token_version !== seen.token_version) return { kind: "done", row };
    const error = postponed(row, provider, this.#core.clock.now());
    if (error !== undefined) return { kind: "postponed", error };
    const taken = yield* this.#leases.take(row.id, lease);
    return taken === undefined ? "busy" : { kind: "lease", taken, row };
  }

  /** "lost": another process has the lease by now and determines the outcome. */
  #refreshUnder(
    lease: HeldLease,
    row: ConnectionRow,
    provider: Provider,
  ): Promise<ConnectionRow | undefined | "lost"> {
    const start = { provider: provider.id, project: row.project_id };
    return this.#core.telemetry.observe("refresh", start, async (activity) => {
      const result = await this.#perform(lease, row, provider);
      const outcome = result === "lost" ? "superseded" : result === undefined ? "dead" : "refreshed";
      activity.end({ outcome });
      return result;
    });
  }

  async #perform(
    lease: HeldLease,
    row: ConnectionRow,
    provider: Provider,
  ): Promise<ConnectionRow | undefined | "lost"> {
    let result: Omit<NewTokens, "lease"> | string | undefined;
    try {
      result = await this.#request(row, provider, () => this.#leases.check(lease, row));
    } catch (error) {
      if (error instanceof Superseded) return "lost";
      await this.#postpone(row, error);
      throw error;
    } finally {
      if (result === undefined) await this.#leases.release(lease);
    }
    if (result === undefined) return undefined;
    if (typeof result !== "string") return this.#unstored.store({ ...result, lease });
    const reason = result;
    try {
      return await this.#core.store.write(() => this.#dead(lease, row, reason));
    } catch (cause) {
      throw databaseFailure(cause);
    } finally {
      lease.stop();
    }
  }

  /** For every process, if the provider wants no further request for a while. */
  async #postpone(row: ConnectionRow, error: unknown): Promise<void> {
    const { store, clock, log } = this.#core;
    if (!(error instanceof TokenRequestError) || error.retryAfterMs === undefined) return;
    const now = clock.now();
    const until = now + error.retryAfterMs;
    await store
      .write(() => postpone(row, until, now))
      .catch((cause: unknown) => log.warn("a wait was not stored", { connection_id: row.id, error: cause }));
  }

  /** The new tokens, or why the grant is dead; undefined if the row cannot be refreshed. Throws `TokenRequestError`. */
  async #request(
    row: ConnectionRow,
    provider: Provider,
    fence: () => Promise<void>,
  ): Promise<Omit<NewTokens, "lease"> | string | undefined> {
    const { keyring, clock, log } = this.#core;
    const before = await openTokens(keyring, row);
    const { accessToken, refreshToken, facts } = before;
    if (row.origins_id !== provider.originsId) throw addressesMoved();
    const template = provider.oauth2.refresh;
    if (refreshToken === undefined || template === undefined) return undefined;
    const keys = await this.#providers.clientKeys(provider);
    const scopes = (JSON.parse(row.scopes) as string[]).join(provider.oauth2.scopeDelimiter);
    const values = { access_token: accessToken.reveal(), scopes, existing_scopes: scopes };
    try {
      const grant = await refreshTokens(this.#core, {
        provider,
        template,
        keys,
        refreshToken,
        facts,
        values,
        fence,
      });
      if (!namesAnotherAccount(provider, facts, grant.facts))
        return { seen: row, before, grant, receivedAt: clock.now(), provider, keys };
      log.error("a refresh returned a token of another account", { connection_id: row.id });
      const owner = { projectId: row.project_id, userId: row.user_id, provider, isUsable: false };
      const order = (): Promise<void> => this.#revocations.add(owner, grant);
      await this.#writes.run("an order to revoke a grant", order).catch((cause: unknown) => {
        throw databaseFailure(cause);
      });
      return OTHER_ACCOUNT;
    } catch (error) {
      if (!(error instanceof TokenRequestError) || !DEAD_GRANT.includes(error.code ?? "")) throw error;
      return DEAD_REASON;
    }
  }

  // The provider may have refused a token that was replaced in the meantime: then the newer tokens are used.
  *#dead(
    { lease }: HeldLease,
    seen: ConnectionRow,
    reason: string,
  ): Transaction<ConnectionRow | undefined | "lost"> {
    const row = yield* repository.connectionByIdInTransaction(seen.project_id, seen.id);
    const mine = yield* stillHeld(lease);
    yield* releaseLease(lease);
    if (row === undefined) return undefined;
    if (row.token_version !== seen.token_version) return row.status === "active" ? row : undefined;
    if (!mine) return "lost";
    yield* repository.markExpired(row, reason, this.#core.clock.now());
    return undefined;
  }
}

/** The row and the provider were read before and after a change of its addresses. */
function addressesMoved(): TokenRequestError {
  const message = "The addresses of the auth provider have just been changed. Try again.";
  return new TokenRequestError(message, { transient: true });
}
