// Revokes grants that no connection holds any more. An order is stored in the transaction that gives up the grant, so it is
// carried out after a crash too.
import type { Core } from "../core";
import { newToken, Unopenable } from "../crypto";
import type { ClientKeys, Provider, Providers } from "../providers";
import type { Transaction } from "../store";
import { accountOf } from "./grant-store";
import { openHeldGrant } from "./held-grant";
import * as repository from "./repository";
import { refreshedForRevocation, revokeGrant, type Revoked, revokesByAccessToken } from "./revoke";
import {
  addRevocation,
  changeRevocation,
  dueRevocations,
  findRevocation,
  hasUnusedFormer,
  isBeingSent,
  isConsenting,
  removeRevocation,
  removeUnusedFormer,
  replaceTokens,
  revocationInTransaction,
  type RevocationRow,
} from "./revocation-rows";
import type { TokenGrant } from "./token-request";
import { type AccountInfo, openTokens, sealTokens, type Tokens } from "./tokens";

/** The worker looks for orders this often. */
const POLL_MS = 5000;
const FIRST_DELAY_MS = 5000;
const MAX_DELAY_MS = 2 * 3600_000;
/** About a day. */
const MAX_ATTEMPTS = 20;
/** A revocation waits for a consent that is in progress, whose grant it might end. */
const CONSENT_DELAY_MS = 30_000;
const SENDING_POLL_MS = 100;

type Places = Awaited<ReturnType<Providers["listByClient"]>>;

export class Revocations {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #running = new Set<Promise<void>>();

  constructor(core: Core, providers: Providers) {
    this.#core = core;
    this.#providers = providers;
  }

  newId(): string {
    return newToken(this.#core.random);
  }

  /** Orders the revocation of a grant that is stored nowhere, and sends it in the background. */
  async add(projectId: string, userId: string, provider: Provider, grant: TokenGrant): Promise<void> {
    if (provider.oauth2.revoke === undefined) return;
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
    await store.write(() => addRevocation({ ...key, ...sealed }, id, clock.now()), { reserved: true });
    this.sendInBackground(id);
  }

  sendInBackground(id: string): void {
    const work = this.send(id).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** Sends some of the orders that are due; the worker sends the others. */
  sendDueInBackground(): void {
    const { store, clock, log } = this.#core;
    const work = dueRevocations(store, clock.now())
      .then((ids) => ids.forEach((id) => this.sendInBackground(id)))
      .catch((error: unknown) => log.warn("revocations could not be read", { error }))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
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
    while (
      clock.monotonic() < deadline &&
      (await isBeingSent(store, { projectId, userId, providerId }, clock.now()))
    )
      await clock.sleep(SENDING_POLL_MS);
  }

  /** Sends what is due until the signal aborts. `before` runs before each look. */
  async work(signal: AbortSignal, before: () => Promise<void>): Promise<void> {
    const { store, clock, log } = this.#core;
    while (!signal.aborted) {
      try {
        await before();
        if (await hasUnusedFormer(store, clock.now()))
          await store.write(() => removeUnusedFormer(clock.now()));
        for (const id of await dueRevocations(store, clock.now())) if (!signal.aborted) await this.send(id);
      } catch (error) {
        log.warn("revocations could not be read", { error });
      }
      await clock.sleep(POLL_MS, signal);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #send(row: RevocationRow): Promise<void> {
    const { store, log } = this.#core;
    const provider = await this.#providerOf(row);
    if (provider?.oauth2.revoke === undefined) return store.write(() => removeRevocation(row.id));
    const tokens = await this.#opened(row);
    const account = tokens === undefined ? null : accountOf(provider, tokens);
    const places = provider.oauth2.revokesSingleGrant ? [] : await this.#providers.listByClient(provider);
    const claim = await store.write(() => this.#claim(row, provider, account, places));
    const provider_id = provider.id;
    if (claim === "needed")
      log.info("a grant was not revoked at its provider: another connection may use it", { provider_id });
    if (claim === "given up")
      log.error("a grant was not revoked at its provider; there are no more attempts", { provider_id });
    if (claim !== "claimed") return;
    const keys = tokens && (await this.#providers.clientKeys(provider));
    const result = tokens && keys ? await this.#revoke(row, provider, keys, tokens) : "failed";
    if (result === "revoked") return store.write(() => removeRevocation(row.id));
    // Without an answer, the provider may still be working on it.
    if (result !== "unknown") await store.write(() => this.#failed(row.id));
  }

  /** With an expired access token the provider refuses the revocation, so it is refreshed and tried again. */
  async #revoke(
    row: RevocationRow,
    provider: Provider,
    keys: ClientKeys,
    tokens: Tokens & AccountInfo,
  ): Promise<Revoked> {
    const result = await revokeGrant(this.#core, provider, keys, tokens);
    if (result !== "refused" || !revokesByAccessToken(provider)) return result;
    const newer = await refreshedForRevocation(this.#core, provider, keys, tokens);
    if (newer === undefined) return result;
    // The refresh token can be used only once: the next attempt needs the new one.
    await this.#keep(row, newer);
    return revokeGrant(this.#core, provider, keys, newer);
  }

  async #keep(row: RevocationRow, tokens: Tokens & AccountInfo): Promise<void> {
    const { keyring, store, log } = this.#core;
    if (row.sealed_tokens === null) return;
    const { facts, userInfo } = tokens;
    try {
      const info = { facts, ...(userInfo === undefined ? {} : { userInfo }) };
      const sealed = await sealTokens(keyring, row, tokens, info);
      await store.write(() => replaceTokens({ id: row.id, ...sealed }), { reserved: true });
    } catch (error) {
      log.warn("new tokens of a revocation could not be stored", { error });
    }
  }

  /** The provider with the addresses that the grant was given for; undefined if they are not known any more. */
  async #providerOf({ project_id, provider_id, origins_id }: RevocationRow): Promise<Provider | undefined> {
    const provider = await this.#providers.find(project_id, provider_id);
    if (provider === undefined || provider.originsId === origins_id) return provider;
    const former = await this.#providers.findFormer(project_id, provider_id, origins_id);
    if (former === undefined)
      this.#core.log.warn("a grant was not revoked: the former addresses of its provider are not known", {
        provider_id,
      });
    return former;
  }

  async #opened(row: RevocationRow): Promise<(Tokens & AccountInfo) | undefined> {
    const { keyring, log } = this.#core;
    const { sealed_tokens, sealed_facts, sealed_grant, flow_id } = row;
    try {
      if (sealed_tokens !== null) return await openTokens(keyring, { ...row, sealed_tokens, sealed_facts });
      return await openHeldGrant(keyring, row.project_id, flow_id ?? "", sealed_grant ?? "");
    } catch (error) {
      if (!(error instanceof Unopenable)) throw error;
      log.warn("a grant was not revoked at its provider: its tokens cannot be opened", {
        provider_id: row.provider_id,
      });
      return undefined;
    }
  }

  // In one transaction with the mark, so that a connection that is stored later has waited for the revocation.
  *#claim(
    { id }: RevocationRow,
    provider: Provider,
    account: string | null,
    places: Places,
  ): Transaction<"claimed" | "needed" | "later" | "given up"> {
    const { clock, settings } = this.#core;
    const now = clock.now();
    const row = yield* revocationInTransaction(id);
    if (row === undefined || (row.sending_until ?? 0) > now) return "later";
    if (row.attempts >= MAX_ATTEMPTS) {
      yield* removeRevocation(id);
      return "given up";
    }
    if (!provider.oauth2.revokesSingleGrant) {
      if (yield* isNeeded(account, places)) {
        yield* removeRevocation(id);
        return "needed";
      }
      if (yield* isConsenting(row, now)) {
        yield* changeRevocation({ ...row, due_at: now + CONSENT_DELAY_MS });
        return "later";
      }
    }
    // A refresh may come in between.
    const sending_until = now + 2 * settings["egress.timeout"] * 1000;
    const due_at = now + Math.min(FIRST_DELAY_MS * 2 ** row.attempts, MAX_DELAY_MS);
    yield* changeRevocation({ id, attempts: row.attempts + 1, due_at, sending_until });
    return "claimed";
  }

  *#failed(id: string): Transaction<void> {
    const row = yield* revocationInTransaction(id);
    if (row !== undefined) yield* changeRevocation({ ...row, sending_until: null });
  }
}

// A revocation ends all grants of the client for the account. If the account is unknown, any other connection of the
// client may belong to it.
function* isNeeded(account: string | null, places: Places): Transaction<boolean> {
  if (account !== null && (yield* repository.isAccountUsed(account))) return true;
  for (const place of places)
    if (yield* repository.hasActive(place, account === null ? "all" : "unknown")) return true;
  return false;
}
