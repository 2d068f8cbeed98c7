// Tokens that a refresh has returned. They exist nowhere else until they are stored, and the provider may have ended the
// earlier ones. So they are used from memory, and storing them is repeated until it succeeds.
import type { Core } from "../core";
import type { ClientKeys, Provider } from "../providers";
import { type HeldLease, releaseLease, type Transaction } from "../store";
import { withDetails } from "./extra-requests";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import type { RepeatedWrites } from "../repeated-writes";
import { addRevocation } from "./revocation-rows";
import type { Revocations } from "./revocations";
import type { TokenGrant } from "./token-request";
import {
  type AccountInfo,
  mergeAccountInfo,
  openTokens,
  orLost,
  refreshTime,
  sealTokens,
  type Tokens,
} from "./tokens";

/** A caller waits this long for the store; then it gets the new tokens from memory. */
const STORE_MS = 250;

export interface NewTokens {
  lease: HeldLease;
  /** The row whose refresh token was sent. */
  seen: ConnectionRow;
  /** Its opened values. */
  before: Tokens & AccountInfo;
  grant: TokenGrant;
  /** When the provider returned the grant, ms. */
  receivedAt: number;
  provider: Provider;
  keys: ClientKeys;
}

/** The row after an attempt to store new tokens. `own`: it has these tokens. */
interface Stored {
  row: ConnectionRow | undefined;
  own: boolean;
}

interface Change {
  /** The row as it was read. */
  base: ConnectionRow;
  /** The row that replaces it; undefined if a later grant does not need these tokens. */
  stored: ConnectionRow | undefined;
  /** With these tokens, which are revoked if nothing needs them. */
  next: ConnectionRow;
  /** The id of the order to revoke them. */
  revocation: string;
}

/** One version of a connection's tokens. Work on a token is shared by this key. */
export function tokenKey({ id, token_version }: ConnectionRow): string {
  return `${id} ${token_version}`;
}

export interface UnstoredParts {
  writes: RepeatedWrites;
  revocations: Revocations;
}

export class UnstoredTokens {
  readonly #core: Core;
  readonly #writes: RepeatedWrites;
  readonly #revocations: Revocations;
  /** By the version from which they were obtained. */
  readonly #rows = new Map<string, ConnectionRow>();
  /** Rows with an access token of a refresh, in contrast to that of a consent. */
  readonly #refreshed = new WeakSet<ConnectionRow>();

  constructor(core: Core, { writes, revocations }: UnstoredParts) {
    this.#core = core;
    this.#writes = writes;
    this.#revocations = revocations;
  }

  /** The row with the newest tokens of this process. */
  newest(row: ConnectionRow): ConnectionRow {
    return this.#rows.get(tokenKey(row)) ?? row;
  }

  /** Whether a refresh of this process has returned the access token of the row. */
  isRefreshed(row: ConnectionRow): boolean {
    return this.#refreshed.has(row);
  }

  /** Whether new tokens of a connection are not stored yet. */
  has(connectionId: string): boolean {
    return [...this.#rows.values()].some(({ id }) => id === connectionId);
  }

  /**
   * Stores new tokens and releases the lease. Returns the current row, undefined if it was deleted. If the store does not
   * respond in time, the tokens are returned at once and stored later.
   */
  async store(tokens: NewTokens): Promise<ConnectionRow | undefined> {
    const { log, clock } = this.#core;
    const slow = Promise.withResolvers<false>();
    const stored = this.#store(tokens, () => slow.resolve(false));
    const complete = stored.then(({ row, own }) =>
      own && row !== undefined ? this.#withDetails(row, tokens) : row,
    );
    complete.catch((error: unknown) =>
      log.error("a refreshed grant was lost", { connection_id: tokens.seen.id, error }),
    );
    const timer = new AbortController();
    const isStored = await Promise.race([
      stored.then(() => true),
      slow.promise,
      clock.sleep(STORE_MS, timer.signal).then(() => false),
    ]);
    timer.abort();
    return isStored ? complete : this.#fromMemory(tokens.seen, complete);
  }

  // Reading needs no lock, so a connection that was deleted in the meantime is noticed.
  async #fromMemory(
    seen: ConnectionRow,
    complete: Promise<ConnectionRow | undefined>,
  ): Promise<ConnectionRow | undefined> {
    const unstored = this.newest(seen);
    if (unstored === seen) return complete;
    const current = await this.#current(seen).catch(() => seen);
    if (current === undefined) return undefined;
    if (current.token_version === seen.token_version) return unstored;
    return current.status === "active" ? current : undefined;
  }

  #current(row: ConnectionRow): Promise<ConnectionRow | undefined> {
    return repository.findConnectionById(this.#core.store, row.project_id, row.id);
  }

  /** The connection of the same user, which may have been deleted and given again. */
  #ofUser({ project_id, user_id, provider_id }: ConnectionRow): Promise<ConnectionRow | undefined> {
    return repository.findConnection(this.#core.store, project_id, user_id, provider_id);
  }

  async #store(tokens: NewTokens, failed: () => void): Promise<Stored> {
    const { seen } = tokens;
    const revocation = this.#revocations.newId();
    let base = seen;
    const kept = new Set<string>();
    const attempt = async (): Promise<Stored> => {
      for (;;) {
        const isSame = isSameVersion(base, seen);
        // An order to revoke them must not have the account and the origins of a later consent.
        const next = await this.#nextRow(isSame ? base : seen, tokens);
        const stored = isSame ? next : await this.#continued(base, tokens);
        if (stored !== undefined) {
          kept.add(tokenKey(base));
          this.#rows.set(tokenKey(base), stored);
        }
        const change = { base, stored, next, revocation };
        const outcome = await this.#core.store.write(() => this.#update(tokens, change), { reserved: true });
        if (outcome !== "changed") return outcome;
        base = (await this.#ofUser(seen)) ?? base;
      }
    };
    try {
      const stored = await this.#writes.run("a refreshed grant", attempt, { failed });
      if (!stored.own) this.#revocations.sendInBackground(revocation);
      return stored;
    } finally {
      tokens.lease.stop();
      for (const key of kept) this.#rows.delete(key);
    }
  }

  /** "changed": the row has changed since `base` was read. */
  *#update({ lease, seen, provider }: NewTokens, change: Change): Transaction<Stored | "changed"> {
    const { base, stored, next, revocation } = change;
    const row = yield* repository.connectionInTransaction(seen.project_id, seen.user_id, seen.provider_id);
    if (row !== undefined && (row.id !== base.id || row.version !== base.version)) return "changed";
    if (row !== undefined && stored !== undefined) {
      // Also if the lease was lost, and if another process has marked the grant as dead: the provider refused the earlier
      // token because it was exchanged for this one.
      yield* repository.updateConnection(stored);
      yield* releaseLease(lease.lease);
      return { row: stored, own: true };
    }
    // The connection was deleted, refreshed or consented to again in the meantime: the new tokens are dropped. Those of a
    // grant that the current row does not continue are revoked.
    const isContinued = row?.id === seen.id && (row.account === null || row.account === seen.account);
    if (!isContinued && provider.oauth2.revoke !== undefined)
      yield* addRevocation(next, revocation, this.#core.clock.now());
    yield* releaseLease(lease.lease);
    return { row: row?.status === "active" ? row : undefined, own: false };
  }

  /** `base`: the current row, with everything that has changed since `seen`. */
  async #nextRow(
    base: ConnectionRow,
    { seen, before, grant, receivedAt }: Omit<NewTokens, "lease">,
  ): Promise<ConnectionRow> {
    const { keyring, clock } = this.#core;
    const { expiresIn } = grant;
    const known = base === seen ? before : await openTokens(keyring, base).catch(orLost(before));
    const refreshToken = grant.refreshToken ?? before.refreshToken;
    const tokens = { accessToken: grant.accessToken, refreshToken };
    const next: ConnectionRow = {
      ...base,
      ...(await sealTokens(keyring, base, tokens, mergeAccountInfo(known, grant))),
      status: "active",
      status_reason: null,
      scopes: mergedScopes(seen, base, grant.scopes),
      has_refresh: refreshToken === undefined ? 0 : 1,
      expires_at: expiresIn === undefined ? null : receivedAt + expiresIn * 1000,
      refresh_at: refreshTime(receivedAt, expiresIn),
      refresh_not_before: null,
      version: base.version + 1,
      token_version: seen.token_version + 1,
      updated_at: clock.now(),
    };
    this.#refreshed.add(next);
    return next;
  }

  /**
   * The row of a later consent with the new refresh token, if it needs it: the provider sent none, so the row has the one
   * that was exchanged for this one, or none.
   */
  async #continued(
    base: ConnectionRow,
    { seen, before, grant }: NewTokens,
  ): Promise<ConnectionRow | undefined> {
    const { keyring, clock } = this.#core;
    const { refreshToken } = grant;
    const known = await openTokens(keyring, base).catch(orLost(undefined));
    if (known === undefined || refreshToken === undefined || base.account !== seen.account) return undefined;
    if (base.origins_id !== seen.origins_id) return undefined;
    const kept = known.refreshToken?.reveal();
    // Without names of accounts, a consent that kept nothing may be that of another account.
    if (kept === undefined ? base.account === null : kept !== before.refreshToken?.reveal()) return undefined;
    return {
      ...base,
      ...(await sealTokens(keyring, base, { ...known, refreshToken }, mergeAccountInfo(known, grant))),
      status: "active",
      status_reason: null,
      has_refresh: 1,
      version: base.version + 1,
      token_version: base.token_version + 1,
      updated_at: clock.now(),
    };
  }

  /** Requests details of the new tokens. Runs after they are stored, because the requests may be slow. */
  async #withDetails(row: ConnectionRow, tokens: NewTokens): Promise<ConnectionRow | undefined> {
    const { provider, keys, grant } = tokens;
    try {
      const detailed = await withDetails(this.#core, provider, keys, grant, "on_token_refresh");
      if (detailed === grant) return row;
      const receivedAt = this.#core.clock.now();
      const next = await this.#nextRow(row, { ...tokens, seen: row, grant: detailed, receivedAt });
      next.token_version = row.token_version;
      if (detailed.expiresIn === grant.expiresIn) {
        next.expires_at = row.expires_at;
        next.refresh_at = row.refresh_at;
      }
      return await this.#core.store.write(() => this.#updateUnlessChanged(row, next));
    } catch (error) {
      this.#core.log.warn("the details of a grant were not stored", { connection_id: row.id, error });
      return row;
    }
  }

  *#updateUnlessChanged(seen: ConnectionRow, next: ConnectionRow): Transaction<ConnectionRow | undefined> {
    const row = yield* repository.connectionByIdInTransaction(next.project_id, next.id);
    if (row?.version !== seen.version) return row?.status === "active" ? row : undefined;
    yield* repository.updateConnection(next);
    return next;
  }
}

/** The tokens of the row are those that were sent. */
function isSameVersion(row: ConnectionRow, seen: ConnectionRow): boolean {
  return row.id === seen.id && row.token_version === seen.token_version;
}

/** Scopes that were removed from the row during the refresh stay removed. */
function mergedScopes(seen: ConnectionRow, base: ConnectionRow, granted: string[] | undefined): string {
  if (granted === undefined) return base.scopes;
  const [before, now]: string[][] = [JSON.parse(seen.scopes), JSON.parse(base.scopes)];
  const removed = before?.filter((scope) => !now?.includes(scope)) ?? [];
  return JSON.stringify(granted.filter((scope) => !removed.includes(scope)));
}
