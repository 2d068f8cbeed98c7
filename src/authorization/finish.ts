// The end of a flow: a grant that waits for the user check, a grant that is stored, a failure.
import { type Json, Redacted } from "../base";
import { type Connections, missingScopes, type TokenGrant } from "../connections";
import type { Core } from "../core";
import type { Provider, Providers } from "../providers";
import { providerUnchanged } from "./callback/checks";
import { EXPIRED, placeOf, reasonOf, statusOf } from "./flow";
import { type Outcome, UNKNOWN_STATE } from "./outcome";
import * as repository from "./repository";
import type { FlowRow } from "./repository";

interface HeldGrant {
  access: string;
  refresh: string | null;
  expiresIn: number | null;
  /** When the provider gave it, ms: its life began then, not when the person confirms. */
  grantedAt: number;
  scopes: string[] | null;
  facts: TokenGrant["facts"];
  userInfo?: Json;
}

/** The flow ended while its grant was about to be stored: nothing of it is. */
class FlowEnded extends Error {}

export class Finish {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #connections: Connections;

  constructor(core: Core, providers: Providers, connections: Connections) {
    this.#core = core;
    this.#providers = providers;
    this.#connections = connections;
  }

  /** Keeps the grant sealed in its flow until the user check is through. Answers the flow with it. */
  async hold(flow: FlowRow, grant: TokenGrant): Promise<FlowRow> {
    const { store, keyring, clock } = this.#core;
    const held: HeldGrant = {
      access: grant.accessToken.reveal(),
      refresh: grant.refreshToken?.reveal() ?? null,
      expiresIn: grant.expiresIn ?? null,
      grantedAt: clock.now(),
      scopes: grant.scopes ?? null,
      facts: grant.facts,
      ...(grant.userInfo === undefined ? {} : { userInfo: grant.userInfo }),
    };
    const sealed = await keyring.seal(flow.project_id, placeOf(flow.id, "grant"), JSON.stringify(held));
    await store.write(() => repository.holdGrant(flow, sealed));
    return { ...flow, sealed_grant: sealed };
  }

  /** The user check is through: stores the held grant. */
  async completeHeld(flow: FlowRow): Promise<Outcome> {
    if (flow.sealed_grant === null) return UNKNOWN_STATE;
    const provider = await this.#providers.find(flow.project_id, flow.provider_id ?? "");
    const stale = provider === undefined ? "the auth provider is gone" : providerUnchanged(flow, provider);
    if (provider === undefined || stale !== undefined) return this.fail(flow, stale ?? "");
    return this.complete(flow, provider, await this.#held(flow, flow.sealed_grant));
  }

  /**
   * Stores the grant and ends the flow in one transaction; a flow that somebody else ended meanwhile (its provider was
   * deleted, the person said no in another tab) stores nothing. Fewer scopes than asked for: stored, but failed.
   */
  async complete(flow: FlowRow, provider: Provider, grant: TokenGrant): Promise<Outcome> {
    const now = this.#core.clock.now();
    const asked: string[] = JSON.parse(flow.scopes);
    const needed: string[] = JSON.parse(flow.needed);
    const missing = missingScopes(grant.scopes ?? asked, needed, provider.oauth2.scopeAliases);
    const reason = missing.length === 0 ? null : `the user did not grant ${missing.join(", ")}`;
    const status = reason === null ? "completed" : "failed";
    try {
      await this.#connections.store(
        flow.project_id,
        flow.user_id,
        provider,
        grant,
        asked,
        function* (connectionId, scopes, renewable) {
          const told = reason ?? (renewable ? null : whyNotLasting(provider, grant));
          const ending = { status, reason: told, scopes, connectionId } as const;
          if (!(yield* repository.finishFlow(flow, ending, now))) throw new FlowEnded();
        },
      );
    } catch (error) {
      if (!(error instanceof FlowEnded)) throw error;
      const current = await repository.findFlow(this.#core.store, flow.project_id, flow.id);
      return (current === undefined ? undefined : this.ended(current)) ?? UNKNOWN_STATE;
    }
    return reason === null ? leave(flow) : { kind: "failed", reason };
  }

  async fail(flow: FlowRow, reason: string): Promise<Outcome> {
    const { store, clock } = this.#core;
    const ending = { status: "failed", reason, scopes: JSON.parse(flow.scopes), connectionId: null } as const;
    await store.write(() => repository.finishFlow(flow, ending, clock.now()));
    return { kind: "failed", reason };
  }

  /** What a browser sees of a flow that has ended; undefined while it has not. */
  ended(flow: FlowRow): Outcome | undefined {
    const now = this.#core.clock.now();
    const status = statusOf(flow, now);
    if (status === "completed") return leave(flow);
    return status === "failed" ? { kind: "failed", reason: reasonOf(flow, now) ?? EXPIRED } : undefined;
  }

  async #held(flow: FlowRow, sealed: string): Promise<TokenGrant> {
    const text = await this.#core.keyring.open(flow.project_id, placeOf(flow.id, "grant"), sealed);
    const held: HeldGrant = JSON.parse(text);
    const age = Math.ceil((this.#core.clock.now() - held.grantedAt) / 1000);
    return {
      accessToken: new Redacted(held.access),
      refreshToken: held.refresh === null ? undefined : new Redacted(held.refresh),
      expiresIn: held.expiresIn === null ? undefined : Math.max(0, held.expiresIn - age),
      scopes: held.scopes ?? undefined,
      facts: held.facts,
      ...(held.userInfo === undefined ? {} : { userInfo: held.userInfo }),
    };
  }
}

// Said at once, not when the grant has run out and nobody remembers the consent.
function whyNotLasting({ oauth2 }: Provider, { expiresIn }: TokenGrant): string | null {
  if (oauth2.refresh === undefined || expiresIn === undefined) return null;
  return (
    "the provider gave no refresh token: the user must consent again when this grant expires; " +
    "the provider's authorize_request may need a parameter that asks for offline access"
  );
}

// A flow without a provider grants nothing: it tries out the customer's verifier.
function leave(flow: FlowRow): Outcome {
  if (flow.provider_id === null) return { kind: "tested", userId: flow.user_id };
  return flow.next_uri === null ? { kind: "completed" } : { kind: "redirect", location: flow.next_uri };
}
