// The end of a flow: holds a grant for the user check, stores a grant, or fails.
import type { Actor, Audit } from "../audit";
import { RecentMap } from "../base";
import {
  type Connections,
  missingScopes,
  openHeldGrant,
  type Owner,
  type RefusedGrantError,
  sealHeldGrant,
  type TokenGrant,
} from "../connections";
import type { Core } from "../core";
import type { Provider, Providers } from "../providers";
import type { Transaction } from "../store";
import { changeReason } from "./callback/checks";
import { DECLINED, EXPIRED, NOT_GRANTED, OPENED_MS, partiesOf, reasonOf, statusOf } from "./flow";
import { type Outcome, UNKNOWN_STATE } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";

/** Held grants whose age a process knows at the same time. */
const REMEMBERED = 1000;

/** Rolls back the transaction that stores a grant, because the flow has ended. */
class FlowEnded extends Error {}

export interface FinishParts {
  audit: Audit;
  providers: Providers;
  connections: Connections;
  /** Called when a grant has been stored. */
  granted?: ((grant: NewGrant) => void) | undefined;
}

export interface NewGrant {
  projectId: string;
  userId: string;
  providerId: string;
}

export class Finish {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #connections: Connections;
  readonly #audit: Audit;
  readonly #granted: FinishParts["granted"];
  /** Flows that hold a grant: the monotonic time at which each was seen first. */
  readonly #heldSince = new RecentMap<string, number>(REMEMBERED);

  constructor(core: Core, { providers, connections, audit, granted }: FinishParts) {
    this.#core = core;
    this.#audit = audit;
    this.#providers = providers;
    this.#connections = connections;
    this.#granted = granted;
  }

  /**
   * Stores the sealed grant in its flow until the user check has succeeded. Returns the flow with it, or the outcome of a
   * flow that has ended in the meantime, whose grant is revoked.
   */
  async hold(flow: FlowRow, provider: Provider, grant: TokenGrant): Promise<FlowRow | Outcome> {
    const { store, keyring, clock } = this.#core;
    const { project_id, id } = flow;
    const now = clock.now();
    const write = async (): Promise<boolean> => {
      // Each attempt seals it again: a rotation may have deleted the data key meanwhile.
      const sealed = await sealHeldGrant(keyring, project_id, id, grant, now);
      return store.write(() => repository.holdGrant(flow, sealed), { reserved: true });
    };
    const isHeld = await this.#connections.keep(write).catch(async (error: unknown) => {
      await this.#giveUp(flow, provider, grant);
      throw error;
    });
    if (!isHeld) return this.#tooLate(flow, provider, grant);
    this.#heldFor(flow);
    // Its other values may have been sealed again, too.
    const current = await repository.findFlow(store, project_id, id);
    if (current === undefined) return UNKNOWN_STATE;
    return this.ended(current) ?? current;
  }

  /** Stores the held grant after the user check. */
  async completeHeld(flow: FlowRow, by: Actor): Promise<Outcome> {
    if (flow.sealed_grant === null) return UNKNOWN_STATE;
    const provider = await this.#providers.find(flow.project_id, flow.provider_id ?? "");
    const stale = provider === undefined ? "the auth provider was deleted" : changeReason(flow, provider);
    if (provider === undefined || stale !== undefined) return this.fail(flow, stale ?? "", by);
    return this.complete(flow, provider, await this.#held(flow, flow.sealed_grant), by);
  }

  /**
   * Stores the grant and ends the flow in one transaction. If the flow has ended in the meantime (the provider was deleted,
   * or the user declined in another tab), nothing is stored. A grant with too few scopes is stored, but the flow fails.
   */
  async complete(flow: FlowRow, provider: Provider, grant: TokenGrant, by: Actor): Promise<Outcome> {
    const end = (ending: repository.Ending): Transaction<boolean> => this.#end(flow, ending, by);
    const requested: string[] = JSON.parse(flow.scopes);
    const needed: string[] = JSON.parse(flow.needed);
    const missing = missingScopes(grant.scopes ?? requested, needed, provider.oauth2.scopeAliases);
    const reason = missing.length === 0 ? null : NOT_GRANTED + missing.join(", ");
    const status = reason === null ? "completed" : "failed";
    try {
      await this.#connections.store(
        flow.project_id,
        flow.user_id,
        provider,
        grant,
        requested,
        function* (connectionId, scopes, renewable) {
          const statusReason = reason ?? (renewable ? null : renewalWarning(provider, grant));
          const ending = { status, reason: statusReason, scopes, connectionId } as const;
          if (!(yield* end(ending))) throw new FlowEnded();
        },
      );
    } catch (error) {
      if (!(error instanceof FlowEnded)) {
        if (flow.sealed_grant === null) await this.#giveUp(flow, provider, grant);
        throw error;
      }
      return this.#tooLate(flow, provider, grant);
    }
    this.#count(reason);
    this.#granted?.({ projectId: flow.project_id, userId: flow.user_id, providerId: provider.id });
    return reason === null ? completedOutcome(flow) : { kind: "failed", reason, about: partiesOf(flow) };
  }

  /** Fails a flow. The grant that it holds is revoked. */
  async fail(flow: FlowRow, reason: string, by: Actor): Promise<Outcome> {
    if (await this.#core.store.write(() => this.#fail(flow, reason, by))) this.#count(reason);
    this.#connections.revocations.sendInBackground(flow.id);
    return { kind: "failed", reason, about: partiesOf(flow) };
  }

  /** Fails a flow with a grant that must not be used, which is revoked. */
  async refuse(flow: FlowRow, provider: Provider, error: RefusedGrantError, by: Actor): Promise<Outcome> {
    const { message: reason, grant } = error;
    await this.#revoke({ ...ownerOf(flow, provider), isUsable: false }, grant, () =>
      this.#fail(flow, reason, by),
    );
    this.#count(reason);
    return { kind: "failed", reason, about: partiesOf(flow) };
  }

  /** For metrics. `reason`: why the consent has failed; null: it has not. */
  #count(reason: string | null): void {
    const event = reason === null ? "granted" : DECLINED.has(reason) ? "declined" : "failed";
    this.#core.telemetry.count("consent", { event });
  }

  #fail(flow: FlowRow, reason: string, by: Actor): Transaction<boolean> {
    const scopes: string[] = JSON.parse(flow.scopes);
    return this.#end(flow, { status: "failed", reason, scopes, connectionId: null }, by);
  }

  /** Revokes a grant that nothing holds. `also`: done in the same transaction. */
  async #revoke(owner: Owner, grant: TokenGrant, also?: () => Transaction<unknown>): Promise<void> {
    await this.#connections.keep(() => this.#connections.revocations.add(owner, grant, also));
  }

  /** Completes a flow that tests the customer's verifier. */
  async completeTest(flow: FlowRow, by: Actor): Promise<Outcome> {
    const ending = { status: "completed", reason: null, scopes: [], connectionId: null } as const;
    await this.#core.store.write(() => this.#end(flow, ending, by));
    return { kind: "tested", userId: flow.user_id };
  }

  /** Ends a pending flow, with its audit entry; false if it had already ended. */
  *#end(flow: FlowRow, ending: repository.Ending, by: Actor): Transaction<boolean> {
    if (!(yield* repository.finishFlow(flow, ending, this.#core.clock.now()))) return false;
    const { status, reason, scopes, connectionId } = ending;
    const isDeclined = reason !== null && DECLINED.has(reason);
    const [action, result] =
      status === "completed"
        ? (["consent.granted", "ok"] as const)
        : isDeclined
          ? (["consent.declined", "declined"] as const)
          : (["consent.failed", "failed"] as const);
    yield* this.#audit.record(by, action, flow.id, {
      result,
      user: flow.user_id,
      details: {
        ...(flow.provider_id === null ? { test: true } : { provider: flow.provider_id, scopes }),
        ...(connectionId === null ? {} : { connection: connectionId }),
        ...(reason === null ? {} : { reason }),
      },
    });
    return true;
  }

  /**
   * Fails flows that have expired with a grant: this process has seen the grant for as long as an opened flow lives. The wall
   * clock may be wrong, and another process may be finishing the flow.
   */
  async failExpired(): Promise<void> {
    const { store } = this.#core;
    for (const held of await repository.heldFlows(store, REMEMBERED)) {
      if (this.#heldFor(held) < OPENED_MS) continue;
      const flow = await repository.findFlow(store, held.project_id, held.id);
      if (flow?.status !== "pending") continue;
      await this.fail(flow, EXPIRED, { kind: "server", projectId: flow.project_id });
    }
  }

  /** For how long this process knows that the flow holds a grant, ms. */
  #heldFor({ id }: Pick<FlowRow, "id">): number {
    const now = this.#core.clock.monotonic();
    const since = this.#heldSince.get(id) ?? now;
    this.#heldSince.set(id, since);
    return now - since;
  }

  /** The outcome of a flow that has ended; undefined for a pending one. */
  ended(flow: FlowRow): Outcome | undefined {
    const now = this.#core.clock.now();
    const status = statusOf(flow, now);
    if (status === "completed") return completedOutcome(flow);
    if (status !== "failed") return undefined;
    return { kind: "failed", reason: reasonOf(flow, now) ?? EXPIRED, about: partiesOf(flow) };
  }

  // A grant that the flow holds is stored or revoked by whatever has ended the flow.
  async #tooLate(flow: FlowRow, provider: Provider, grant: TokenGrant): Promise<Outcome> {
    if (flow.sealed_grant === null) await this.#revoke(ownerOf(flow, provider), grant);
    const current = await repository.findFlow(this.#core.store, flow.project_id, flow.id);
    return (current === undefined ? undefined : this.ended(current)) ?? UNKNOWN_STATE;
  }

  /** Nothing holds a grant that cannot be stored for good. */
  async #giveUp(flow: FlowRow, provider: Provider, grant: TokenGrant): Promise<void> {
    const by = { kind: "server", projectId: flow.project_id } as const;
    try {
      await this.#revoke(ownerOf(flow, provider), grant, () =>
        this.#fail(flow, "the grant could not be stored", by),
      );
      this.#count("the grant could not be stored");
    } catch (error) {
      this.#core.log.error("a grant was lost", { provider_id: provider.id, error });
    }
  }

  async #held(flow: FlowRow, sealed: string): Promise<TokenGrant> {
    const { keyring, clock } = this.#core;
    const { grantedAt, ...grant } = await openHeldGrant(keyring, flow.project_id, flow.id, sealed);
    // Another process has stored the time, whose clock may run ahead.
    const age = Math.max(0, Math.ceil((clock.now() - grantedAt) / 1000));
    const { expiresIn } = grant;
    return { ...grant, expiresIn: expiresIn === undefined ? undefined : Math.max(0, expiresIn - age) };
  }
}

function ownerOf(flow: FlowRow, provider: Provider): Owner {
  return { projectId: flow.project_id, userId: flow.user_id, provider, isUsable: true };
}

// The warning is part of the flow's status, long before the grant expires.
function renewalWarning({ oauth2 }: Provider, { expiresIn }: TokenGrant): string | null {
  if (oauth2.refresh === undefined || expiresIn === undefined) return null;
  return (
    "the provider returned no refresh token: the user must consent again when this grant expires; " +
    "authorize_request of the provider may need a parameter that requests offline access"
  );
}

// A flow without a provider is a test of the customer's verifier.
function completedOutcome(flow: FlowRow): Outcome {
  if (flow.provider_id === null) return { kind: "tested", userId: flow.user_id };
  return flow.next_uri === null
    ? { kind: "completed", about: partiesOf(flow) }
    : { kind: "redirect", location: flow.next_uri };
}
