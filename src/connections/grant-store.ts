// Stores a new grant as a connection, or updates the existing connection.
import type { Audit } from "../audit";
import type { Core } from "../core";
import { newId } from "../crypto";
import type { Provider } from "../providers";
import type { Transaction } from "../store";
import { accountOf } from "./account";
import type { Refresher } from "./refresh";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import type { Reclaimed } from "./reclaimed";
import { addRevocation } from "./revocation-rows";
import type { Revocations } from "./revocations";
import type { TokenGrant } from "./token-request";
import { mergeAccountInfo, openTokens, orLost, refreshTime, sealTokens, withRefreshToken } from "./tokens";

/** How far the monotonic times of two processes differ at most. */
const DIFFERENCE_MS = 2000;

/** What the user had when a new grant was received; `known` is false if the process was frozen in between. */
export interface Earlier {
  known: boolean;
  row: Pick<ConnectionRow, "id" | "granted_at"> | undefined;
}

export interface NewGrant {
  projectId: string;
  userId: string;
  provider: Provider;
  grant: TokenGrant;
  /** From `GrantStore.received`. */
  receivedAt: number;
  requestedScopes: readonly string[];
  /** Runs in the same transaction with the connection's id, its scopes, and whether the grant has a refresh token. */
  body: (connectionId: string, scopes: string[], renewable: boolean) => Transaction<void>;
}

/** A grant that is stored in place of an earlier one. */
interface Replacement {
  row: ConnectionRow;
  before: ConnectionRow | undefined;
  /** The earlier grant that it continues, which was to be revoked. */
  reclaimed: Reclaimed | undefined;
  /** The id of the order to revoke the grant of an earlier account; undefined: its provider cannot. */
  revocation: string | undefined;
}

/** A grant that is stored after a newer one. */
interface Late {
  late: ConnectionRow;
  /** The row with the newer grant. */
  before: ConnectionRow;
  /** The row that replaces it, if it needs the late refresh token. */
  continued: ConnectionRow | undefined;
  /** The id of the order to revoke the late grant; undefined: its provider cannot. */
  revocation: string | undefined;
}

export class GrantStore {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #refresher: Refresher;
  readonly #revocations: Revocations;
  #received = 0;

  constructor(
    core: Core,
    audit: Audit,
    { refresher, revocations }: { refresher: Refresher; revocations: Revocations },
  ) {
    this.#core = core;
    this.#audit = audit;
    this.#refresher = refresher;
    this.#revocations = revocations;
  }

  /** The monotonic time now. Later for each grant of this process. */
  received(): number {
    this.#received = Math.max(this.#core.clock.monotonic(), this.#received + 0.001);
    return this.#received;
  }

  async earlier({ projectId, userId, provider, receivedAt }: NewGrant): Promise<Earlier> {
    const row = await repository.findConnection(this.#core.store, projectId, userId, provider.id);
    return { row, known: this.#core.clock.monotonic() - receivedAt < DIFFERENCE_MS };
  }

  /**
   * Stores a grant. If the account is the same and there is no new refresh token, the old one is kept, also that of a grant
   * that is still to be revoked; a grant of another account replaces everything. If the user has consented again since it was received, the
   * newer grant stays, and this one is revoked unless the newer one needs it.
   */
  async store(given: NewGrant, earlier: Earlier): Promise<void> {
    const { projectId, userId, provider, grant } = given;
    const present = await repository.findConnection(this.#core.store, projectId, userId, provider.id);
    // The earlier refresh token must not be copied while it is being exchanged for a new one.
    const copies = grant.refreshToken === undefined && present?.has_refresh === 1;
    const lease = copies ? await this.#refresher.hold(present.id) : undefined;
    try {
      await this.#storeUnlessChanged(given, earlier);
    } finally {
      if (lease !== undefined) await this.#refresher.release(lease);
    }
  }

  // Sealing is asynchronous and a transaction is not: seal for the current row, and start over if it has changed.
  async #storeUnlessChanged(given: NewGrant, earlier: Earlier): Promise<void> {
    const { store } = this.#core;
    const { projectId, userId, provider, body } = given;
    const revocation = provider.oauth2.revoke === undefined ? undefined : this.#revocations.newId();
    for (let attempt = 0; attempt < 5; attempt++) {
      const before = await repository.findConnection(store, projectId, userId, provider.id);
      const isLate = isNewer(before, earlier, given.receivedAt, this.#core.clock.monotonic());
      // A late grant takes nothing from the newer one.
      const base = isLate ? undefined : before;
      const row = await this.#rowOf(given, base);
      const continued = isLate ? await this.#continued(row, before) : undefined;
      const reclaimed = isLate ? undefined : await this.#revocations.reclaimed.find(row, provider);
      const change = isLate
        ? () => this.#keepNewer({ late: row, before, continued, revocation }, body)
        : () => this.#store({ row, before, reclaimed, revocation }, body);
      const stored = await store.write(change, { reserved: true });
      if (!stored) continue;
      if (revocation !== undefined) this.#revocations.sendInBackground(revocation);
      return;
    }
    throw new Error("a connection kept changing while a grant was stored");
  }

  async #rowOf(
    { projectId, userId, provider, grant, receivedAt, requestedScopes }: NewGrant,
    before: ConnectionRow | undefined,
  ): Promise<ConnectionRow> {
    const { keyring, clock, random } = this.#core;
    const now = clock.now();
    const account = accountOf(provider, grant);
    // Nothing is kept of a dead grant or of another account.
    const sameAccount = before !== undefined && before.account === account && before.status === "active";
    const earlier = sameAccount ? await openTokens(keyring, before).catch(orLost(undefined)) : undefined;
    const refreshToken = grant.refreshToken ?? earlier?.refreshToken;
    const key = { project_id: projectId, user_id: userId, provider_id: provider.id };
    const sealed = await sealTokens(
      keyring,
      key,
      { accessToken: grant.accessToken, refreshToken },
      mergeAccountInfo({ facts: {} }, grant),
    );
    return {
      ...key,
      ...sealed,
      origins_id: provider.originsId,
      id: before?.id ?? newId("ac", now, random),
      status: "active",
      status_reason: null,
      scopes: JSON.stringify(grant.scopes ?? [...requestedScopes]),
      account,
      has_refresh: refreshToken === undefined ? 0 : 1,
      expires_at: grant.expiresIn === undefined ? null : now + grant.expiresIn * 1000,
      refresh_at: refreshTime(now, grant.expiresIn),
      refresh_not_before: null,
      version: (before?.version ?? 0) + 1,
      token_version: (before?.token_version ?? 0) + 1,
      granted_at: receivedAt,
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
  }

  *#store(
    { row: given, before, reclaimed, revocation }: Replacement,
    body: NewGrant["body"],
  ): Transaction<boolean> {
    const row = reclaimed?.row ?? given;
    const current = yield* repository.connectionInTransaction(row.project_id, row.user_id, row.provider_id);
    if (current?.version !== before?.version || current?.id !== before?.id) return false;
    if (reclaimed !== undefined && !(yield* this.#revocations.reclaimed.take(reclaimed))) return false;
    if (before === undefined) yield* repository.addConnection(row);
    else yield* repository.updateConnection(row);
    if (before !== undefined && before.account !== null && before.account !== row.account) {
      const user = { kind: "user", projectId: row.project_id, userId: row.user_id } as const;
      yield* this.#audit.record(user, "connection.account_changed", row.id, {
        user: row.user_id,
        details: { provider: row.provider_id },
      });
      // Nothing holds the grant of the earlier account any more.
      if (revocation !== undefined) yield* addRevocation(before, revocation, this.#core.clock.now());
    }
    yield* body(row.id, JSON.parse(row.scopes), row.has_refresh === 1);
    return true;
  }

  /** The newer grant with the refresh token of the late one, if it came without: as if it had been stored afterwards. */
  async #continued(late: ConnectionRow, newer: ConnectionRow): Promise<ConnectionRow | undefined> {
    const isWithout = newer.status === "active" && newer.has_refresh === 0 && late.has_refresh === 1;
    if (!isWithout || newer.account !== late.account) return undefined;
    const { refreshToken } = await openTokens(this.#core.keyring, late);
    return refreshToken && withRefreshToken(this.#core, newer, refreshToken);
  }

  /** The flow of the late grant ends with the connection of the newer one. */
  *#keepNewer({ late, before, continued, revocation }: Late, body: NewGrant["body"]): Transaction<boolean> {
    const current = yield* repository.connectionInTransaction(
      late.project_id,
      late.user_id,
      late.provider_id,
    );
    if (current?.version !== before.version || current.id !== before.id) return false;
    if (continued !== undefined) yield* repository.updateConnection(continued);
    else if (revocation !== undefined) yield* addRevocation(late, revocation, this.#core.clock.now());
    yield* body(current.id, JSON.parse(current.scopes), (continued ?? current).has_refresh === 1);
    return true;
  }
}

/** Whether the present grant was received later. A time in the future is from before a restart of the machine. */
function isNewer(
  present: ConnectionRow | undefined,
  { known, row }: Earlier,
  receivedAt: number,
  now: number,
): present is ConnectionRow {
  if (present === undefined) return false;
  if (known && present.id === row?.id && present.granted_at === row.granted_at) return false;
  return present.granted_at >= receivedAt && present.granted_at <= now + DIFFERENCE_MS;
}
