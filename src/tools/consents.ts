// Consents for exactly what a tool needs.
import type { Authorization, AuthorizationService } from "../authorization";
import { requirementsNotMet } from "../errors";
import type { Tool } from "./registry";
import type { Requirements } from "./requirements";

export class Consents {
  readonly #requirements: Requirements;
  readonly #authorization: AuthorizationService;

  constructor(requirements: Requirements, authorization: AuthorizationService) {
    this.#requirements = requirements;
    this.#authorization = authorization;
  }

  /** Starts the consent, or answers `completed` when nothing is owed. */
  async start(
    projectId: string,
    userId: string,
    tool: Tool,
    nextUri: string | undefined,
  ): Promise<Authorization> {
    const { authorization } = await this.#requirements.of(projectId, userId, tool);
    if (authorization !== undefined && authorization.provider === undefined) {
      throw requirementsNotMet(`${authorization.reason ?? "no auth provider is configured"}.`);
    }
    if (authorization?.provider === undefined || authorization.scopes.length === 0) {
      return this.#authorization.createCompleted(projectId, userId);
    }
    const { provider, scopes } = authorization;
    return this.#authorization.forScopes({ projectId, userId, provider, scopes, nextUri });
  }

  /** The consent that a call still waits for, started; undefined when none does, or an administrator must act first. */
  async owed(
    projectId: string,
    userId: string,
    tool: Tool,
    input: object,
  ): Promise<Authorization | undefined> {
    // The caller's input is JSON; the definition only looks at it.
    if (tool.definition.waivesRequirements?.(input as never) === true) return undefined;
    const { authorization, secrets } = await this.#requirements.of(projectId, userId, tool);
    if (authorization?.provider === undefined || authorization.met) return undefined;
    if (secrets.some(({ met }) => !met)) return undefined;
    const { provider, scopes } = authorization;
    return this.#authorization.forScopes({ projectId, userId, provider, scopes });
  }
}
