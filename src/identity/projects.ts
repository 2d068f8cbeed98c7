// Projects and organizations: the operator sees all of them, other principals their own.
import type { Audit } from "../audit";
import { type Page, timestamp, UNPAGED_LIMIT, wholePage } from "../base";
import { alreadyExists, forbidden, notFound } from "../errors";
import type { Store, Transaction } from "../store";
import { type Principal, roleOfPrincipal } from "./principal";
import * as repository from "./repository";
import type { OrganizationRow, ProjectRow } from "./repository";
import type { Binding, Caller, Organization, Project, ProjectPatch } from "./schema";
import { SIGN_IN_METHODS, type SignInMethod } from "./sign-in-methods";

/** A step of the transaction that changes how people sign in to a project. `method`: undefined: as the deployment says. */
export type MethodChanged = (projectId: string, method: SignInMethod | undefined) => Transaction<unknown>;

export class Projects {
  readonly #store: Store;
  readonly #audit: Audit;
  readonly #methodChanged: MethodChanged;

  constructor(store: Store, audit: Audit, methodChanged: MethodChanged) {
    this.#store = store;
    this.#audit = audit;
    this.#methodChanged = methodChanged;
  }

  /** All projects for the operator, otherwise only the own project. */
  async list(principal: Principal): Promise<Page<Project>> {
    if (principal.kind !== "operator") return wholePage([await this.get(principal, principal.projectId)]);
    const rows = await repository.listProjects(this.#store, UNPAGED_LIMIT);
    return wholePage(rows.map(projectRecord));
  }

  /** Throws `not_found`; only the operator can see other projects than the own one. */
  async get(principal: Principal, id: string): Promise<Project> {
    const row = canSee(principal, id) ? await repository.findProject(this.#store, id) : undefined;
    if (row === undefined) throw unknownProject(id);
    return projectRecord(row);
  }

  /** The name of a project, for pages that its users see; undefined if it was deleted. */
  async nameOf(id: string): Promise<string | undefined> {
    return (await repository.findProject(this.#store, id))?.name;
  }

  /** How people sign in to a project; undefined: as the deployment says. */
  async methodOf(id: string): Promise<{ exists: boolean; method: SignInMethod | undefined }> {
    const row = await repository.findProject(this.#store, id);
    return { exists: row !== undefined, method: row === undefined ? undefined : ownMethod(row) };
  }

  /** The same in a transaction. */
  *methodInTransaction(id: string): Transaction<SignInMethod | undefined> {
    const row = yield* repository.projectInTransaction(id);
    return row === undefined ? undefined : ownMethod(row);
  }

  /** Changes name, audience or the way of signing in. Throws `not_found` as `get` does, `forbidden` if a key sets an audience. */
  async update(principal: Principal, id: string, patch: ProjectPatch): Promise<Project> {
    if (!canSee(principal, id)) throw unknownProject(id);
    // A project with the audience of another project would make the user tokens of both invalid.
    if (patch.audience !== undefined && principal.kind !== "operator")
      throw forbidden("Only the operator can set the audience: runtime projects update --audience.");
    return projectRecord(await this.#store.write(() => this.#update(principal, id, patch)));
  }

  /** All organizations for the operator, otherwise the one of the own project. */
  async organizations(principal: Principal): Promise<Page<Organization>> {
    const store = this.#store;
    if (principal.kind === "operator")
      return wholePage((await repository.listOrganizations(store, UNPAGED_LIMIT)).map(organizationRecord));
    const { org_id } = await this.get(principal, principal.projectId);
    const own = await repository.findOrganization(store, org_id);
    return wholePage(own === undefined ? [] : [organizationRecord(own)]);
  }

  /** The principal as a record for the caller. */
  async caller(principal: Principal): Promise<Caller> {
    const project = await this.get(principal, principal.projectId);
    const { id: project_id, org_id } = project;
    const role = roleOfPrincipal(principal);
    if (principal.kind === "user")
      return {
        kind: "user",
        role,
        person: principal.role ?? "member",
        project_id,
        org_id,
        user_id: principal.userId,
      };
    if (principal.kind === "operator") return { kind: "operator", role, project_id, org_id };
    const users = principal.users === null ? {} : { users: [...principal.users] };
    const { keyId: workload_id, workload: subject } = principal;
    if (subject !== undefined)
      return { kind: "workload", role, project_id, org_id, workload_id, subject, ...users };
    return { kind: "key", role, project_id, org_id, key_id: principal.keyId, ...users };
  }

  *#update(principal: Principal, id: string, patch: ProjectPatch): Transaction<ProjectRow> {
    const known = yield* repository.projectInTransaction(id);
    if (known === undefined) throw unknownProject(id);
    const audience = patch.audience === undefined ? known.audience : patch.audience || null;
    const signIn = patch.sign_in === undefined ? known.sign_in : methodIn(patch.sign_in);
    const row: ProjectRow = { ...known, name: patch.name ?? known.name, audience, sign_in: signIn };
    yield* refuseSharedAudience(row);
    yield* repository.updateProject(row);
    if (row.sign_in !== known.sign_in) yield* this.#methodChanged(id, ownMethod(row));
    const own = principal.projectId === id;
    const actor = own ? principal : { ...principal, projectId: id, incarnation: known.incarnation };
    yield* this.#audit.record(actor, "project.update", id, {
      before: projectRecord(known),
      after: projectRecord(row),
    });
    return row;
  }
}

/**
 * Throws `already_exists` if another project has the audience: a token that names two projects is refused by both, so the
 * change would lock out the users of the other project.
 */
export function* refuseSharedAudience({ id, audience }: ProjectRow): Transaction<void> {
  if (audience === null || (yield* repository.projectOfAudience(audience, id)) === undefined) return;
  throw alreadyExists(
    "Another project already has this audience. Choose another one: a user token must name one project.",
  );
}

export function projectRecord(row: ProjectRow): Project {
  const { id, org_id, name, audience, created_at } = row;
  const method = ownMethod(row);
  return {
    id,
    org_id,
    name,
    ...(audience === null ? {} : { audience }),
    ...(method === undefined ? {} : { sign_in: method }),
    created_at: timestamp(created_at),
  };
}

/** How people sign in to this project. One that this version does not know counts as `none`. Undefined: as the deployment says. */
export function ownMethod({ sign_in: text }: Pick<ProjectRow, "sign_in">): SignInMethod | undefined {
  return text === null ? undefined : (SIGN_IN_METHODS.find((method) => method === text) ?? "none");
}

function methodIn(given: SignInMethod | "default"): SignInMethod | null {
  return given === "default" ? null : given;
}

function organizationRecord({ id, name, created_at }: OrganizationRow): Organization {
  return { id, name, created_at: timestamp(created_at) };
}

function canSee(principal: Principal, projectId: string): boolean {
  return principal.kind === "operator" || principal.projectId === projectId;
}

export function unknownProject(id: string): Error {
  return notFound(`There is no project "${id}".`);
}

/** The binding of a record that belongs to a project. */
export function projectBinding(projectId: string): Binding {
  return { id: projectId, type: "project" };
}
