// The deletion of a project with everything in it.
import type { Audit } from "../audit";
import type { Core } from "../core";
import { malformedRequest, unavailable } from "../errors";
import type { Transaction } from "../store";
import type { Principal } from "./principal";
import { projectRecord, unknownProject } from "./projects";
import * as repository from "./repository";
import { DEFAULT_ID } from "./user-principals";

/** How often the deletion starts again because users have granted access meanwhile. */
const ATTEMPTS = 5;

/** What happens to the grants of users, which the providers must end. */
export interface GrantsOfProject {
  /**
   * Orders the revocation of all grants, in a place that outlives the project. The result tells, in the transaction that
   * deletes the project, whether there are grants again.
   */
  leave(projectId: string): Promise<() => Transaction<boolean>>;
  /** After the deletion. */
  left(project: { id: string; incarnation: string }): void;
}

export class ProjectDeletion {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #grants: GrantsOfProject;

  constructor(core: Core, audit: Audit, grants: GrantsOfProject) {
    this.#core = core;
    this.#audit = audit;
    this.#grants = grants;
  }

  async delete(principal: Principal, id: string): Promise<void> {
    if (id === DEFAULT_ID) throw malformedRequest("The project default cannot be deleted.");
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const hasGrants = await this.#grants.leave(id);
      const deleted = await this.#core.store.write(() => this.#delete(principal, id, hasGrants));
      if (deleted !== undefined) return this.#grants.left(deleted);
    }
    throw unavailable("Users keep connecting to this project, so it was not deleted. Try again.");
  }

  /** Undefined if users have granted access since their grants have left. */
  *#delete(
    principal: Principal,
    id: string,
    hasGrants: () => Transaction<boolean>,
  ): Transaction<{ id: string; incarnation: string } | undefined> {
    const row = yield* repository.projectInTransaction(id);
    if (row === undefined) throw unknownProject(id);
    if (yield* hasGrants()) return undefined;
    yield* this.#core.keyring.destroyDataKeys(id);
    yield* repository.deleteProject(id);
    yield* this.#audit.forgetUsers(id);
    const deployment = { ...principal, projectId: null };
    yield* this.#audit.record(deployment, "project.delete", id, { before: projectRecord(row) });
    return { id, incarnation: row.incarnation };
  }
}
