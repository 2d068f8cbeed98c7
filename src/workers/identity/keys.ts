// The keys with which a project says who calls its workers.
import type { Audit } from "../../audit";
import type { Core } from "../../core";
import type { Principal } from "../../identity";
import { identityKeyTable, JwtKeys } from "../../jwt-keys";
import type { RotatedIdentity } from "./schema";

export class IdentityKeys extends JwtKeys {
  readonly #audit: Audit;

  constructor(core: Core, audit: Audit) {
    super(core, identityKeyTable);
    this.#audit = audit;
  }

  /** Replaces the keys of a project at once, for one that has leaked. */
  async rotate(principal: Principal): Promise<RotatedIdentity> {
    const { made, replaced } = await this.replace(principal.projectId, (key, ids) =>
      this.#audit.record(principal, "identity_key.rotate", key, { details: { replaced: ids } }),
    );
    return { key_id: made, replaced };
  }
}
