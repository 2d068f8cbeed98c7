// Export and apply of a project's configuration. Apply creates and changes what the document names and deletes nothing;
// everything is looked at before anything is changed.
import { malformedRequest } from "../errors";
import type { Principal } from "../identity";
import { exported, PLANS } from "./parts";
import type { Applied, ExportedManifest, Manifest } from "./schema";
import type { Services } from "./step";

export class Manifests {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  export(principal: Principal): Promise<ExportedManifest> {
    return exported(this.#services, principal);
  }

  /**
   * What would change, or was changed, in order; a dry run also says what is missing. Throws `malformed_request` naming the values that are missing, and
   * what a service refuses: the changes before it stay, and a repeat goes on from there.
   */
  async apply(principal: Principal, manifest: Manifest, dryRun = false): Promise<Applied> {
    const steps = [];
    for (const plan of PLANS) steps.push(...(await plan(this.#services, principal, manifest)));
    const changes = steps.map(({ change }) => change);
    const missing = steps.flatMap((step) => (step.missing === undefined ? [] : [step.missing]));
    if (dryRun) return { applied: false, changes, ...(missing.length === 0 ? {} : { missing }) };
    if (missing.length > 0) throw malformedRequest(`Give first: ${missing.join(", ")}. Nothing was changed.`);
    for (const { change, run } of steps) if (change.action !== "unchanged") await run();
    return { applied: true, changes };
  }
}
