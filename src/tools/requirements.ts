// The requirements of a tool, and which of them a user has not met.
import type { AuthorizationService, PendingConsents } from "../authorization";
import { type Connections, type GrantState, missingScopes } from "../connections";
import type { Chosen, Provider, Providers } from "../providers";
import type { Secrets } from "../secrets";
import type { Catalog, ToolDefinition } from "./definition";
import { withKeyRules } from "./key-rules";
import type { Tool } from "./registry";
import type { RequirementsRecord } from "./schema";

export interface AuthorizationState {
  /** The active provider, if there is one. */
  provider: Provider | undefined;
  /** The name that the tool declares. */
  name: string;
  /** Why there is no provider, or a note about the choice. */
  reason: string | undefined;
  scopes: readonly string[];
  /** Whether the tool runs with a grant of the user; false: it needs only the provider's client. */
  needsGrant: boolean;
  missing: string[];
  met: boolean;
  /** Whether there is a usable grant, whatever its scopes. */
  granted: boolean;
  tokenStatus: "not_started" | "pending" | "completed" | "failed";
  /** The pending consents; only looked up if scopes are missing. */
  pending: PendingConsents | undefined;
}

type ProviderNeed = Pick<NonNullable<ToolDefinition["authorization"]>, "provider" | "id">;

/** Look-ups about providers, shared by the tools of one user. */
export interface ProviderLookUps {
  chosen(need: ProviderNeed): Promise<Chosen>;
  /** What the user has granted; undefined for nothing or without a user. */
  granted(provider: Provider): Promise<GrantState | undefined>;
  pending(provider: Provider): Promise<PendingConsents | undefined>;
}

export interface SecretState {
  key: string;
  met: boolean;
}

export interface RequirementsState {
  met: boolean;
  authorization: AuthorizationState | undefined;
  /** The user's own keys that the tool sends, in the order of its definition. */
  keys: readonly AuthorizationState[];
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

  /** Which requirements are met for the user, only from the database, without requests. */
  async of(
    projectId: string,
    userId: string | undefined,
    tool: Tool,
    lookUps = this.lookUps(projectId, userId),
  ): Promise<RequirementsState> {
    const needed = tool.definition.secrets ?? [];
    const secrets =
      needed.length === 0
        ? []
        : await Promise.all(
            needed.map(async (key) => ({ key, met: await this.#secrets.exists(projectId, key) })),
          );
    const authorization = await authorizationOf(tool, lookUps);
    const keys = await keysOf(tool, lookUps);
    const met = [...secrets, ...consentsOf({ authorization, keys })].every((need) => need.met);
    return { met, authorization, keys, secrets };
  }

  /** For the tools of one listing. */
  lookUps(projectId: string, userId: string | undefined): ProviderLookUps {
    const chosen = new Map<string, Promise<Chosen>>();
    const granted = new Map<string, Promise<GrantState | undefined>>();
    const pending = new Map<string, Promise<PendingConsents>>();
    return {
      chosen: ({ provider, id }) =>
        id === undefined
          ? once(chosen, `name ${provider}`, () =>
              this.#providers.choose(projectId, { provider_id: provider }),
            )
          : once(chosen, `id ${id}`, () => this.#providers.choose(projectId, { id })),
      granted: async (provider) =>
        userId === undefined
          ? undefined
          : once(granted, provider.id, () => this.#connections.state(projectId, userId, provider)),
      pending: async (provider) =>
        userId === undefined
          ? undefined
          : once(pending, provider.id, () => this.#authorization.pending(projectId, userId, provider)),
    };
  }
}

function once<T>(known: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const before = known.get(key);
  if (before !== undefined) return before;
  const answer = ask();
  known.set(key, answer);
  return answer;
}

async function authorizationOf(
  { definition, catalog }: Pick<Tool, "definition" | "catalog">,
  lookUps: ProviderLookUps,
): Promise<AuthorizationState | undefined> {
  const { authorization: need, foreign = false } = definition;
  return need === undefined ? undefined : stateOf({ need, foreign, catalog }, lookUps);
}

async function stateOf(
  {
    need: declared,
    foreign,
    catalog,
  }: { need: NonNullable<ToolDefinition["authorization"]>; foreign: boolean; catalog: Catalog },
  lookUps: ProviderLookUps,
): Promise<AuthorizationState> {
  const chosen = withKeyRules(await lookUps.chosen(declared), { foreign, catalog });
  // A key has no scopes; the service knows what it allows.
  const need = chosen.provider?.apiKey === undefined ? declared : { ...declared, scopes: [] };
  // Many platforms have no scopes, and a worker has no other use for a provider than the user's token.
  const needsGrant = foreign || need.scopes.length > 0;
  const base = {
    name: need.provider,
    scopes: need.scopes,
    needsGrant,
    granted: false,
    pending: undefined,
  } as const;
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
  if (!needsGrant) {
    return { ...base, provider, reason, missing: [], met: true, tokenStatus: "completed" };
  }
  const granted = await lookUps.granted(provider);
  const usable = granted?.usable === true;
  const missing = missingScopes(usable ? granted.scopes : [], need.scopes, provider.oauth2.scopeAliases);
  if (missing.length === 0 && (usable || !foreign))
    return { ...base, provider, reason, missing, met: true, granted: true, tokenStatus: "completed" };
  const pending = await lookUps.pending(provider);
  const dead = granted !== undefined && !usable;
  return {
    ...base,
    provider,
    reason: dead ? granted.reason : reason,
    missing,
    met: false,
    granted: usable,
    tokenStatus: pending?.covers(missing) === true ? "pending" : dead ? "failed" : "not_started",
    pending,
  };
}

/** A tool that sends keys of a user may send several. */
async function keysOf(
  { definition: { userKeys = [] }, catalog }: Pick<Tool, "definition" | "catalog">,
  lookUps: ProviderLookUps,
): Promise<AuthorizationState[]> {
  const states: AuthorizationState[] = [];
  for (const id of userKeys) {
    const need = { provider: id, id, scopes: [] };
    const state = await stateOf({ need, foreign: true, catalog }, lookUps);
    states.push(state.provider === undefined ? state : onlyKey(state));
  }
  return states;
}

/** Tokens are not keys: they would be sent where their provider does not want them. */
function onlyKey(state: AuthorizationState): AuthorizationState {
  if (state.provider?.apiKey !== undefined) return state;
  const reason = `the auth provider "${state.name}" does not take keys of users (type api_key)`;
  return { ...state, provider: undefined, reason, met: false, granted: false, tokenStatus: "not_started" };
}

/** All consents that a tool needs. */
export function consentsOf({
  authorization,
  keys,
}: Pick<RequirementsState, "authorization" | "keys">): readonly AuthorizationState[] {
  return authorization === undefined ? keys : [authorization, ...keys];
}

/** The first consent that is missing; the first one if none is. Records and answers have room for one. */
export function firstConsent(
  state: Pick<RequirementsState, "authorization" | "keys">,
): AuthorizationState | undefined {
  const consents = consentsOf(state);
  return consents.find(({ met }) => !met) ?? consents[0];
}

/** The record of the state for listings. Without a user it contains no token status. */
export function requirementsRecord(state: RequirementsState, userId: string | undefined): RequirementsRecord {
  const { secrets } = state;
  const authorization = firstConsent(state);
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
    provider_type: state.provider?.type ?? ("oauth2" as const),
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
  return `secret not found: ${key}. An administrator sets it: runtime secrets set ${key}`;
}
