// Exports and applies the configuration of a project. Applying checks the whole manifest, then makes all changes in one
// transaction. It deletes only what the caller wants to prune.
import type { Events } from "../audit";
import { malformedRequest } from "../errors";
import type { Principal } from "../identity";
import { type Change, makeChanges, rehearseChanges, type Store } from "../store";
import { exported } from "./export";
import { PLANS } from "./plans";
import { allOf, locatedChange, locatedError, refusal } from "./problems";
import { contradictions, unknownNames } from "./rules";
import type { Applied, ExportedManifest, Manifest } from "./schema";
import type { Draft, Services, Step } from "./step";

export interface ApplyOptions {
  /** Change nothing, and return the missing values instead of refusing them. */
  dryRun?: boolean | undefined;
  /** Delete the records that the lists of the manifest do not contain. Lists that it does not have are left alone. */
  prune?: boolean | undefined;
}

/** Throws for fields that no record has: they are no longer there once the body was checked. */
export function refuseUnknownNames(manifest: unknown): void {
  // This name never reaches a record.
  const problems = unknownNames(manifest).filter(({ field }) => !field.split(".").includes("__proto__"));
  if (problems.length > 0) throw refusal(problems);
}

export class Manifests {
  readonly #store: Store;
  readonly #events: Events;
  readonly #services: Services;

  constructor(store: Store, events: Events, services: Services) {
    this.#store = store;
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
   * Makes all changes, or none, and returns them in order. A dry run changes nothing, and refuses what a real one would
   * refuse. Throws `malformed_request` for a manifest with unknown fields, contradictions or missing values, and what the
   * services throw for their records.
   */
  async apply(principal: Principal, manifest: Manifest, options: ApplyOptions = {}): Promise<Applied> {
    const problems = [...unknownNames(manifest), ...contradictions(manifest)];
    if (problems.length > 0) throw refusal(problems);
    const { dryRun = false, prune = false } = options;
    const steps = await this.#plan(principal, manifest, { prune, pluginIds: new Map() });
    const unresolved = steps.flatMap(({ problem }) => problem ?? []);
    if (unresolved.length > 0) throw refusal(unresolved);
    const changes = steps.map(({ change }) => change);
    const warnings = await this.#warnings(principal, manifest);
    const missing = steps.flatMap((step) => (step.missing?.length ? [step.missing.join(", ")] : []));
    if (missing.length > 0 && !dryRun)
      throw malformedRequest(`Missing: ${missing.join(", ")}. Provide these first; nothing was changed.`);
    const prepared = await preparedChanges(steps.filter(isComplete(steps)));
    await (dryRun ? rehearseChanges : makeChanges)(this.#store, prepared);
    return { applied: !dryRun, changes, ...(missing.length > 0 ? { missing } : {}), ...warnings };
  }

  /** Tools that this version does not have do not stop a document, which may come from a later one. */
  async #warnings({ projectId }: Principal, { gateways = [] }: Manifest): Promise<Pick<Applied, "warnings">> {
    const unknown = await Promise.all(
      gateways.map(({ tool_filter }) => this.#services.gateways.unknownTools(projectId, tool_filter)),
    );
    const warnings = unknown.flatMap((names, at) =>
      names.map(({ name, message, place }) => ({
        field: `gateways.${at}.tool_filter.${place}`,
        message: `${name} ${message}`,
      })),
    );
    return warnings.length === 0 ? {} : { warnings };
  }

  /** Deletions first, those of dependent records before the others: what is new may take their names and places. */
  async #plan(principal: Principal, manifest: Manifest, draft: Draft): Promise<Step[]> {
    const steps: Step[] = [];
    for (const plan of PLANS) steps.push(...(await plan(this.#services, principal, manifest, draft)));
    const isDeletion = ({ change }: Step): boolean => change.action === "delete";
    return [...steps.filter(isDeletion).toReversed(), ...steps.filter((step) => !isDeletion(step))];
  }
}

/** Which steps a dry run can rehearse: those with all their values, and hooks only if their plugins are among them. */
function isComplete(steps: readonly Step[]): (step: Step) => boolean {
  const isMissing = ({ missing = [] }: Step): boolean => missing.length > 0;
  const lacksPlugins = steps.some((step) => step.change.kind === "plugin" && isMissing(step));
  return (step) => {
    const { kind, action } = step.change;
    return !isMissing(step) && !(lacksPlugins && kind === "hook" && action !== "delete");
  };
}

/** Throws all problems of the records together. */
async function preparedChanges(steps: readonly Step[]): Promise<Change<unknown>[]> {
  const changes: Change<unknown>[] = [];
  const errors: unknown[] = [];
  for (const step of steps) {
    if (step.change.action === "unchanged") continue;
    try {
      const change = await step.prepare();
      if (change !== undefined) changes.push(locatedChange(step, change));
    } catch (error) {
      errors.push(locatedError(step, error));
    }
  }
  if (errors.length > 0) throw allOf(errors);
  return changes;
}
