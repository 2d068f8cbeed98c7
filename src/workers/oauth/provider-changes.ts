// The changes of auth providers that go into the transactions of workers.
import { present } from "../../base";
import type { Core } from "../../core";
import type { Principal } from "../../identity";
import {
  type OAuth2ProviderCreate,
  type Provider,
  providerInTransaction,
  type Providers,
  workerOf,
  type Writer,
} from "../../providers";
import type { Change, Transaction } from "../../store";
import type { WorkerAccess } from "./access";
import { keepsGrants, type ProviderFacts, providerFor, saysTheSame } from "./provider";
import { keepRegistration, type WorkerKey } from "./registrations";

export class ProviderChanges {
  readonly #core: Core;
  readonly #providers: Providers;

  constructor(core: Core, providers: Providers) {
    this.#core = core;
    this.#providers = providers;
  }

  /** Creates the provider, or changes `stored` if its grants stay good. Otherwise its connections end. */
  async toOffer(
    principal: Principal,
    { worker, stored, facts }: { worker: WorkerKey; stored: Provider | undefined; facts: ProviderFacts },
  ): Promise<Change<void>> {
    const record = providerFor(facts);
    const { registration } = facts.client;
    const keep =
      registration === undefined ? undefined : await keepRegistration(this.#core, worker, registration);
    const change =
      stored !== undefined && stored.oauth2.worker === worker.id && keepsGrants(stored, record)
        ? await this.#patch(principal, stored, record)
        : await this.#replace(principal, worker, record);
    return {
      *body() {
        yield* change.body();
        if (keep !== undefined) yield* keep();
      },
      committed: () => change.committed?.(),
    };
  }

  async #patch(principal: Principal, { id }: Provider, record: OAuth2ProviderCreate): Promise<Change<void>> {
    const known = await this.#providers.get(principal, id);
    const { client_secret, ...oauth2 } = record.oauth2;
    const same = await this.#providers.sameSecrets(principal, id, { client_secret, private_key: undefined });
    const isSame = same.includes("client_secret") || client_secret === undefined;
    if (known.status === "active" && isSame && saysTheSame(known, record)) return NOTHING;
    const secret = isSame ? {} : { client_secret };
    const change = await this.#providers.change(principal, id, {
      ...present({ description: record.description }),
      status: "active",
      oauth2: { ...oauth2, ...secret },
    });
    return withoutResult(change);
  }

  /** A new provider in place of the earlier one, whose grants end. */
  async #replace(
    principal: Principal,
    worker: WorkerKey,
    record: OAuth2ProviderCreate,
  ): Promise<Change<void>> {
    const earlier = this.#removal(principal, record.id, worker.id);
    const creation = withoutResult(await this.#providers.creation(principal, record, worker.id));
    return {
      *body() {
        yield* earlier.body();
        yield* creation.body();
      },
      committed: () => earlier.committed?.(),
    };
  }

  /** Lets users consent and tools run, or not. */
  async ofStatus(by: Writer, id: string, status: "active" | "inactive"): Promise<Change<void>> {
    const known = await this.#providers.find(by.projectId, id);
    if (known === undefined || known.active === (status === "active")) return NOTHING;
    return withoutResult(await this.#providers.change(by, id, { status }));
  }

  /** Deletes the provider that was created for a worker. */
  toRemove(principal: Principal, access: WorkerAccess | undefined): Change<void> {
    return access?.owned ? this.#removal(principal, access.provider) : NOTHING;
  }

  /** Deletes a provider if it is that of a worker. An administrator may have deleted it before. */
  #removal(principal: Principal, id: string, worker?: string): Change<void> {
    const deletion = this.#providers.deletion(principal, id);
    let isDeleted = false;
    return {
      *body(): Transaction<void> {
        const row = yield* providerInTransaction(principal.projectId, id);
        const owner = row === undefined ? undefined : workerOf(row);
        isDeleted = owner !== undefined && (worker === undefined || owner === worker);
        if (isDeleted) yield* deletion.body();
      },
      committed: () => (isDeleted ? deletion.committed?.(undefined as never) : undefined),
    };
  }
}

export const NOTHING: Change<void> = { *body() {} };

function withoutResult<T>(change: Change<T>): Change<void> {
  let result: T;
  return {
    *body() {
      result = yield* change.body();
    },
    committed: () => change.committed?.(result),
  };
}
