// The principals of user tokens, for a project or for one resource of it.
import type { Settings } from "../config";
import type { Core } from "../core";
import { invalidAuthorization } from "../errors";
import { CachedByGeneration } from "../store";
import { OpenIdIssuer } from "./issuer";
import type { Principal } from "./principal";
import * as repository from "./repository";
import type { ProjectRow } from "./repository";
import { looksLikeJwt, UserTokens } from "./user-tokens";

export const DEFAULT_ID = "default";

/** A resource that tokens are issued for (RFC 8707). */
export interface Resource {
  projectId: string;
  address: string;
  /** An entry of `user_sources`, instead of the provider at `auth.url`. */
  source?: string | undefined;
}

export interface ResourceUser {
  principal: Extract<Principal, { kind: "user" }>;
  /** The scopes of the token; undefined: it has no scope claim. */
  scopes: readonly string[] | undefined;
}

export class UserPrincipals {
  readonly #core: Core;
  readonly #tokens: UserTokens;
  readonly #sources: ReadonlyMap<string, { tokens: UserTokens; audience: string }>;
  readonly #projects: CachedByGeneration<string, ProjectRow[]>;

  constructor(core: Core, issuer: OpenIdIssuer) {
    this.#core = core;
    this.#tokens = new UserTokens(core, issuer);
    this.#projects = new CachedByGeneration(core.store, "projects");
    this.#sources = new Map(
      core.settings.user_sources.map(({ id, issuer: address, audience, user_claim, user_prefix }) => {
        const users = { claim: user_claim ?? "sub", prefix: user_prefix ?? "" };
        return [id, { tokens: new UserTokens(core, new OpenIdIssuer(core, address), users), audience }];
      }),
    );
  }

  /**
   * The project is the one in the path or the only one that the audience of the token names; there is no default.
   * Throws `invalid_authorization`.
   */
  async inProject(token: string, pathProject: string | undefined): Promise<Principal> {
    const { userId, audiences } = await this.#tokens.verify(token);
    const projects = await this.#projectRows();
    const named = projects.filter((row) => audiences.some((name) => name === this.#audienceOf(row)));
    const own = named.find(({ id }) => id === pathProject);
    const [project, ...others] = own === undefined ? named : [own];
    if (project === undefined)
      throw invalidAuthorization("The audience of the user token does not name a project of this server.");
    if (others.length > 0)
      throw invalidAuthorization("The audience of the user token names several projects.");
    return { kind: "user", projectId: project.id, incarnation: project.incarnation, userId };
  }

  /**
   * The user of a token that was issued for this address, or for its whole project or source.
   * Throws `invalid_authorization`.
   */
  async atResource(token: string, { projectId, address, source }: Resource): Promise<ResourceUser> {
    if (!looksLikeJwt(token))
      throw invalidAuthorization("The credential is not a user token, which this address requires.");
    const own = source === undefined ? undefined : this.#sources.get(source);
    if (source !== undefined && own === undefined)
      throw invalidAuthorization("The identity provider of this address is no longer configured.");
    const { userId, audiences, scopes } = await (own?.tokens ?? this.#tokens).verify(token);
    const whole = own === undefined ? await this.#projectAudience(projectId) : own.audience;
    const project = await repository.findProject(this.#core.store, projectId);
    if (project !== undefined && audiences.some((audience) => audience === address || audience === whole)) {
      const { incarnation } = project;
      return { principal: { kind: "user", projectId, incarnation, userId }, scopes };
    }
    throw invalidAuthorization("The audience of the user token is not this address.");
  }

  /** The issuer of tokens: the provider at `auth.url`, or one of `user_sources`. */
  issuerOf(source: string | undefined): string | undefined {
    const { settings } = this.#core;
    if (source === undefined) return settings["auth.issuer"] ?? settings["auth.url"];
    return settings.user_sources.find(({ id }) => id === source)?.issuer;
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
