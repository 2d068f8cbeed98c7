// Consents to workers: the administrator's, with which a catalog is read, and what the record of a worker says about them.
import { type Redacted, userOfWorker } from "../../base";
import type { Authorization, AuthorizationService } from "../../authorization";
import { type Connections, type LiveGrant, TokenRequestError } from "../../connections";
import type { Core } from "../../core";
import { requirementsNotMet } from "../../errors";
import { actFor, type Principal } from "../../identity";
import type { Provider, Providers } from "../../providers";
import { WorkerFailure } from "../tool";
import type { WorkerAccess } from "./access";

export interface ConsentParts {
  providers: Providers;
  connections: Connections;
  authorization: AuthorizationService;
}

export interface AdministratorConsent {
  /** With whose grant the catalog is read. */
  user: string;
  authorization: Authorization;
}

/** What the record of a worker shows besides what an administrator has set. */
export interface ShownAccess {
  external_id: string;
  redirect_uri: string;
  client_id?: string;
  /** Whether the client has a secret. */
  has_secret: boolean;
  issuer?: string;
  resource?: string;
  supported_scopes: string[];
}

export class WorkerConsents {
  readonly #core: Core;
  readonly #parts: ConsentParts;

  constructor(core: Core, parts: ConsentParts) {
    this.#core = core;
    this.#parts = parts;
  }

  /**
   * Starts the consent of an administrator. `user_id`: the user who consents; default: one that belongs to the worker. Throws
   * `tool_requirements_not_met` with what must be done first.
   */
  async authorize(
    principal: Principal,
    worker: { id: string; access: WorkerAccess },
    request: { user_id?: string | undefined; next_uri?: string | undefined },
  ): Promise<AdministratorConsent> {
    const { access } = worker;
    const provider = await this.#providerOf(principal.projectId, access);
    if (provider === undefined)
      throw requirementsNotMet(access.problem ?? "Users cannot consent to this worker. Update it.");
    // People consent for themselves only.
    const own = principal.kind === "user" ? principal.userId : undefined;
    const ofWorker = userOfWorker(worker.id);
    const user = actFor(principal, request.user_id ?? own ?? access.user ?? ofWorker, ofWorker);
    const { projectId, incarnation } = principal;
    const authorization = await this.#parts.authorization.forScopes({
      projectId,
      incarnation,
      actor: principal,
      userId: user,
      provider,
      scopes: access.scopes,
      nextUri: request.next_uri,
    });
    return { user, authorization };
  }

  /** Whether the grant is there with which the catalog is read. */
  async isMet(projectId: string, access: WorkerAccess): Promise<boolean> {
    const provider = await this.#providerOf(projectId, access);
    if (provider === undefined || access.user === undefined) return false;
    return (await this.#parts.connections.state(projectId, access.user, provider))?.usable === true;
  }

  /**
   * Calls `ask` with the token of the administrator's consent, or without one if there is none. A refused token is refreshed
   * once. Throws `WorkerFailure`.
   */
  async withToken<T>(
    projectId: string,
    access: WorkerAccess | undefined,
    ask: (token: Redacted | undefined) => Promise<T>,
  ): Promise<T> {
    const provider = access && (await this.#providerOf(projectId, access));
    const user = access?.user;
    const grant = provider && user !== undefined && (await this.#grant(projectId, user, provider));
    if (!grant) return ask(undefined);
    try {
      return await ask(grant.token);
    } catch (error) {
      if (!(error instanceof WorkerFailure) || error.reason !== "unauthorized") throw error;
      const newer = await this.#renewed(projectId, user, provider, grant);
      if (newer === undefined) throw error;
      return ask(newer.token);
    }
  }

  /** For the record of a worker. */
  async shown(projectId: string, access: WorkerAccess): Promise<ShownAccess> {
    const provider = await this.#parts.providers.find(projectId, access.provider);
    const { external_id, issuer, resource, supported_scopes } = access;
    return {
      external_id,
      redirect_uri: `${this.#core.publicUrl()}/api/v1/oauth/${external_id}/callback`,
      ...(provider === undefined ? {} : { client_id: provider.oauth2.clientId }),
      has_secret: (provider?.sealedClientSecret ?? null) !== null,
      ...(issuer === undefined ? {} : { issuer }),
      ...(resource === undefined ? {} : { resource }),
      supported_scopes,
    };
  }

  /** Whether the auth provider has this secret. */
  async hasClientSecret(
    projectId: string,
    { provider }: WorkerAccess,
    client_secret: string | undefined,
  ): Promise<boolean> {
    if (client_secret === undefined) return false;
    const given = { client_secret, private_key: undefined };
    return (await this.#parts.providers.sameSecrets({ projectId }, provider, given)).length > 0;
  }

  async #providerOf(projectId: string, { provider }: WorkerAccess): Promise<Provider | undefined> {
    const found = await this.#parts.providers.find(projectId, provider);
    return found?.active === true ? found : undefined;
  }

  async #grant(projectId: string, user: string, provider: Provider): Promise<LiveGrant | undefined> {
    return this.#parts.connections.grant(projectId, user, provider).catch(unavailable);
  }

  async #renewed(
    projectId: string,
    user: string,
    provider: Provider,
    grant: LiveGrant,
  ): Promise<LiveGrant | undefined> {
    const newer = await this.#parts.connections.renew(projectId, user, provider, grant).catch(unavailable);
    if (newer === undefined)
      await this.#parts.connections.markDead(projectId, grant, "the worker no longer accepts the grant");
    return newer;
  }
}

// The authorization server may be down for a while: the grant is as good as before.
function unavailable(error: unknown): never {
  if (!(error instanceof TokenRequestError)) throw error;
  throw new WorkerFailure("unreachable", error.message, { cause: error });
}
