// Access to records by their binding: callers can read and change those of their project, and read those of the
// organization, which only the operator can change.
import { forbidden, readOnly } from "../errors";
import { type Identity, type Principal } from "../identity";
import type { Binding, Scope } from "./repository";
import type { BindingType } from "./schema";

export class Bindings {
  readonly #identity: Identity;

  constructor(identity: Identity) {
    this.#identity = identity;
  }

  async scopeOf(projectId: string): Promise<Scope> {
    return { projectId, orgId: await this.#identity.organizationOf(projectId) };
  }

  async of({ projectId }: Principal, type: BindingType = "project"): Promise<Binding> {
    if (type === "project") return { type, id: projectId };
    return { type, id: await this.#identity.organizationOf(projectId) };
  }
}

/** Throws `forbidden` if the principal may not create records with this binding. */
export function checkCreator(principal: Principal, type: BindingType): void {
  if (type === "project" || principal.kind === "operator") return;
  throw forbidden(
    "Only the operator can create plugins of the organization: runtime plugins create --binding tenant.",
  );
}

/** Throws `read_only` if the principal may read the record, but not change it. */
export function checkWriter(principal: Principal, { binding_type }: { binding_type: string }): void {
  if (binding_type === "project" || principal.kind === "operator") return;
  throw readOnly(
    "This belongs to the organization. Only the operator can change it, with runtime plugins and runtime hooks.",
  );
}
