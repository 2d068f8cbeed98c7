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
  /** The active provider, if there is one. The grant may also be one at an inactive provider. */
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
  const known = chosen.provider ?? chosen.inactive;
  // A key has no scopes; the service knows what it allows.
  const need = known?.apiKey === undefined ? declared : { ...declared, scopes: [] };
  const { provider: name, scopes } = need;
  // Many platforms have no scopes, and a worker has no other use for a provider than the user's token.
  const needsGrant = foreign || scopes.length > 0;
  const base = { name, scopes, needsGrant, granted: false, pending: undefined } as const;
  const grant =
    known === undefined || !needsGrant ? undefined : await grantAt(known, { scopes, foreign }, lookUps);
  if (chosen.provider === undefined) {
    const { reason } = chosen;
    const nothing = { missing: [...scopes], granted: false };
    const { missing, granted } = grant ?? nothing;
    return {
      ...base,
      provider: undefined,
      reason,
      missing,
      granted,
      met: false,
      tokenStatus: statusOf(grant),
    };
  }
  const { provider, note: reason } = chosen;
  if (grant === undefined) {
    return { ...base, provider, reason, missing: [], met: true, tokenStatus: "completed" };
  }
  const { missing, granted } = grant;
  if (grant.suffices)
    return { ...base, provider, reason, missing, met: true, granted: true, tokenStatus: "completed" };
  const pending = await lookUps.pending(provider);
  return {
    ...base,
    provider,
    reason: grant.dead === undefined ? reason : grant.dead.reason,
    missing,
    met: false,
    granted,
    tokenStatus: pending?.covers(missing) === true ? "pending" : statusOf(grant),
    pending,
  };
}

/** What the user has granted of what a tool needs. */
interface FoundGrant {
  granted: boolean;
  missing: string[];
  suffices: boolean;
  /** A grant that is not usable. */
  dead: GrantState | undefined;
}

/** Also at an inactive provider: it tells whether the user must consent again once the provider is active. */
async function grantAt(
  provider: Provider,
  { scopes, foreign }: { scopes: readonly string[]; foreign: boolean },
  lookUps: ProviderLookUps,
): Promise<FoundGrant> {
  const grant = await lookUps.granted(provider);
  const granted = grant?.usable === true;
  const missing = missingScopes(granted ? grant.scopes : [], scopes, provider.oauth2.scopeAliases);
  const suffices = missing.length === 0 && (granted || !foreign);
  return { granted, missing, suffices, dead: granted ? undefined : grant };
}

function statusOf(grant: FoundGrant | undefined): AuthorizationState["tokenStatus"] {
  if (grant?.suffices === true) return "completed";
  return grant?.dead === undefined ? "not_started" : "failed";
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
