// Authentication of requests, and the administration of projects.
import type { Page } from "../base";
import type { Audit, ExecutionLog } from "../audit";
import type { Core } from "../core";
import { hashOf, isApiKey, newToken } from "../crypto";
import { alreadyExists, invalidAuthorization, notFound } from "../errors";
import { CachedByGeneration, type Transaction } from "../store";
import { ApiKeys } from "./api-keys";
import { credentialOf } from "./credential";
import type { OpenIdIssuer } from "./issuer";
import { asUser, type Principal } from "./principal";
import {
  type MethodChanged,
  projectRecord,
  Projects,
  refuseSharedAudience,
  unknownProject,
} from "./projects";
import { type KeyPrincipal, keyPrincipal } from "./key-principal";
import { type GrantsOfProject, ProjectDeletion } from "./project-deletion";
import type { OwnTokens } from "./own-tokens";
import * as repository from "./repository";
import type { PinnedAdminKey, ProjectRow } from "./repository";
import type { ApiKey, ApiKeyCreate, Project } from "./schema";
import { Standing } from "./standing";
import { Suspensions } from "./suspensions";
import { DEFAULT_ID, type Resource, type ResourceUser, type RoleOf, UserPrincipals } from "./user-principals";
import { looksLikeJwt } from "./issuer-keys";
import { Workloads } from "./workloads";

const MAX_CACHED_KEYS = 1000;

interface CachedKey {
  principal: KeyPrincipal;
  expiresAt: number | null;
}

interface IdentityParts {
  audit: Audit;
  executionLog: ExecutionLog;
  issuer: OpenIdIssuer;
  grants: GrantsOfProject;
  /** Asked after construction only. */
  ownTokens: () => OwnTokens;
  roleOf: RoleOf;
  methodChanged: MethodChanged;
}

export class Identity {
  readonly projects: Projects;
  readonly suspensions: Suspensions;
  readonly apiKeys: ApiKeys;
  readonly workloads: Workloads;
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #deletion: ProjectDeletion;
  readonly #executionLog: ExecutionLog;
  /** By the whole header, so that a known header needs no hash. Contains existing keys only. */
  readonly #keys: CachedByGeneration<string, CachedKey>;
  readonly #standing: Standing;
  readonly #users: UserPrincipals;

  constructor(core: Core, parts: IdentityParts) {
    const { audit, executionLog, issuer, grants, ownTokens, roleOf, methodChanged } = parts;
    this.projects = new Projects(core.store, audit, methodChanged);
    this.#core = core;
    this.#audit = audit;
    this.#deletion = new ProjectDeletion(core, audit, grants);
    this.#executionLog = executionLog;
    this.#keys = new CachedByGeneration(core.store, "keys", MAX_CACHED_KEYS);
    this.suspensions = new Suspensions(core);
    this.#standing = new Standing(core, this.suspensions, ownTokens);
    this.apiKeys = new ApiKeys(core, audit, executionLog);
    this.workloads = new Workloads(core, audit, executionLog);
    this.#users = new UserPrincipals(core, issuer, this.suspensions, { ownTokens, roleOf });
  }

  /** Creates the organization and project `default` in a new database. */
  async ensureDefaults(): Promise<void> {
    const { store, clock } = this.#core;
    if ((await repository.findProject(store, DEFAULT_ID)) !== undefined) return;
    const [id, created_at] = [DEFAULT_ID, clock.now()];
    const row = { id, org_id: id, name: id, audience: null, sign_in: null, created_at, incarnation: "" };
    await store.write(() => this.#addProject(row));
  }

  /**
   * The principal of an `Authorization` header, with or without `Bearer`. `pathProject`: the project in the path, which
   * is used if a token names several. Throws `invalid_authorization`; the message never repeats the credential.
   */
  async authenticate(header: string | undefined, pathProject?: string): Promise<Principal> {
    const text = credentialOf(header);
    if (looksLikeJwt(text))
      return (
        (await this.workloads.principalOf(text, pathProject)) ?? this.#users.inProject(text, pathProject)
      );
    if (!text.startsWith("rt_"))
      throw invalidAuthorization("The credential is not an API key of this server.");
    const known = await this.#keys.get(header ?? "", () => this.#findKey(text));
    if (!this.#alive(known)) throw invalidAuthorization("The API key has expired.");
    return this.#used(known);
  }

  #alive({ expiresAt }: CachedKey): boolean {
    return expiresAt === null || expiresAt > this.#core.clock.now();
  }

  #used({ principal }: CachedKey): Principal {
    this.#executionLog.used("key", principal.keyId);
    return principal;
  }

  /** Throws for an unknown key, so that only existing keys are cached. */
  async #findKey(text: string): Promise<CachedKey> {
    if (!isApiKey(text)) throw invalidAuthorization("The API key is mistyped: its checksum does not match.");
    const row = await repository.findKeyByHash(this.#core.store, hashOf(text));
    if (row === undefined) throw invalidAuthorization("The API key does not exist or was revoked.");
    return { principal: keyPrincipal(row), expiresAt: row.expires_at };
  }

  /** The issuer of the tokens that `authenticateAt` accepts; undefined: none. Throws `unavailable`. */
  issuerOf(source: string | undefined): Promise<string | undefined> {
    return this.#users.issuerOf(source);
  }

  /** As `UserPrincipals.readIssuers`. */
  readIssuers(): Promise<void> {
    return this.#users.readIssuers();
  }

  /** The user of a token for a resource (RFC 8707). Throws `invalid_authorization`. */
  async authenticateAt(header: string | undefined, resource: Resource): Promise<ResourceUser> {
    return this.#users.atResource(credentialOf(header), resource);
  }

  /**
   * The principal for an actor of the audit trail, with its current permissions; undefined if the key was revoked or has
   * expired. `grant`: what a user had allowed the client that acted; undefined if that has ended. Used for scheduled runs.
   */
  async actor(projectId: string, name: string, grant: string | null = null): Promise<Principal | undefined> {
    if (name === "operator") return this.operator(projectId);
    if (name.startsWith("user:")) {
      const user = asUser(await this.operator(projectId), name.slice("user:".length));
      return grant === null ? user : this.#standing.granted(user, grant);
    }
    if (name.startsWith("workload:")) return this.workloads.actor(projectId, name.slice("workload:".length));
    const row = await repository.findKey(this.#core.store, projectId, name.slice("key:".length));
    if (row === undefined || (row.expires_at !== null && row.expires_at <= this.#core.clock.now()))
      return undefined;
    return keyPrincipal(row);
  }

  /** The operator's principal. Throws `not_found` if the project does not exist. */
  async operator(projectId: string): Promise<Principal> {
    const project = await repository.findProject(this.#core.store, projectId);
    if (project === undefined) throw unknownProject(projectId);
    return { kind: "operator", projectId, incarnation: project.incarnation };
  }

  /** Calls `lost` once when the credential has stopped working, until the returned function is called. */
  watch(principal: Principal, lost: () => void): () => void {
    return this.#standing.watch(principal, lost);
  }

  /** As `Standing.requireCurrent`. */
  requireCurrent(principal: Principal): Promise<void> {
    return this.#standing.requireCurrent(principal);
  }

  /** Throws `not_found` unless this is the project of the principal, in this organization. */
  async checkProject(principal: Principal, orgId: string, projectId: string): Promise<void> {
    const own = projectId === principal.projectId;
    const project = own ? await repository.findProject(this.#core.store, projectId) : undefined;
    if (project?.org_id !== orgId) throw notFound("This credential has no project with this id.");
  }

  /** Throws `invalid_authorization` if the project was deleted in the meantime. */
  async organizationOf(projectId: string): Promise<string> {
    const project = await repository.findProject(this.#core.store, projectId);
    if (project === undefined) throw invalidAuthorization("The project of this credential was deleted.");
    return project.org_id;
  }

  /** The ids of all projects of this installation, for the operator. */
  async projectIds(): Promise<string[]> {
    return repository.projectIds(this.#core.store);
  }

  /** Creates a project with its own data key. `audience`: that of its user tokens. Throws `already_exists`. */
  async createProject(
    principal: Principal,
    id: string,
    name: string,
    orgId = DEFAULT_ID,
    audience?: string,
  ): Promise<Project> {
    const row: ProjectRow = {
      id,
      org_id: orgId,
      name,
      audience: audience ?? null,
      sign_in: null,
      created_at: this.#core.clock.now(),
      incarnation: newToken(this.#core.random),
    };
    return projectRecord(await this.#core.store.write(() => this.#createProject(principal, row)));
  }

  /** Deletes a project, its records and its data key, without which sealed values cannot be decrypted again. */
  async deleteProject(principal: Principal, id: string): Promise<void> {
    await this.#deletion.delete(principal, id);
  }

  /** As `ApiKeys.create`. */
  createKey(principal: Principal, request: ApiKeyCreate, also?: repository.Also): Promise<ApiKey> {
    return this.apiKeys.create(principal, request, also);
  }

  /** As `ApiKeys.list`. */
  listKeys(principal: Principal): Promise<Page<ApiKey>> {
    return this.apiKeys.list(principal);
  }

  /** As `ApiKeys.get`. */
  getKey(principal: Principal, id: string): Promise<ApiKey> {
    return this.apiKeys.get(principal, id);
  }

  /** As `ApiKeys.pinnedAdmins`. */
  pinnedAdminKeys(): Promise<PinnedAdminKey[]> {
    return this.apiKeys.pinnedAdmins();
  }

  /** As `ApiKeys.hasAny`. */
  hasKeys(projectId: string): Promise<boolean> {
    return this.apiKeys.hasAny(projectId);
  }

  /** As `ApiKeys.delete`. */
  deleteKey(principal: Principal, id: string): Promise<void> {
    return this.apiKeys.delete(principal, id);
  }

  *#addProject(row: ProjectRow): Transaction<ProjectRow> {
    const { id, org_id, created_at } = row;
    const known = yield* repository.projectInTransaction(id);
    if (known !== undefined) return known;
    const organization = yield* repository.organizationInTransaction(org_id);
    if (organization === undefined)
      yield* repository.addOrganization({ id: org_id, name: org_id, created_at });
    yield* repository.addProject(row);
    yield* this.#core.keyring.addDataKey(id);
    return row;
  }

  *#createProject(principal: Principal, row: ProjectRow): Transaction<ProjectRow> {
    const { id } = row;
    if ((yield* repository.projectInTransaction(id)) !== undefined) {
      throw alreadyExists(`The project "${id}" already exists.`);
    }
    yield* refuseSharedAudience(row);
    const created = yield* this.#addProject(row);
    const actor = { ...principal, projectId: id, incarnation: created.incarnation };
    yield* this.#audit.record(actor, "project.create", id, { after: projectRecord(created) });
    return created;
  }
}
