// A new grant becomes a connection, or takes the place of what the user had granted before.
import { isObject, type Json } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { hashOf, newId } from "../crypto";
import type { Provider } from "../providers";
import type { Transaction } from "../store";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import type { TokenGrant } from "./token-request";
import { knownAfter, openTokens, refreshTime, sealTokens, TokensLost } from "./tokens";

export class GrantStore {
  readonly #core: Core;
  readonly #audit: Audit;

  constructor(core: Core, audit: Audit) {
    this.#core = core;
    this.#audit = audit;
  }

  /**
   * Stores a grant. The same account keeps what it had (its refresh token, when no new one came); another account
   * replaces the grant whole. The caller runs `body` in the same transaction with the connection's id and scopes, and
   * whether the grant can be renewed.
   */
  async store(
    projectId: string,
    userId: string,
    provider: Provider,
    grant: TokenGrant,
    asked: readonly string[],
    body: (connectionId: string, scopes: string[], renewable: boolean) => Transaction<void>,
  ): Promise<void> {
    const { store } = this.#core;
    // Sealing waits, transactions must not: seal for the row as it is now and start over when it has changed.
    for (let attempt = 0; attempt < 5; attempt++) {
      const before = await repository.findConnection(store, projectId, userId, provider.id);
      const row = await this.#rowOf(projectId, userId, provider, grant, asked, before);
      const stored = await store.write(() => this.#store(row, before, body));
      if (stored) return;
    }
    throw new Error("a connection kept changing while a grant was stored");
  }

  async #rowOf(
    projectId: string,
    userId: string,
    provider: Provider,
    grant: TokenGrant,
    asked: readonly string[],
    before: ConnectionRow | undefined,
  ): Promise<ConnectionRow> {
    const { keyring, clock, random } = this.#core;
    const now = clock.now();
    const account = accountOf(provider, grant);
    // Of an account that is not known to be the same, or of a dead grant, nothing is kept.
    const goesOn = before !== undefined && before.account === account && before.status === "active";
    const earlier = goesOn ? await openTokens(keyring, before).catch(nothingLost) : undefined;
    const refreshToken = grant.refreshToken ?? earlier?.refreshToken;
    const key = { project_id: projectId, user_id: userId, provider_id: provider.id };
    const sealed = await sealTokens(
      keyring,
      key,
      { accessToken: grant.accessToken, refreshToken },
      knownAfter({ facts: {} }, grant),
    );
    return {
      ...key,
      ...sealed,
      id: before?.id ?? newId("ac", now, random),
      status: "active",
      status_reason: null,
      scopes: JSON.stringify(grant.scopes ?? [...asked]),
      account,
      has_refresh: refreshToken === undefined ? 0 : 1,
      expires_at: grant.expiresIn === undefined ? null : now + grant.expiresIn * 1000,
      refresh_at: refreshTime(now, grant.expiresIn),
      version: (before?.version ?? 0) + 1,
      created_at: before?.created_at ?? now,
      updated_at: now,
    };
  }

  *#store(
    row: ConnectionRow,
    before: ConnectionRow | undefined,
    body: (connectionId: string, scopes: string[], renewable: boolean) => Transaction<void>,
  ): Transaction<boolean> {
    const current = yield* repository.connectionInTransaction(row.project_id, row.user_id, row.provider_id);
    if (current?.version !== before?.version || current?.id !== before?.id) return false;
    if (before === undefined) yield* repository.addConnection(row);
    else yield* repository.updateConnection(row);
    if (before !== undefined && before.account !== null && before.account !== row.account) {
      const user = { kind: "user", projectId: row.project_id, userId: row.user_id } as const;
      yield* this.#audit.record(user, "connection.account_changed", row.id);
    }
    yield* body(row.id, JSON.parse(row.scopes), row.has_refresh === 1);
    return true;
  }
}

/** Of tokens that cannot be opened there is nothing to go on with; the grant that has come stands alone. */
function nothingLost(error: unknown): undefined {
  if (!(error instanceof TokensLost)) throw error;
}

/** Whose account it is, as one text that is the same for every connection of this account and client. */
function accountOf({ oauth2 }: Provider, { facts, userInfo }: TokenGrant): string | null {
  // A platform may leave some of the facts open (no team for an organization-wide account), but not all.
  const named = oauth2.account.map((name) => facts[name] ?? null);
  const parts = named.some((part) => part !== null) ? named : [userOf(userInfo)];
  if (parts.every((part) => part === null)) return null;
  return hashOf(JSON.stringify([new URL(oauth2.token.endpoint).origin, oauth2.clientId, ...parts]));
}

/** Names under which user info calls the user; `sub` is that of OpenID Connect Core section 5.3.2. */
function userOf(userInfo: Json | undefined): Json {
  if (!isObject(userInfo)) return null;
  return userInfo["sub"] ?? userInfo["id"] ?? null;
}
