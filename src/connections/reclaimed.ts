// Grants that were to be revoked and are used again. When a user consents again, many providers return another access token
// of the same grant, without a refresh token: then the order to revoke the grant has the only one.
import type { Core } from "../core";
import { type Keyring, Unopenable } from "../crypto";
import type { Provider } from "../providers";
import type { Seen, Transaction } from "../store";
import { accountOf } from "./account";
import { openHeldGrant } from "./held-grant";
import * as repository from "./repository";
import type { ConnectionRow } from "./repository";
import {
  removeRevocation,
  revocationInTransaction,
  type RevocationRow,
  usableOrders,
} from "./revocation-rows";
import type { Sending } from "./sending";
import { type AccountInfo, openTokens, type Tokens, withRefreshToken } from "./tokens";

/** A new connection with the refresh token of an order. */
export interface Reclaimed {
  order: RevocationRow;
  /** The lease under which the order is sent. */
  seen: Seen;
  row: ConnectionRow;
}

/** An order before it is sent, and the connection of the user that may continue its grant. */
export interface Offer {
  order: RevocationRow;
  seen: Seen;
  /** Null: it is not known, or the grant cannot be continued. */
  account: string | null;
  /** The connection as it was read. */
  connection: ConnectionRow | undefined;
  /** With the refresh token; undefined if the connection does not need it or cannot be opened. */
  next: ConnectionRow | undefined;
}

export class ReclaimedGrants {
  readonly #core: Core;
  readonly #sending: Sending;

  constructor(core: Core, sending: Sending) {
    this.#core = core;
    this.#sending = sending;
  }

  /** The row of a new grant that came without a refresh token, with that of an order; undefined if none is known. */
  async find(row: ConnectionRow, provider: Provider): Promise<Reclaimed | undefined> {
    const { store, keyring } = this.#core;
    if (row.has_refresh === 1 || row.account === null) return undefined;
    for (const order of await usableOrders(store, row)) {
      const seen = await this.#sending.look(order.id);
      // The provider may be ending this grant.
      if (seen.state !== undefined && !seen.isDead) continue;
      const grant = await openOrder(keyring, order).catch(orUnopenable);
      if (grant?.refreshToken === undefined || accountOf(provider, grant) !== row.account) continue;
      const next = await withRefreshToken(this.#core, row, grant.refreshToken);
      if (next !== undefined) return { order, seen, row: next };
    }
    return undefined;
  }

  /** Removes the order whose refresh token was found; false if it has changed or a process has begun to send it. */
  *take({ order, seen }: Pick<Reclaimed, "order" | "seen">): Transaction<boolean> {
    const current = yield* revocationInTransaction(order.id);
    if (current === undefined || !hasSameTokens(current, order)) return false;
    if (!(yield* this.#sending.takeAway(order.id, seen))) return false;
    yield* removeRevocation(order.id);
    return true;
  }

  /** Looks for the connection that needs the refresh token of an order. `grant`: what the order contains. */
  async offer(
    order: RevocationRow,
    { seen, provider, grant }: { seen: Seen; provider: Provider; grant: (Tokens & AccountInfo) | undefined },
  ): Promise<Offer> {
    const { project_id, user_id, provider_id } = order;
    const refreshToken = order.is_usable === 1 ? grant?.refreshToken : undefined;
    if (grant === undefined || refreshToken === undefined)
      return { order, seen, account: null, connection: undefined, next: undefined };
    const account = accountOf(provider, grant);
    const connection = await repository.findConnection(this.#core.store, project_id, user_id, provider_id);
    const isWanted = connection !== undefined && continues(connection, order, account);
    const next = isWanted ? await withRefreshToken(this.#core, connection, refreshToken) : undefined;
    return { order, seen, account, connection, next };
  }

  /** Gives the connection the refresh token, and removes the order. "changed": another offer must be made. */
  *accept({
    order,
    seen,
    account,
    connection,
    next,
  }: Offer): Transaction<"accepted" | "changed" | "declined"> {
    const { project_id, user_id, provider_id } = order;
    const current = yield* repository.connectionInTransaction(project_id, user_id, provider_id);
    if (current === undefined || !continues(current, order, account)) return "declined";
    if (current.id !== connection?.id || current.version !== connection.version) return "changed";
    if (next === undefined) return "declined";
    if (!(yield* this.take({ order, seen }))) return "changed";
    yield* repository.updateConnection(next);
    return "accepted";
  }
}

/** Opens the grant of an order. Throws `Unopenable`. */
export async function openOrder(keyring: Keyring, order: RevocationRow): Promise<Tokens & AccountInfo> {
  const { sealed_tokens, sealed_facts, sealed_grant, flow_id } = order;
  if (sealed_tokens !== null) return openTokens(keyring, { ...order, sealed_tokens, sealed_facts });
  return openHeldGrant(keyring, order.project_id, flow_id ?? "", sealed_grant ?? "");
}

/** Whether a connection lacks the refresh token of this order, which is of the same account. */
function continues(row: ConnectionRow, { origins_id }: RevocationRow, account: string | null): boolean {
  const isWithout = row.status === "active" && row.has_refresh === 0;
  return isWithout && account !== null && row.account === account && row.origins_id === origins_id;
}

/** False after a refresh for the revocation, and after a rotation of keys. */
function hasSameTokens(order: RevocationRow, before: RevocationRow): boolean {
  return order.sealed_tokens === before.sealed_tokens && order.sealed_grant === before.sealed_grant;
}

function orUnopenable(error: unknown): undefined {
  if (!(error instanceof Unopenable)) throw error;
}
