// Prepares the consents to a worker: finds its authorization server, gets a client, and makes the changes of the auth
// provider that go into the transaction of the worker.
import type { Core } from "../../core";
import { newToken } from "../../crypto";
import { malformedRequest, RuntimeError } from "../../errors";
import { originOf } from "../../origins";
import { externalIdFor, type Provider, type Providers, type Writer } from "../../providers";
import type { Principal } from "../../identity";
import { isSameIssuer } from "../../authorization-server";
import type { Change } from "../../store";
import { factsOf, type GivenOAuth2, type WorkerAccess } from "./access";
import { parseChallenge } from "./challenge";
import { clientFor, type WorkerClient } from "./client";
import { discover, type Discovered } from "./discovery";
import { shown } from "./documents";
import { OAuthFailure, type OAuthFailureReason } from "./failure";
import { NOTHING, ProviderChanges } from "./provider-changes";
import { registrationWith, removeRegistrations, type WorkerKey } from "./registrations";

export interface PreparationRequest {
  worker: WorkerKey & { uri: string };
  given: GivenOAuth2;
  /** What is stored. */
  before?: WorkerAccess | undefined;
  /** `WWW-Authenticate` of the worker's answer without a token. */
  challenge?: string | undefined;
}

/** What to store with the worker, and the changes to make in the same transaction. */
export interface Prepared {
  access: WorkerAccess;
  change: Change<void>;
}

/** Failures that say that the worker is not what users consented to. Others may pass. */
const WRONG: readonly OAuthFailureReason[] = [
  "other_issuer",
  "other_resource",
  "invalid_metadata",
  "no_s256",
];

export class Preparation {
  readonly #core: Core;
  readonly #providers: Providers;
  readonly #changes: ProviderChanges;

  constructor(core: Core, providers: Providers) {
    this.#core = core;
    this.#providers = providers;
    this.#changes = new ProviderChanges(core, providers);
  }

  /** Never throws what a worker or its authorization server causes: `access.problem` says it. */
  async prepare(principal: Principal, request: PreparationRequest): Promise<Prepared> {
    const { worker } = request;
    const referred = await this.#referred(request);
    if (referred !== undefined)
      return { access: referred, change: this.#changes.toRemove(principal, request.before) };
    // Grants belong to the address that users have consented to.
    const before = request.before?.owned && request.before.uri === worker.uri ? request.before : undefined;
    const base = await this.#base(request, before);
    try {
      const discovered = await this.#discover(request, before);
      const moved =
        before?.issuer !== undefined && !this.#accepts(request.given, before.issuer, discovered.issuer);
      if (before !== undefined && moved)
        return this.#stopped(principal, before, otherIssuer(before, discovered));
      return await this.#with(principal, { ...request, before }, base, discovered);
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      const { message: problem, reason } = error;
      if (before?.client === undefined)
        return { access: { ...base, problem }, change: this.#changes.toRemove(principal, request.before) };
      if (WRONG.includes(reason)) return this.#stopped(principal, before, problem);
      return { access: { ...before, problem }, change: NOTHING };
    }
  }

  /**
   * Whether the worker still names the issuer that users consented at. Undefined if nothing is to be changed. Throws nothing
   * that a worker causes.
   */
  async recheck(
    by: Writer,
    request: Omit<PreparationRequest, "before">,
    before: WorkerAccess,
  ): Promise<Prepared | undefined> {
    if (!before.owned || before.client === undefined) return undefined;
    let problem: string | undefined;
    try {
      const discovered = await this.#discover(request, before);
      if (!isSameIssuer(discovered.issuer, before.issuer ?? "")) problem = otherIssuer(before, discovered);
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      // A server that does not answer now says nothing.
      if (!WRONG.includes(error.reason)) return undefined;
      problem = error.message;
    }
    if (problem !== undefined) return before.stopped ? undefined : this.#stopped(by, before, problem);
    if (before.stopped === undefined) return undefined;
    const { stopped: _, problem: __, ...access } = before;
    return { access, change: await this.#changes.ofStatus(by, before.provider, "active") };
  }

  /** Deletes what was created for a worker, as a part of the transaction that deletes it. */
  removal(by: Principal, worker: WorkerKey, access: WorkerAccess | undefined): Change<void> {
    const provider = this.#changes.toRemove(by, access);
    return {
      *body() {
        yield* provider.body();
        yield* removeRegistrations(worker);
      },
      committed: () => provider.committed?.(),
    };
  }

  /** An existing provider that an administrator has named by the id in its redirect address. */
  async #referred({ worker, given, challenge }: PreparationRequest): Promise<WorkerAccess | undefined> {
    if (given.external_id === undefined) return undefined;
    const provider = await this.#providers.findByExternalId(given.external_id);
    if (provider?.projectId !== worker.projectId || provider.oauth2.worker !== undefined) return undefined;
    return {
      provider: provider.id,
      owned: false,
      external_id: given.external_id,
      uri: worker.uri,
      scopes: parseChallenge(challenge).scopes ?? [],
      supported_scopes: [],
    };
  }

  async #base(
    { worker, given, before: stored }: PreparationRequest,
    before: WorkerAccess | undefined,
  ): Promise<WorkerAccess> {
    const own = stored?.owned ? stored : undefined;
    const provider = own?.provider ?? (await this.#freeId(worker));
    const external_id =
      own?.external_id ?? given.external_id ?? (await externalIdFor(this.#core, worker.projectId, provider));
    const user = stored?.user;
    return {
      provider,
      owned: true,
      external_id,
      uri: worker.uri,
      scopes: before?.scopes ?? [],
      supported_scopes: before?.supported_scopes ?? [],
      ...(user === undefined ? {} : { user }),
    };
  }

  async #freeId({ projectId, id }: WorkerKey): Promise<string> {
    const name = `worker-${id}`.slice(0, 90);
    const known = await this.#providers.find(projectId, name);
    const isFree = known === undefined || known.oauth2.worker === id;
    return isFree ? name : `${name}-${newToken(this.#core.random).replaceAll(/\W/g, "x").slice(0, 8)}`;
  }

  #discover(
    { worker, given, challenge }: Omit<PreparationRequest, "before">,
    before: WorkerAccess | undefined,
  ): Promise<Discovered> {
    const named = parseChallenge(challenge).resourceMetadata ?? before?.resource_metadata;
    return discover(this.#core, {
      projectId: worker.projectId,
      uri: worker.uri,
      challenge,
      resourceMetadata: named,
      authorizationUrl: given.authorization_url,
      issuer: given.issuer,
    });
  }

  /** Another issuer is only taken if an administrator has named it. */
  #accepts({ issuer, authorization_url }: GivenOAuth2, before: string, now: string): boolean {
    if (isSameIssuer(before, now)) return true;
    return [issuer, authorization_url].some((given) => given !== undefined && isSameIssuer(given, now));
  }

  async #with(
    principal: Principal,
    request: PreparationRequest,
    base: WorkerAccess,
    discovered: Discovered,
  ): Promise<Prepared> {
    const { worker, given, challenge } = request;
    const named = parseChallenge(challenge).resourceMetadata ?? request.before?.resource_metadata;
    const resource = given.resource ?? discovered.resource;
    const access: WorkerAccess = {
      ...base,
      ...factsOf(discovered, resource),
      ...(named === undefined ? {} : { resource_metadata: named }),
    };
    const stored = await this.#providers.find(worker.projectId, access.provider);
    const client = await this.#client(request, access, discovered, stored).catch((error: unknown) => {
      if (error instanceof OAuthFailure) return error;
      throw error;
    });
    if (client instanceof OAuthFailure) {
      const problem = client.message;
      const kept = request.before?.client === undefined ? access : request.before;
      return {
        access: { ...kept, problem },
        change: kept === access ? this.#changes.toRemove(principal, access) : NOTHING,
      };
    }
    // After a move, grants for the earlier address must not get to the new one.
    const mayKeep = request.before !== undefined;
    const facts = {
      id: access.provider,
      externalId: access.external_id,
      worker,
      discovered,
      resource,
      client,
    };
    const change = await this.#changes
      .toOffer(principal, { worker, stored: mayKeep ? stored : undefined, facts })
      .catch(refusedRecord);
    return { access: { ...access, client: client.kind }, change };
  }

  async #client(
    { worker, given }: PreparationRequest,
    { external_id }: WorkerAccess,
    discovered: Discovered,
    stored: Provider | undefined,
  ): Promise<WorkerClient> {
    const { projectId } = worker;
    return clientFor(this.#core, {
      projectId,
      discovered,
      redirectUri: `${this.#core.publicUrl()}/api/v1/oauth/${external_id}/callback`,
      clientId: given.client_id,
      clientSecret: given.client_id === undefined ? undefined : await this.#secret(given, discovered, stored),
      registered: await registrationWith(this.#core, worker, discovered.issuer),
      register: given.register,
    });
  }

  /** A stored secret is only for the server that it was given for. */
  async #secret(
    given: GivenOAuth2,
    { server }: Discovered,
    stored: Provider | undefined,
  ): Promise<string | undefined> {
    if (given.client_secret !== undefined)
      return given.client_secret === "" ? undefined : given.client_secret;
    if (stored === undefined || stored.oauth2.clientId !== given.client_id) return undefined;
    const { secret } = await this.#providers.clientKeys(stored);
    if (secret === undefined || stored.origins.includes(originOf(server.token_endpoint) ?? "")) return secret;
    const message = "must be given again: the token endpoint is at another origin now";
    throw malformedRequest(`failed to validate request body: mcp.oauth2.client_secret ${message}`, {
      fieldErrors: [{ field: "mcp.oauth2.client_secret", rule: "required", message }],
    });
  }

  async #stopped(by: Writer, before: WorkerAccess, problem: string): Promise<Prepared> {
    const access: WorkerAccess = { ...before, problem, stopped: true };
    return { access, change: await this.#changes.ofStatus(by, before.provider, "inactive") };
  }
}

/** The rules of auth providers for addresses hold for those of metadata as well. */
function refusedRecord(error: unknown): never {
  if (!(error instanceof RuntimeError) || error.name !== "malformed_request") throw error;
  throw new OAuthFailure("invalid_metadata", `Its metadata cannot be used: ${error.message}`, error);
}

function otherIssuer({ issuer = "" }: WorkerAccess, discovered: Discovered): string {
  return (
    `The worker now names the issuer "${shown(discovered.issuer)}", but users consented at "${shown(issuer)}". ` +
    "Its tools have stopped. If the change is right, set mcp.oauth2.issuer to the new one; users then consent again."
  );
}
