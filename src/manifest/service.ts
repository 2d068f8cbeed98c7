// Exports and applies the configuration of a project. Applying creates and updates the records of the manifest, deletes
// nothing, and plans all steps before it changes anything.
import type { Events } from "../audit";
import { present } from "../base";
import { malformedRequest } from "../errors";
import type { Principal } from "../identity";
import { exported, PLANS } from "./parts";
import type { Applied, ExportedManifest, Manifest } from "./schema";
import type { Services } from "./step";

export class Manifests {
  readonly #events: Events;
  readonly #services: Services;

  constructor(events: Events, services: Services) {
    this.#events = events;
    this.#services = services;
  }

  /** The document. Throws `unavailable` as `Events.record` does. */
  async export(principal: Principal): Promise<ExportedManifest> {
    const manifest = await exported(this.#services, principal);
    await this.#events.record(principal, "project.export", principal.projectId);
    return manifest;
  }

  /**
   * The changes, in order; a dry run changes nothing and returns the missing values. Throws `malformed_request` with the
   * missing values, or for an address that moves to another origin without its secret, before anything is changed. Other
   * errors of the services leave earlier changes, and applying again continues from there.
   */
  async apply(principal: Principal, manifest: Manifest, dryRun = false): Promise<Applied> {
    const steps = [];
    for (const plan of PLANS) steps.push(...(await plan(this.#services, principal, manifest)));
    const changes = steps.map(({ change }) => change);
    const missing = steps.flatMap((step) => (step.missing?.length ? [step.missing.join(", ")] : []));
    if (missing.length === 0)
      for (const { change, check } of steps) if (change.action === "update") await check?.();
    if (dryRun)
      return { applied: false, changes, ...present({ missing: missing.length > 0 ? missing : undefined }) };
    if (missing.length > 0)
      throw malformedRequest(`Missing: ${missing.join(", ")}. Provide these first; nothing was changed.`);
    for (const { change, run } of steps) if (change.action !== "unchanged") await run();
    return { applied: true, changes };
  }
}
