// The principals of user tokens, for a project or for one resource of it.
import type { Settings } from "../config";
import type { Core } from "../core";
import { invalidAuthorization, unavailable } from "../errors";
import { CachedByGeneration } from "../store";
import { OpenIdIssuer } from "./issuer";
import { looksLikeJwt } from "./issuer-keys";
import type { OwnToken, OwnTokens } from "./own-tokens";
import type { PersonRole, Principal } from "./principal";
import { apiAddress } from "../resource-address";
import * as repository from "./repository";
import type { ProjectRow } from "./repository";
import type { Suspensions } from "./suspensions";
import { UserTokens } from "./user-tokens";

export const DEFAULT_ID = "default";

/** A resource that tokens are issued for (RFC 8707). */
export interface Resource {
  projectId: string;
  /** The id of the gateway: its address may have been that of another one. */
  id: string;
  /** Its address, by every name that clients may know it by. */
  addresses: readonly string[];
  /** An entry of `user_sources`, instead of the provider at `auth.url`. */
  source?: string | undefined;
}

export interface ResourceUser {
  principal: Extract<Principal, { kind: "user" }>;
  /** The scopes of the token; undefined: it has no scope claim. */
  scopes: readonly string[] | undefined;
}

/** The role of a person whose token this is; undefined: people do not sign in at the issuer. */
export type RoleOf = (projectId: string, userId: string) => Promise<PersonRole | undefined>;

/** What is asked about people. `ownTokens`: after construction only. */
interface OfPeople {
  ownTokens: () => OwnTokens;
  roleOf: RoleOf;
}

interface Source {
  tokens: UserTokens;
  issuer: OpenIdIssuer;
  audience: string;
}

/** How soon a client may ask again for an issuer that could not be read. */
const RETRY_AFTER_MS = 5000;

export class UserPrincipals {
  readonly #core: Core;
  readonly #suspensions: Suspensions;
  readonly #roleOf: RoleOf;
  readonly #issuer: OpenIdIssuer;
  readonly #ownTokens: () => OwnTokens;
  readonly #tokens: UserTokens;
  readonly #sources: ReadonlyMap<string, Source>;
  readonly #projects: CachedByGeneration<string, ProjectRow[]>;

  constructor(core: Core, issuer: OpenIdIssuer, suspensions: Suspensions, { ownTokens, roleOf }: OfPeople) {
    this.#roleOf = roleOf;
    this.#core = core;
    this.#ownTokens = ownTokens;
    this.#suspensions = suspensions;
    this.#issuer = issuer;
    this.#tokens = new UserTokens(core, issuer);
    this.#projects = new CachedByGeneration(core.store, "projects");
    this.#sources = new Map(
      core.settings.user_sources.map(({ id, issuer: address, audience, user_claim, user_prefix }) => {
        const users = { claim: user_claim ?? "sub", prefix: user_prefix ?? "" };
        const own = new OpenIdIssuer(core, address);
        return [id, { tokens: new UserTokens(core, own, users), issuer: own, audience }];
      }),
    );
  }

  /**
   * The project is the one in the path or the only one that the audience of the token names; there is no default.
   * Throws `invalid_authorization`, and `forbidden` for a suspended user.
   */
  async inProject(token: string, pathProject: string | undefined): Promise<Principal> {
    if (this.#ownTokens().isOurs(token)) return this.#ofApi(token);
    const { userId, audiences } = await this.#tokens.verify(token);
    const projects = await this.#projectRows();
    const named = projects.filter((row) => audiences.some((name) => name === this.#audienceOf(row)));
    const own = named.find(({ id }) => id === pathProject);
    const [project, ...others] = own === undefined ? named : [own];
    if (project === undefined)
      throw invalidAuthorization("The audience of the user token does not name a project of this server.");
    if (others.length > 0)
      throw invalidAuthorization("The audience of the user token names several projects.");
    await this.#suspensions.check(project.id, userId);
    const role = await this.#roleOf(project.id, userId);
    const user = { kind: "user", projectId: project.id, incarnation: project.incarnation, userId } as const;
    return role === undefined ? user : { ...user, role };
  }

  /**
   * The user of a token that was issued for this address, or for its whole project or source.
   * Throws `invalid_authorization`.
   */
  async atResource(token: string, { projectId, id, addresses, source }: Resource): Promise<ResourceUser> {
    if (!looksLikeJwt(token))
      throw invalidAuthorization("The credential is not a user token, which this address requires.");
    const own = source === undefined ? undefined : this.#sources.get(source);
    if (source !== undefined && own === undefined)
      throw invalidAuthorization("The identity provider of this address is no longer configured.");
    if (this.#ownTokens().isOurs(token)) {
      if (source !== undefined)
        throw invalidAuthorization("This address takes tokens of another identity provider only.");
      return this.#ofGateway(token, { projectId, id, addresses });
    }
    const { userId, audiences, scopes } = await (own?.tokens ?? this.#tokens).verify(token);
    const whole = own === undefined ? await this.#projectAudience(projectId) : own.audience;
    const project = await repository.findProject(this.#core.store, projectId);
    const isNamed = audiences.some((audience) => audience === whole || addresses.includes(audience));
    if (project !== undefined && isNamed) {
      const { incarnation } = project;
      await this.#suspensions.check(projectId, userId);
      return { principal: { kind: "user", projectId, incarnation, userId }, scopes };
    }
    throw invalidAuthorization("The audience of the user token is not this address.");
  }

  /** The person of a token for the API of a project (RFC 8707). One for a gateway is refused. */
  async #ofApi(token: string): Promise<Principal> {
    const claims = await this.#ownTokens().verify(token);
    const project = await repository.findProject(this.#core.store, claims.projectId);
    if (!this.#isForApi(claims, project))
      throw invalidAuthorization("The user token is for another address than the API of its project.");
    return this.#person(claims, project);
  }

  /**
   * The person of a token for a gateway, or for the API of its project, which includes its gateways: commands use both with one
   * token. One for another gateway is refused.
   */
  async #ofGateway(token: string, { projectId, id, addresses }: Resource): Promise<ResourceUser> {
    const claims = await this.#ownTokens().verify(token);
    const project = await repository.findProject(this.#core.store, projectId);
    const isForApi = this.#isForApi(claims, project);
    const isForThis = claims.resource === id && addresses.includes(claims.audience);
    if (claims.projectId !== projectId || (!isForApi && !isForThis))
      throw invalidAuthorization("The user token is for another address.");
    return {
      principal: await this.#person(claims, project),
      // The scope of the API is enough.
      scopes: isForApi ? undefined : claims.scopes,
    };
  }

  #isForApi({ projectId, audience, scopes }: OwnToken, project: ProjectRow | undefined): boolean {
    if (project?.id !== projectId || !scopes.includes("runtime")) return false;
    return audience === apiAddress(this.#core.publicUrl(), project);
  }

  async #person({ projectId, userId, grant, signIn }: OwnToken, project: ProjectRow | undefined) {
    await this.#suspensions.check(projectId, userId);
    const role = await this.#ownTokens().roleOf(projectId, userId);
    if (project === undefined || role === undefined)
      throw invalidAuthorization("This user can no longer sign in here.");
    const { incarnation } = project;
    return { kind: "user", projectId, incarnation, userId, role, grant, signIn } as const;
  }

  /**
   * The issuer of tokens, as its own metadata spells it: the provider at `auth.url`, or one of `user_sources`. Undefined if
   * there is none. Throws `unavailable` if its metadata has never been read: a client that gets another spelling refuses it.
   */
  async issuerOf(source: string | undefined): Promise<string | undefined> {
    const issuer = source === undefined ? this.#issuer : this.#sources.get(source)?.issuer;
    if (issuer?.address === undefined) return undefined;
    try {
      return await issuer.name();
    } catch (cause) {
      const message = "The metadata of the provider that issues tokens cannot be read. Try again later.";
      throw unavailable(message, { cause, retryAfterMs: RETRY_AFTER_MS });
    }
  }

  /** Reads the metadata of every provider of users, in advance. One that cannot be reached is read when it is needed. */
  async readIssuers(): Promise<void> {
    const issuers = [this.#issuer, ...[...this.#sources.values()].map(({ issuer }) => issuer)];
    await Promise.all(
      issuers
        .filter(({ address }) => address !== undefined)
        .map((issuer) =>
          issuer.discover().catch((error: unknown) => {
            this.#core.log.warn("the metadata of a provider of users cannot be read", {
              address: issuer.address,
              error,
            });
          }),
        ),
    );
  }

  async #projectAudience(id: string): Promise<string | undefined> {
    const row = (await this.#projectRows()).find((project) => project.id === id);
    return row === undefined ? undefined : this.#audienceOf(row);
  }

  async #projectRows(): Promise<ProjectRow[]> {
    return this.#projects.get("all", () => repository.listNamedProjects(this.#core.store, DEFAULT_ID));
  }

  // Undefined for a project without an audience.
  #audienceOf(row: ProjectRow): string | undefined {
    return row.audience ?? (row.id === DEFAULT_ID ? this.#core.publicUrl() : undefined);
  }
}

/**
 * Ids of the `user_sources` whose user ids may clash with those of another provider, because they have no `user_prefix`. A
 * `sub` is unique per issuer only (OpenID Connect Core 1.0, section 2). An empty prefix states that users are the same.
 */
export function ambiguousSources({ user_sources: sources, "auth.url": own }: Settings): string[] {
  const bare = sources.filter(({ user_prefix = "" }) => user_prefix === "");
  const providers = bare.length + (own === undefined ? 0 : 1);
  if (providers < 2) return [];
  return bare.filter(({ user_prefix }) => user_prefix === undefined).map(({ id }) => id);
}
