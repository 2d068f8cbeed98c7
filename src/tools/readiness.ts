// Collects everything that a tool needs to run for a user; otherwise the error for the user or the administrator.
import type { Actor } from "../audit";
import { type Connections, type LiveGrant, missingScopes, TokenRequestError } from "../connections";
import { consentRequired, requirementsNotMet } from "../errors";
import type { Provider } from "../providers";
import type { Secrets } from "../secrets";
import type { Tool } from "./registry";
import {
  type AuthorizationState,
  consentsOf,
  type Requirements,
  type RequirementsState,
  secretReason,
} from "./requirements";
import { checksServer, wrongServer } from "./secret-address";
import { ToolError, upstreamFailed } from "./tool-error";

export interface Ready {
  projectId: string;
  /** Of the caller's project. */
  incarnation?: string | undefined;
  /** The caller. */
  actor?: Actor | undefined;
  userId: string;
  tool: Tool;
  authorization: AuthorizationState | undefined;
  grant: LiveGrant | undefined;
  /** The user's own keys that the tool sends. */
  keys: readonly UserKey[];
  secrets: Readonly<Record<string, string>>;
}

/** A user's own key, as a connection holds it. */
export interface UserKey {
  provider: Provider;
  grant: LiveGrant;
}

export class Readiness {
  readonly #requirements: Requirements;
  readonly #connections: Connections;
  readonly #secrets: Secrets;
  readonly #settings: Readonly<Record<string, unknown>>;

  constructor(
    requirements: Requirements,
    connections: Connections,
    secrets: Secrets,
    settings: Readonly<Record<string, unknown>>,
  ) {
    this.#settings = settings;
    this.#requirements = requirements;
    this.#connections = connections;
    this.#secrets = secrets;
  }

  /**
   * Returns a `ToolError` if the provider fails to refresh the grant, or if a secret leads to a server at which the grant is
   * not valid. Throws `tool_requirements_not_met`: 403 if the user
   * must consent, 400 if an administrator must act.
   */
  async of(projectId: string, userId: string, tool: Tool, input: object): Promise<Ready | ToolError> {
    const { authorization: needed, secrets: names = [], userKeys = [] } = tool.definition;
    const needsNothing = needed === undefined && names.length === 0 && userKeys.length === 0;
    if (needsNothing || waives(tool, input)) {
      return { projectId, userId, tool, authorization: undefined, grant: undefined, keys: [], secrets: {} };
    }
    const { authorization, keys: states } = await this.#met(projectId, userId, tool);
    const secrets = await this.#values(projectId, names);
    const wrong = await this.#wrongServer(projectId, userId, tool, authorization, secrets);
    if (wrong !== undefined) return wrong;
    const grant = await this.#grant(projectId, userId, tool, authorization);
    if (grant instanceof ToolError) return grant;
    const keys = await this.#keys(projectId, userId, tool, states);
    if (keys instanceof ToolError) return keys;
    return { projectId, userId, tool, authorization, grant, keys, secrets };
  }

  /**
   * Throws what `of` throws for missing requirements, and a `ToolError` for a wrong server, without any request and without
   * refreshing tokens.
   */
  async check(projectId: string, userId: string, tool: Tool, input: object): Promise<void> {
    if (waives(tool, input)) return;
    const { authorization } = await this.#met(projectId, userId, tool);
    if (!checksServer(tool.catalog)) return;
    const secrets = await this.#values(projectId, tool.definition.secrets ?? []);
    const wrong = await this.#wrongServer(projectId, userId, tool, authorization, secrets);
    if (wrong !== undefined) throw wrong;
  }

  async #met(projectId: string, userId: string, tool: Tool): Promise<RequirementsState> {
    const state = await this.#requirements.of(projectId, userId, tool);
    const consents = consentsOf(state);
    const unconfigured = consents.find(({ provider }) => provider === undefined);
    if (unconfigured !== undefined) {
      const reason = unconfigured.reason ?? "no auth provider is configured";
      throw requirementsNotMet(
        `${tool.qualifiedName} cannot run: ${reason}. An administrator sets it up: ${setUpOf(unconfigured)}`,
      );
    }
    const missing = state.secrets.find((secret) => !secret.met);
    if (missing !== undefined) throw requirementsNotMet(secretReason(missing.key));
    const unmet = consents.find(({ met }) => !met);
    if (unmet !== undefined) throw consentMissing(tool, unmet);
    return state;
  }

  /** The keys of this user only. */
  async #keys(
    projectId: string,
    userId: string,
    tool: Tool,
    states: readonly AuthorizationState[],
  ): Promise<UserKey[] | ToolError> {
    const keys: UserKey[] = [];
    for (const state of states) {
      const grant = await this.#grant(projectId, userId, tool, state);
      if (grant instanceof ToolError) return grant;
      if (grant !== undefined && state.provider !== undefined) keys.push({ provider: state.provider, grant });
    }
    return keys;
  }

  async #grant(
    projectId: string,
    userId: string,
    tool: Tool,
    authorization: AuthorizationState | undefined,
  ): Promise<LiveGrant | ToolError | undefined> {
    if (authorization?.provider === undefined || !authorization.needsGrant) return undefined;
    try {
      const grant = await this.#connections.grant(projectId, userId, authorization.provider);
      if (
        grant !== undefined &&
        missingScopes(grant.scopes, authorization.scopes, authorization.provider.oauth2.scopeAliases)
          .length === 0
      )
        return grant;
    } catch (error) {
      if (error instanceof TokenRequestError) return refreshFailed(error);
      throw error;
    }
    // The refresh showed that the grant is dead or has lost scopes: the error contains the reason.
    const now = consentsOf(await this.#requirements.of(projectId, userId, tool));
    throw consentMissing(
      tool,
      now.find(({ provider }) => provider?.id === authorization.provider?.id) ?? authorization,
    );
  }

  /** Before a refresh, which would not help. */
  async #wrongServer(
    projectId: string,
    userId: string,
    tool: Tool,
    authorization: AuthorizationState | undefined,
    secrets: Readonly<Record<string, string>>,
  ): Promise<ToolError | undefined> {
    if (authorization?.provider === undefined || !authorization.needsGrant) return undefined;
    if (!checksServer(tool.catalog)) return undefined;
    const stored = await this.#connections.stored(projectId, userId, authorization.provider);
    return stored === undefined
      ? undefined
      : wrongServer(this.#settings, tool.catalog, secrets, stored.facts);
  }

  async #values(projectId: string, keys: readonly string[]): Promise<Record<string, string>> {
    const values: Record<string, string> = {};
    for (const key of keys) {
      const value = await this.#secrets.value(projectId, key);
      if (value === undefined) throw requirementsNotMet(secretReason(key));
      values[key] = value;
    }
    return values;
  }
}

/** The command that helps. */
function setUpOf({ reason = "", name }: AuthorizationState): string {
  return reason.includes("key") ? `runtime providers show ${name}` : "runtime providers setup --help";
}

// The caller's input is JSON; the definition only reads it.
function waives({ definition }: Tool, input: object): boolean {
  return definition.waivesRequirements?.(input as never) === true;
}

/** The error for a failure of the provider, not of the grant. Nothing was run, so the caller may retry. */
export function refreshFailed(error: TokenRequestError): ToolError {
  const waits = error.retryAfterMs === undefined ? "" : " The grant remains valid.";
  const message = `The user's grant could not be refreshed right now. ${error.message}${waits}`;
  const { retryAfterMs } = error;
  return upstreamFailed(message, {
    cause: error,
    canRetry: error.transient,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

function consentMissing(tool: Tool, { missing, reason, provider }: AuthorizationState): Error {
  if (provider?.type === "api_key") return keyMissing(tool, provider, reason);
  const scopes = missing.length === 0 ? "" : ` (${missing.join(", ")})`;
  const why = reason === undefined ? "" : ` (${reason})`;
  return consentRequired(
    `authorization required: the user has not granted what ${tool.qualifiedName} needs${scopes}${why}. ` +
      "Call tools/authorize and send the user to the url.",
  );
}

function keyMissing(tool: Tool, { name, id }: Provider, reason: string | undefined): Error {
  const why = reason === undefined ? "" : ` (${reason})`;
  return consentRequired(
    `authorization required: ${tool.qualifiedName} needs the user's own key for ${name ?? id}, which the user has not given${why}. ` +
      "Call tools/authorize and send the user to the url.",
  );
}
