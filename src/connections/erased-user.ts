// The grants of a user who is erased. Their providers must still be told, so the orders to revoke them go on under a name that
// belongs to no user.
import type { Core } from "../core";
import { newToken } from "../crypto";
import type { Providers } from "../providers";
import { all, command, erase, query, run, type Transaction } from "../store";
import { type ConnectionRow, connectionsOfUser, deleteConnection } from "./repository";
import { addRevocation, findRevocation, removeRevocation, type RevocationRow } from "./revocation-rows";
import type { Revocations } from "./revocations";
import { openTokens, orLost, sealTokens } from "./tokens";

const MOST = 10_000;
/** Valid ids of users have no control characters. */
const NO_USER = "\u0001erased ";

type SealedOrder = Pick<RevocationRow, "id" | "provider_id" | "sealed_tokens" | "sealed_facts">;

const CONNECTIONS = query<ConnectionRow>("SELECT * FROM connections WHERE project_id = ? AND user_id = ?");
const ORDERS = query<SealedOrder>(
  "SELECT id, provider_id, sealed_tokens, sealed_facts FROM revocations WHERE project_id = ? AND user_id = ?",
);
const rename = command<SealedOrder & { alias: string; before: string | null }>(
  "UPDATE revocations SET user_id = :alias, sealed_tokens = :sealed_tokens, sealed_facts = :sealed_facts, is_usable = 0 " +
    "WHERE id = :id AND provider_id = :provider_id AND sealed_tokens IS NOT DISTINCT FROM :before",
);
// What a consent has received and not confirmed. It is sealed for its flow.
const OF_FLOWS = query<{ id: string }>(
  "SELECT id FROM authorizations WHERE status = 'pending' AND sealed_grant IS NOT NULL AND project_id = ? AND user_id = ?",
);
const ORDER_OF_FLOW = query(
  "INSERT INTO revocations (id, project_id, user_id, provider_id, flow_id, origins_id, sealed_grant, is_usable, attempts, " +
    "due_at, created_at) SELECT id, project_id, ?, provider_id, id, COALESCE((SELECT origins_id FROM auth_providers AS " +
    "provider WHERE provider.project_id = authorizations.project_id AND provider.id = authorizations.provider_id), ''), " +
    "sealed_grant, 0, 0, ?, ? FROM authorizations WHERE project_id = ? AND id = ?",
);

export interface GivenUp {
  /** The orders, to be sent after the transaction. */
  orders: string[];
  /** Deletes the connections, and stores the orders. False: something has changed since. */
  body(): Transaction<boolean>;
}

/** Prepares that a user has no grants any more. */
export async function givenUpGrants(
  core: Pick<Core, "store" | "keyring" | "clock" | "random">,
  providers: Providers,
  { projectId, userId }: { projectId: string; userId: string },
): Promise<GivenUp> {
  const { store, keyring, clock, random } = core;
  const alias = `${NO_USER}${newToken(random)}`;
  const rows = await store.all(CONNECTIONS, projectId, userId);
  const added: { row: ConnectionRow; id: string }[] = [];
  for (const row of rows) {
    const provider = await providers.find(projectId, row.provider_id);
    if (provider?.oauth2.revoke === undefined) continue;
    const sealed = await underAlias(keyring, row, alias);
    if (sealed !== undefined)
      added.push({ row: { ...row, ...sealed, user_id: alias, status: "erased" }, id: newToken(random) });
  }
  const known = await store.all(ORDERS, projectId, userId);
  const renamed = await Promise.all(
    known.map(async (order) => {
      if (order.sealed_tokens === null) return { order, sealed: { sealed_tokens: null, sealed_facts: null } };
      const grant = { ...order, sealed_tokens: order.sealed_tokens, project_id: projectId, user_id: userId };
      return { order, sealed: await underAlias(keyring, grant, alias) };
    }),
  );
  const orders = [...added, ...renamed.map(({ order }) => order)].map(({ id }) => id);
  return {
    orders,
    *body() {
      const now = clock.now();
      const current = yield* connectionsOfUser(projectId, userId, MOST);
      if (!hasSame(current, rows)) return false;
      yield* erase();
      for (const row of current) yield* deleteConnection(row);
      for (const { row, id } of added) yield* addRevocation(row, id, now);
      for (const { order, sealed } of renamed) {
        if (sealed === undefined) yield* removeRevocation(order.id);
        else yield* rename({ ...order, ...sealed, alias, before: order.sealed_tokens });
      }
      for (const { id } of yield* all(OF_FLOWS, projectId, userId)) {
        yield* run(ORDER_OF_FLOW, alias, now, now, projectId, id);
        orders.push(id);
      }
      return (yield* all(ORDERS, projectId, userId)).length === 0;
    },
  };
}

type SealedGrant = Pick<
  ConnectionRow,
  "project_id" | "user_id" | "provider_id" | "sealed_tokens" | "sealed_facts"
>;

/** Undefined: it cannot be opened, and so not be revoked. */
async function underAlias(keyring: Core["keyring"], row: SealedGrant, alias: string) {
  const opened = await openTokens(keyring, row).catch(orLost(undefined));
  if (opened === undefined) return undefined;
  const { facts, userInfo } = opened;
  const info = { facts, ...(userInfo === undefined ? {} : { userInfo }) };
  return sealTokens(keyring, { ...row, user_id: alias }, opened, info);
}

function hasSame(current: readonly ConnectionRow[], before: readonly ConnectionRow[]): boolean {
  const versions = (rows: readonly ConnectionRow[]): string[] =>
    rows.map(({ id, version, sealed_tokens }) => `${id} ${version} ${sealed_tokens}`).toSorted();
  return Bun.deepEquals(versions(current), versions(before));
}

/** Sends orders now. Returns how many are done, and how many wait for their next attempt. */
export async function sentOrders(
  { store }: Pick<Core, "store">,
  revocations: Revocations,
  ids: readonly string[],
): Promise<{ revoked: number; waiting: number }> {
  await Promise.all(ids.map((id) => revocations.send(id)));
  const left = await Promise.all(ids.map((id) => findRevocation(store, id)));
  const waiting = left.filter((row) => row !== undefined).length;
  return { revoked: ids.length - waiting, waiting };
}
