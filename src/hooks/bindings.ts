// What a caller may see and change: the records of its project; those of the organization to read, and to change only
// at the terminal of the data folder.
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

/** Throws `forbidden` for what a key may not make. */
export function checkMaker(principal: Principal, type: BindingType): void {
  if (type === "project" || principal.kind === "operator") return;
  throw forbidden(
    "What belongs to the organization is made at its terminal: runtime plugins create --binding tenant.",
  );
}

/** Throws `read_only` for what the caller sees, but may not change. */
export function checkWriter(principal: Principal, { binding_type }: { binding_type: string }): void {
  if (binding_type === "project" || principal.kind === "operator") return;
  throw readOnly(
    "This belongs to the organization: it is changed at its terminal, with runtime plugins and hooks.",
  );
}
