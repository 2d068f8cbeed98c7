// Projects and organizations as their members see them: the operator of the data folder all, a key its own.
import type { Audit } from "../audit";
import { type Page, timestamp, UNPAGED_LIMIT, wholePage } from "../base";
import { alreadyExists, forbidden, notFound } from "../errors";
import type { Store, Transaction } from "../store";
import { type Principal, rolesOf } from "./principal";
import * as repository from "./repository";
import type { OrganizationRow, ProjectRow } from "./repository";
import type { Caller, Organization, Project, ProjectPatch } from "./schema";

export class Projects {
  readonly #store: Store;
  readonly #audit: Audit;

  constructor(store: Store, audit: Audit) {
    this.#store = store;
    this.#audit = audit;
  }

  /** All projects for the operator of the data folder; a key knows of its own only. */
  async list(principal: Principal): Promise<Page<Project>> {
    if (principal.kind !== "operator") return wholePage([await this.get(principal, principal.projectId)]);
    const rows = await repository.listProjects(this.#store, UNPAGED_LIMIT);
    return wholePage(rows.map(projectRecord));
  }

  /** Throws `not_found`, for a key also when the project is another than its own. */
  async get(principal: Principal, id: string): Promise<Project> {
    const row = knows(principal, id) ? await repository.findProject(this.#store, id) : undefined;
    if (row === undefined) throw notFound(`There is no project "${id}".`);
    return projectRecord(row);
  }

  /** Changes name or audience. Throws `not_found` as `get` does, `forbidden` for a key that names an audience. */
  async update(principal: Principal, id: string, patch: ProjectPatch): Promise<Project> {
    if (!knows(principal, id)) throw notFound(`There is no project "${id}".`);
    // A project that took another's audience would turn the other's user tokens away.
    if (patch.audience !== undefined && principal.kind !== "operator")
      throw forbidden("The audience is set on the data folder only: runtime projects update --audience.");
    return projectRecord(await this.#store.write(() => this.#update(principal, id, patch)));
  }

  /** All organizations for the operator; for a key that of its project. */
  async organizations(principal: Principal): Promise<Page<Organization>> {
    const store = this.#store;
    if (principal.kind === "operator")
      return wholePage((await repository.listOrganizations(store, UNPAGED_LIMIT)).map(organizationRecord));
    const { org_id } = await this.get(principal, principal.projectId);
    const own = await repository.findOrganization(store, org_id);
    return wholePage(own === undefined ? [] : [organizationRecord(own)]);
  }

  /** Who is calling, as they may know it themselves. */
  async caller(principal: Principal): Promise<Caller> {
    const project = await this.get(principal, principal.projectId);
    const { id: project_id, org_id } = project;
    const role = rolesOf(principal);
    if (principal.kind === "user")
      return { kind: "user", role, project_id, org_id, user_id: principal.userId };
    if (principal.kind === "operator") return { kind: "operator", role, project_id, org_id };
    const users = principal.users === null ? {} : { users: [...principal.users] };
    return { kind: "key", role, project_id, org_id, key_id: principal.keyId, ...users };
  }

  *#update(principal: Principal, id: string, patch: ProjectPatch): Transaction<ProjectRow> {
    const known = yield* repository.projectInTransaction(id);
    if (known === undefined) throw notFound(`There is no project "${id}".`);
    const audience = patch.audience === undefined ? known.audience : patch.audience || null;
    const row: ProjectRow = { ...known, name: patch.name ?? known.name, audience };
    yield* refuseSharedAudience(row);
    yield* repository.updateProject(row);
    yield* this.#audit.record({ ...principal, projectId: id }, "project.update", id);
    return row;
  }
}

/**
 * Throws `already_exists` when another project has the audience: a token that names two projects is refused in both, so
 * that one project's change would lock the other's users out.
 */
export function* refuseSharedAudience({ id, audience }: ProjectRow): Transaction<void> {
  if (audience === null || (yield* repository.projectOfAudience(audience, id)) === undefined) return;
  throw alreadyExists(
    "Another project has this audience already. User tokens must name one project: take another.",
  );
}

export function projectRecord(row: ProjectRow): Project {
  const { id, org_id, name, audience, created_at } = row;
  return { id, org_id, name, ...(audience === null ? {} : { audience }), created_at: timestamp(created_at) };
}

function organizationRecord({ id, name, created_at }: OrganizationRow): Organization {
  return { id, name, created_at: timestamp(created_at) };
}

function knows(principal: Principal, projectId: string): boolean {
  return principal.kind === "operator" || principal.projectId === projectId;
}
