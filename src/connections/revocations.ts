// Revokes grants that no connection holds any more. An order is stored in the transaction that gives up the grant, so it is
// carried out after a crash too.
import { allEnded } from "../base";
import type { Core } from "../core";
import { newToken, Unopenable } from "../crypto";
import type { Provider, Providers } from "../providers";
import type { HeldLease, Taken, Transaction } from "../store";
import { accountOf } from "./account";
import { ConsentsInProgress } from "./consents-in-progress";
import { FormerProviders } from "./former-providers";
import { type Offer, openOrder, ReclaimedGrants } from "./reclaimed";
import type { RepeatedWrites } from "../repeated-writes";
import * as repository from "./repository";
import { revokeOrRefresh } from "./revoke-expired";
import {
  addRevocation,
  changeRevocation,
  dueRevocations,
  findRevocation,
  ordersBeingSent,
  CONSENT_DELAY_MS,
  delayAfter,
  MAX_ATTEMPTS,
  removeRevocation,
  revocationInTransaction,
  type RevocationRow,
} from "./revocation-rows";
import { Sending } from "./sending";
import type { TokenGrant } from "./token-request";
import { type AccountInfo, sealTokens, type Tokens } from "./tokens";

/** The worker looks for orders this often. It must look at the leases of other processes more often than these change. */
const POLL_MS = 2500;
const SENDING_POLL_MS = 100;

/** Who has given a grant that is stored nowhere. */
export interface Owner {
  projectId: string;
  userId: string;
  provider: Provider;
  isUsable: boolean;
}

type Places = Awaited<ReturnType<Providers["listByClient"]>>;

export class Revocations {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #writes: RepeatedWrites;
  readonly #sending: Sending;
  readonly #former: FormerProviders;
  readonly reclaimed: ReclaimedGrants;
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  readonly #consents: ConsentsInProgress;

  constructor(core: Core, providers: Providers, writes: RepeatedWrites) {
    this.#core = core;
    this.#writes = writes;
    this.#providers = providers;
    this.#sending = new Sending(core);
    this.#former = new FormerProviders(core);
    this.#consents = new ConsentsInProgress(core.clock);
    this.reclaimed = new ReclaimedGrants(core, this.#sending);
  }

  newId(): string {
    return newToken(this.#core.random);
  }

  /**
   * Orders the revocation of a grant that is stored nowhere, and sends it in the background. `isUsable`: a later consent of
   * the same account may continue it. `also`: done in the same transaction, also if the provider cannot revoke.
   */
  async add(
    { projectId, userId, provider, isUsable }: Owner,
    grant: TokenGrant,
    also: () => Transaction<unknown> = nothing,
  ): Promise<void> {
    if (provider.oauth2.revoke === undefined)
      return also === nothing ? undefined : void (await this.#core.store.write(also));
    const { store, keyring, clock } = this.#core;
    const key = {
      project_id: projectId,
      user_id: userId,
      provider_id: provider.id,
      origins_id: provider.originsId,
    };
    const { facts, userInfo } = grant;
    const info = { facts, ...(userInfo === undefined ? {} : { userInfo }) };
    const sealed = await sealTokens(keyring, key, grant, info);
    const id = this.newId();
    const given = { ...key, ...sealed, ...(isUsable ? { status: "active" } : {}) };
    const order = function* (): Transaction<void> {
      yield* also();
      yield* addRevocation(given, id, clock.now());
    };
    await store.write(order, { reserved: true });
    this.sendInBackground(id);
  }

  sendInBackground(id: string): void {
    if (this.#running.has(id)) return;
    const work = this.send(id).finally(() => this.#running.delete(id));
    this.#running.set(id, work);
  }

  /** Sends some of the orders that are due; the worker sends the others. */
  sendDueInBackground(): void {
    const look = this.newId();
    const work = this.#sendDue()
      .catch((error: unknown) => this.#core.log.warn("revocations could not be read", { error }))
      .finally(() => this.#running.delete(look));
    this.#running.set(look, work);
  }

  async #sendDue(): Promise<void> {
    const due = await dueRevocations(this.#core.store, this.#core.clock.now());
    for (const id of due) this.sendInBackground(id);
  }

  /** Sends a revocation unless it is done or a connection needs the grant. A failure is logged; the worker tries again. */
  async send(id: string): Promise<void> {
    try {
      const row = await findRevocation(this.#core.store, id);
      if (row !== undefined) await this.#send(row);
    } catch (error) {
      this.#core.log.warn("a revocation failed", { error });
    }
  }

  /** Waits until no revocation is being sent that could end a new grant of the user; at most as long as a request. */
  async wait(projectId: string, userId: string, providerId: string): Promise<void> {
    const { store, clock, settings } = this.#core;
    const deadline = clock.monotonic() + settings["egress.timeout"] * 1000;
    while (clock.monotonic() < deadline) {
      const ids = await ordersBeingSent(store, { projectId, userId, providerId });
      if (!(await this.#sending.isAny(ids))) return;
      await clock.sleep(SENDING_POLL_MS);
    }
  }

  /** Sends what is due until the signal aborts. `before` runs before each look. */
  async work(signal: AbortSignal, before: () => Promise<void>): Promise<void> {
    const { clock, log } = this.#core;
    while (!signal.aborted) {
      try {
        await before();
        await this.#former.removeUnused();
        await this.#sendDue();
      } catch (error) {
        log.warn("revocations could not be read", { error });
      }
      await clock.sleep(POLL_MS, signal);
    }
    await allEnded(this.#running);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await allEnded(this.#running);
  }

  async #send(row: RevocationRow): Promise<void> {
    const { store, log } = this.#core;
    const seen = await this.#sending.look(row.id);
    if (seen.state !== undefined && !seen.isDead) return;
    const provider = await this.providerOf(row);
    if (provider?.oauth2.revoke === undefined) return store.write(() => removeRevocation(row.id));
    const tokens = await this.opened(row);
    const account = tokens === undefined ? null : accountOf(provider, tokens);
    const places = provider.oauth2.revokesSingleGrant ? [] : await this.#providers.listByClient(provider);
    const offer = await this.reclaimed.offer(row, { seen, provider, grant: tokens });
    const claim = await store.write(() => this.#claim(provider, { account, places, offer }));
    const provider_id = provider.id;
    if (claim === "reclaimed")
      log.info("a grant was not revoked at its provider: the user has consented again", { provider_id });
    if (claim === "needed")
      log.info("a grant was not revoked at its provider: another connection may use it", { provider_id });
    if (claim === "given up")
      log.error("a grant was not revoked at its provider; there are no more attempts", { provider_id });
    if (typeof claim === "string") return;
    const held = this.#sending.held(claim);
    const result = tokens === undefined ? "failed" : await this.#revoke(row, provider, tokens, held);
    const end = (): Promise<void> => this.#sending.end(held, () => ended(row.id, result === "revoked"));
    // Without an answer, the provider may still be working on it.
    if (result === "unknown") this.#later(claim.at, end);
    else await end();
  }

  async #revoke(
    row: RevocationRow,
    provider: Provider,
    grant: Tokens & AccountInfo,
    { check: fence }: HeldLease,
  ) {
    try {
      const keys = await this.#providers.clientKeys(provider);
      const writes = this.#writes;
      return await revokeOrRefresh(this.#core, { row, provider, keys, grant, writes, fence });
    } catch (error) {
      this.#core.log.warn("a revocation failed", { error });
      return "failed";
    }
  }

  /** Calls `end` when the longest request that began at `since` would be over, unless this process stops before. */
  #later(since: number, end: () => Promise<void>): void {
    const { clock, settings, log } = this.#core;
    const { signal } = this.#closing;
    clock
      .sleep(since + settings["egress.timeout"] * 1000 - clock.monotonic(), signal)
      .then(() => (signal.aborted ? undefined : end()))
      .catch((error: unknown) => log.warn("a revocation failed", { error }));
  }

  /** The provider with the addresses that the grant was given for; undefined if they are not known any more. */
  async providerOf({ project_id, provider_id, origins_id }: RevocationRow): Promise<Provider | undefined> {
    const provider = await this.#providers.find(project_id, provider_id);
    if (provider?.originsId === origins_id) return provider;
    const former = await this.#providers.findFormer(project_id, provider_id, origins_id);
    if (former === undefined)
      this.#core.log.warn("a grant was not revoked: the former addresses of its provider are not known", {
        provider_id,
      });
    return former;
  }

  /** The grant of an order; undefined if it cannot be opened. */
  async opened(row: RevocationRow): Promise<(Tokens & AccountInfo) | undefined> {
    const { keyring, log } = this.#core;
    try {
      return await openOrder(keyring, row);
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      log.warn("a grant was not revoked at its provider: its tokens cannot be opened", {
        provider_id: row.provider_id,
      });
      return undefined;
    }
  }

  // In one transaction with the lease, so that a connection that is stored later has waited for the revocation.
  *#claim(
    provider: Provider,
    { account, places, offer }: { account: string | null; places: Places; offer: Offer },
  ): Transaction<Taken | "needed" | "reclaimed" | "later" | "given up"> {
    const { clock, settings } = this.#core;
    const { id } = offer.order;
    const now = clock.now();
    const row = yield* revocationInTransaction(id);
    if (row === undefined) return "later";
    const answer = yield* this.reclaimed.accept(offer);
    if (answer !== "declined") return answer === "accepted" ? "reclaimed" : "later";
    if (row.attempts >= MAX_ATTEMPTS) {
      yield* removeRevocation(id);
      return "given up";
    }
    if (!provider.oauth2.revokesSingleGrant && (yield* isNeeded(account, places))) {
      yield* removeRevocation(id);
      return "needed";
    }
    // It may return another access token of this grant.
    if (yield* this.#consents.isAny(row)) {
      yield* changeRevocation({ ...row, due_at: now + CONSENT_DELAY_MS });
      return "later";
    }
    const taken = yield* this.#sending.take(id, offer.seen);
    if (taken === undefined) return "later";
    const sending_until = now + settings["egress.timeout"] * 1000;
    const due_at = now + delayAfter(row.attempts);
    yield* changeRevocation({ id, attempts: row.attempts + 1, due_at, sending_until });
    return taken;
  }
}

function* nothing(): Transaction<void> {}

/** An order that was carried out goes; the others wait for their next attempt. */
function* ended(id: string, isDone: boolean): Transaction<void> {
  const row = yield* revocationInTransaction(id);
  if (isDone) yield* removeRevocation(id);
  else if (row !== undefined) yield* changeRevocation({ ...row, sending_until: null });
}

// A revocation ends all grants of the client for the account. If the account is unknown, any other connection of the
// client may belong to it.
function* isNeeded(account: string | null, places: Places): Transaction<boolean> {
  if (account !== null && (yield* repository.isAccountUsed(account))) return true;
  for (const place of places)
    if (yield* repository.hasActive(place, account === null ? "all" : "unknown")) return true;
  return false;
}
