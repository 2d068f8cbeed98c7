// What a tool needs before it runs, and what of it a user still owes.
import type { AuthorizationService } from "../authorization";
import { type Connections, missingScopes } from "../connections";
import type { Provider, Providers } from "../providers";
import type { Secrets } from "../secrets";
import type { Tool } from "./registry";
import type { RequirementsRecord } from "./schema";

export interface AuthorizationState {
  /** The provider to use, when there is an active one. */
  provider: Provider | undefined;
  /** As the tool names it. */
  name: string;
  /** Why there is no provider, or what to know about the choice. */
  reason: string | undefined;
  scopes: readonly string[];
  missing: string[];
  met: boolean;
  tokenStatus: "not_started" | "pending" | "completed" | "failed";
  pending: { id: string; url: string | undefined } | undefined;
}

export interface SecretState {
  key: string;
  met: boolean;
}

export interface RequirementsState {
  met: boolean;
  authorization: AuthorizationState | undefined;
  secrets: SecretState[];
}

export class Requirements {
  readonly #providers: Providers;
  readonly #connections: Connections;
  readonly #authorization: AuthorizationService;
  readonly #secrets: Secrets;

  constructor(
    providers: Providers,
    connections: Connections,
    authorization: AuthorizationService,
    secrets: Secrets,
  ) {
    this.#providers = providers;
    this.#connections = connections;
    this.#authorization = authorization;
    this.#secrets = secrets;
  }

  /** What of the tool's needs is met for the user, from the database alone: nobody is asked. */
  async of(projectId: string, userId: string | undefined, { definition }: Tool): Promise<RequirementsState> {
    const needed = definition.secrets ?? [];
    const secrets =
      needed.length === 0
        ? []
        : await Promise.all(
            needed.map(async (key) => ({ key, met: await this.#secrets.exists(projectId, key) })),
          );
    const authorization = await this.#authorizationOf(projectId, userId, definition.authorization);
    const met = secrets.every((secret) => secret.met) && (authorization === undefined || authorization.met);
    return { met, authorization, secrets };
  }

  async #authorizationOf(
    projectId: string,
    userId: string | undefined,
    need: { provider: string; scopes: readonly string[] } | undefined,
  ): Promise<AuthorizationState | undefined> {
    if (need === undefined) return undefined;
    const chosen = await this.#providers.choose(projectId, { provider_id: need.provider });
    const base = { name: need.provider, scopes: need.scopes, pending: undefined } as const;
    if (chosen.provider === undefined) {
      const missing = [...need.scopes];
      return {
        ...base,
        provider: undefined,
        reason: chosen.reason,
        missing,
        met: false,
        tokenStatus: "not_started",
      };
    }
    const { provider, note: reason } = chosen;
    // Without scopes the tool needs the provider's client, nobody's grant.
    if (need.scopes.length === 0) {
      return { ...base, provider, reason, missing: [], met: true, tokenStatus: "completed" };
    }
    const granted =
      userId === undefined ? undefined : await this.#connections.state(projectId, userId, provider);
    const usable = granted?.usable === true;
    const missing = missingScopes(usable ? granted.scopes : [], need.scopes, provider.oauth2.scopeAliases);
    if (missing.length === 0)
      return { ...base, provider, reason, missing, met: true, tokenStatus: "completed" };
    const pending =
      userId === undefined ? undefined : await this.#authorization.pending(projectId, userId, provider);
    const dead = granted !== undefined && !usable;
    return {
      ...base,
      provider,
      reason: dead ? granted.reason : reason,
      missing,
      met: false,
      tokenStatus: pending !== undefined ? "pending" : dead ? "failed" : "not_started",
      pending: pending === undefined ? undefined : { id: pending.id, url: pending.url },
    };
  }
}

/** The state as listings show it. Without a user nothing is said about tokens. */
export function requirementsRecord(state: RequirementsState, userId: string | undefined): RequirementsRecord {
  const { authorization, secrets } = state;
  return {
    met: userId !== undefined && state.met,
    ...(authorization === undefined ? {} : { authorization: authorizationRecord(authorization, userId) }),
    ...(secrets.length === 0 ? {} : { secrets: secrets.map(secretRecord) }),
  };
}

function authorizationRecord(state: AuthorizationState, userId: string | undefined) {
  return {
    ...(state.provider === undefined ? {} : { id: state.provider.id }),
    provider_id: state.name,
    provider_type: "oauth2" as const,
    oauth2: { scopes: [...state.scopes] },
    status: state.provider === undefined ? ("inactive" as const) : ("active" as const),
    ...(state.reason === undefined ? {} : { status_reason: state.reason }),
    ...(userId === undefined ? {} : { token_status: state.tokenStatus }),
  };
}

function secretRecord({ key, met }: SecretState) {
  return { key, met, ...(met ? {} : { status_reason: secretReason(key) }) };
}

export function secretReason(key: string): string {
  return `secret not found: ${key}`;
}
