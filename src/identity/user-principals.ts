// A verified user token → whom it lets act where: in a project, or at one address of it.
import type { Core } from "../core";
import { invalidAuthorization } from "../errors";
import { CachedByGeneration } from "../store";
import { OpenIdIssuer } from "./issuer";
import type { Principal } from "./principal";
import * as repository from "./repository";
import type { ProjectRow } from "./repository";
import { looksLikeJwt, UserTokens } from "./user-tokens";

export const DEFAULT_ID = "default";

/** An address that tokens are issued for (RFC 8707). */
export interface Resource {
  projectId: string;
  address: string;
  /** A provider of `user_sources`, in place of the deployment's own. */
  source?: string | undefined;
}

export interface ResourceUser {
  principal: Extract<Principal, { kind: "user" }>;
  /** Scopes that the token names; undefined: it names none at all. */
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
      core.settings.user_sources.map(({ id, issuer: place, audience, user_claim, user_prefix }) => {
        const users = { claim: user_claim ?? "sub", prefix: user_prefix ?? "" };
        return [id, { tokens: new UserTokens(core, new OpenIdIssuer(core, place), users), audience }];
      }),
    );
  }

  /**
   * A user acts in the path's or the only project that the token's audience names, never in a default one.
   * Throws `invalid_authorization`.
   */
  async inProject(token: string, pathProject: string | undefined): Promise<Principal> {
    const { userId, audiences } = await this.#tokens.verify(token);
    const projects = await this.#projectRows();
    const named = projects.filter((row) => audiences.some((name) => name === this.#audienceOf(row)));
    const own = named.find(({ id }) => id === pathProject);
    const [project, ...others] = own === undefined ? named : [own];
    if (project === undefined) throw invalidAuthorization("The user token's audience names no project here.");
    if (others.length > 0) throw invalidAuthorization("The user token's audience names several projects.");
    return { kind: "user", projectId: project.id, userId };
  }

  /**
   * The user of a token that was issued for this very address, or for its project (a source's: for the source) as a
   * whole. Throws `invalid_authorization`.
   */
  async atResource(token: string, { projectId, address, source }: Resource): Promise<ResourceUser> {
    if (!looksLikeJwt(token)) throw invalidAuthorization("This address takes user tokens, and this is none.");
    const own = source === undefined ? undefined : this.#sources.get(source);
    if (source !== undefined && own === undefined)
      throw invalidAuthorization("The identity provider of this address is no longer configured.");
    const { userId, audiences, scopes } = await (own?.tokens ?? this.#tokens).verify(token);
    const whole = own === undefined ? await this.#projectAudience(projectId) : own.audience;
    if (audiences.some((audience) => audience === address || audience === whole))
      return { principal: { kind: "user", projectId, userId }, scopes };
    throw invalidAuthorization(
      "The user token was issued for another address: its audience is not this one.",
    );
  }

  /** Where tokens come from: at the deployment's own provider, or at one of `user_sources`. */
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

  // Undefined for a project that no token can name.
  #audienceOf(row: ProjectRow): string | undefined {
    return row.audience ?? (row.id === DEFAULT_ID ? this.#core.publicUrl() : undefined);
  }
}
