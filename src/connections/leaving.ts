// The grants of a project that is deleted. Its data keys are destroyed, so the orders to revoke them move to another project
// before, together with copies of their providers.
import type { Core } from "../core";
import { newToken, Unopenable } from "../crypto";
import { copyOfProvider, type Provider, type Providers } from "../providers";
import { all, get, query, type Transaction } from "../store";
import { addRevocation, ordersOf, removeRevocation, type RevocationRow } from "./revocation-rows";
import type { Revocations } from "./revocations";
import { sealTokens } from "./tokens";

/** The project that cannot be deleted. */
const HEIR = "default";
const ORDERS_AT_ONCE = 100;

const ORDER = query<{ id: string }>("SELECT id FROM revocations WHERE project_id = ? LIMIT 1");
const GRANTED = query<{ provider_id: string }>(
  "SELECT provider_id FROM connections WHERE project_id = ? UNION SELECT provider_id FROM authorizations " +
    "WHERE project_id = ? AND status = 'pending' AND sealed_grant IS NOT NULL",
);

export class LeavingGrants {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #revocations: Revocations;
  readonly #endGrants: (projectId: string, providerId: string) => Transaction<void>;

  /** `endGrants` ends the connections and pending consents of a provider, and orders the revocation of their grants. */
  constructor(
    core: Core,
    { providers, revocations }: { providers: Providers; revocations: Revocations },
    endGrants: (projectId: string, providerId: string) => Transaction<void>,
  ) {
    this.#core = core;
    this.#providers = providers;
    this.#revocations = revocations;
    this.#endGrants = endGrants;
  }

  /**
   * Ends the grants that can be revoked, and moves the orders. The result tells, in the transaction that deletes the project,
   * whether there are grants again.
   */
  async leave(projectId: string): Promise<() => Transaction<boolean>> {
    const { store } = this.#core;
    const revocable = (await this.#providers.ofProject(projectId)).filter(
      ({ oauth2 }) => oauth2.revoke !== undefined,
    );
    for (const { id } of revocable) await store.write(() => this.#endGrants(projectId, id));
    const origins = new Map<string, string>();
    let orders = await ordersOf(store, projectId, ORDERS_AT_ONCE);
    while (orders.length > 0) {
      for (const order of orders) await this.#move(order, origins);
      orders = await ordersOf(store, projectId, ORDERS_AT_ONCE);
    }
    const ids = new Set(revocable.map(({ id }) => id));
    return () => hasGrants(projectId, ids);
  }

  /** Sends the orders that were moved. */
  left(): void {
    this.#revocations.sendDueInBackground();
  }

  /** `origins`: of the providers that were copied, by what they were copied from. */
  async #move(order: RevocationRow, origins: Map<string, string>): Promise<void> {
    const { store, clock, log } = this.#core;
    const provider = await this.#revocations.providerOf(order);
    const add = await this.#copied(order, provider, origins).catch((error: unknown) => {
      if (!(error instanceof Unopenable)) throw error;
      log.warn("a grant was not revoked: its provider's secrets cannot be opened", {
        provider_id: order.provider_id,
      });
      return undefined;
    });
    await store.write(function* () {
      yield* removeRevocation(order.id);
      if (add !== undefined) yield* add(clock.now());
    });
  }

  /** Adds the order and, if it is the first one, its provider. Undefined if it cannot be carried out. */
  async #copied(
    order: RevocationRow,
    provider: Provider | undefined,
    origins: Map<string, string>,
  ): Promise<((now: number) => Transaction<void>) | undefined> {
    if (provider?.oauth2.revoke === undefined) return undefined;
    const tokens = await this.#revocations.opened(order);
    if (tokens === undefined) return undefined;
    const { keyring, random } = this.#core;
    const from = `${provider.id} ${provider.originsId}`;
    const known = origins.get(from);
    const originsId = known ?? newToken(random);
    const copy =
      known === undefined
        ? await copyOfProvider(this.#core, provider, { projectId: HEIR, originsId })
        : undefined;
    const key = { project_id: HEIR, user_id: order.user_id, provider_id: provider.id, origins_id: originsId };
    const { facts, userInfo } = tokens;
    const sealed = await sealTokens(keyring, key, tokens, {
      facts,
      ...(userInfo === undefined ? {} : { userInfo }),
    });
    const id = this.#revocations.newId();
    origins.set(from, originsId);
    return function* (now) {
      if (copy !== undefined) yield* copy();
      yield* addRevocation({ ...key, ...sealed }, id, now);
    };
  }
}

function* hasGrants(projectId: string, revocable: ReadonlySet<string>): Transaction<boolean> {
  if ((yield* get(ORDER, projectId)) !== undefined) return true;
  const granted = yield* all(GRANTED, projectId, projectId);
  return granted.some(({ provider_id }) => revocable.has(provider_id));
}
