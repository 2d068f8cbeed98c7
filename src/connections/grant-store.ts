// Stores a new grant as a connection, or updates the existing connection.
import { isObject, type Json } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { hashOf, newId } from "../crypto";
import type { Provider } from "../providers";
import type { Transaction } from "../store";
import type { Refresher } from "./refresh";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import { addRevocation } from "./revocation-rows";
import type { Revocations } from "./revocations";
import type { TokenGrant } from "./token-request";
import {
  type AccountInfo,
  mergeAccountInfo,
  openTokens,
  refreshTime,
  sealTokens,
  TokensLost,
} from "./tokens";

type StoreParameters = Parameters<GrantStore["store"]>;

export class GrantStore {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #refresher: Refresher;
  readonly #revocations: Revocations;

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

  /**
   * Stores a grant. If the account is the same and there is no new refresh token, the old one is kept; a grant of another
   * account replaces everything. `body` runs in the same transaction with the connection's id, its scopes, and whether the
   * grant has a refresh token.
   */
  async store(
    projectId: string,
    userId: string,
    provider: Provider,
    grant: TokenGrant,
    requestedScopes: readonly string[],
    body: (connectionId: string, scopes: string[], renewable: boolean) => Transaction<void>,
  ): Promise<void> {
    const earlier = await repository.findConnection(this.#core.store, projectId, userId, provider.id);
    // The earlier refresh token must not be copied while it is being exchanged for a new one.
    const copies = grant.refreshToken === undefined && earlier?.has_refresh === 1;
    const lease = copies ? await this.#refresher.hold(earlier.id) : undefined;
    try {
      await this.#storeUnlessChanged(projectId, userId, provider, grant, requestedScopes, body);
    } finally {
      if (lease !== undefined) await this.#refresher.release(lease);
    }
  }

  // Sealing is asynchronous and a transaction is not: seal for the current row, and start over if it has changed.
  async #storeUnlessChanged(...[projectId, userId, provider, grant, requestedScopes, body]: StoreParameters) {
    const { store } = this.#core;
    const revocation = provider.oauth2.revoke === undefined ? undefined : this.#revocations.newId();
    for (let attempt = 0; attempt < 5; attempt++) {
      const before = await repository.findConnection(store, projectId, userId, provider.id);
      const row = await this.#rowOf(projectId, userId, provider, grant, requestedScopes, before);
      const stored = await store.write(() => this.#store(row, before, body, revocation), { reserved: true });
      if (!stored) continue;
      if (revocation !== undefined) this.#revocations.sendInBackground(revocation);
      return;
    }
    throw new Error("a connection kept changing while a grant was stored");
  }

  async #rowOf(
    projectId: string,
    userId: string,
    provider: Provider,
    grant: TokenGrant,
    requestedScopes: readonly string[],
    before: ConnectionRow | undefined,
  ): Promise<ConnectionRow> {
    const { keyring, clock, random } = this.#core;
    const now = clock.now();
    const account = accountOf(provider, grant);
    // Nothing is kept of a dead grant or of another account.
    const sameAccount = before !== undefined && before.account === account && before.status === "active";
    const earlier = sameAccount ? await openTokens(keyring, before).catch(ignoreLostTokens) : undefined;
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
      version: (before?.version ?? 0) + 1,
      token_version: (before?.token_version ?? 0) + 1,
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
  }

  *#store(
    row: ConnectionRow,
    before: ConnectionRow | undefined,
    body: (connectionId: string, scopes: string[], renewable: boolean) => Transaction<void>,
    revocation: string | undefined,
  ): Transaction<boolean> {
    const current = yield* repository.connectionInTransaction(row.project_id, row.user_id, row.provider_id);
    if (current?.version !== before?.version || current?.id !== before?.id) return false;
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
}

/** If the old tokens cannot be opened, the new grant is stored without them. */
function ignoreLostTokens(error: unknown): undefined {
  if (!(error instanceof TokensLost)) throw error;
}

/** A hash that is the same for every connection of this account and client; null if the account is unknown. */
export function accountOf({ oauth2 }: Provider, { facts, userInfo }: AccountInfo): string | null {
  // Some of the facts may be missing (an organization-wide account has no team), but not all.
  const named = oauth2.account.map((name) => facts[name] ?? null);
  const parts = named.some((part) => part !== null) ? named : [userOf(userInfo)];
  if (parts.every((part) => part === null)) return null;
  return hashOf(JSON.stringify([new URL(oauth2.token.endpoint).origin, oauth2.clientId, ...parts]));
}

/** The user's id in a user info answer; `sub` is defined in OpenID Connect Core section 5.3.2. */
function userOf(userInfo: Json | undefined): Json {
  if (!isObject(userInfo)) return null;
  return userInfo["sub"] ?? userInfo["id"] ?? null;
}
