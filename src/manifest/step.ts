// The steps of applying a manifest, and helpers for building them.
import { isObject, MAX_LIMIT, type Page } from "../base";
import type { FieldError } from "../errors";
import type { Gateways } from "../gateways";
import type { Hooks, Plugins } from "../hooks";
import type { Principal } from "../identity";
import type { Models } from "../llm";
import type { Providers } from "../providers";
import type { Secrets } from "../secrets";
import type { SessionSettings } from "../settings";
import type { Change as StoreChange } from "../store";
import type { Workers } from "../workers";
import type { Change, Manifest } from "./schema";

export interface Services {
  providers: Providers;
  secrets: Secrets;
  settings: SessionSettings;
  gateways: Gateways;
  plugins: Plugins;
  hooks: Hooks;
  models: Models;
  workers: Workers;
}

/** One change of a record, and how to make it. */
export interface Step {
  change: Change;
  /** The record in the manifest, as in error messages: `gateways.0`. Undefined: it is not in the manifest. */
  field?: string;
  /** The record refers to something that neither the manifest nor the project has. */
  problem?: FieldError | undefined;
  /** Values that have to be provided first. */
  missing?: readonly string[];
  /**
   * Does everything that has to be waited for. Not called for an unchanged record. Resolves to undefined if the change is a
   * part of that of an earlier step.
   */
  prepare(): StoreChange<unknown> | undefined | Promise<StoreChange<unknown> | undefined>;
}

/** What the steps of one manifest share. */
export interface Draft {
  /** Deletes the records that the lists of the manifest do not contain. */
  prune: boolean;
  /** The ids of the plugins that are created, by their names. Filled while the steps are prepared. */
  pluginIds: Map<string, string>;
}

export type Plan = (
  services: Services,
  principal: Principal,
  manifest: Manifest,
  draft: Draft,
) => Promise<Step[]>;

/** A field that an update changes. */
export type Difference = NonNullable<Change["differences"]>[number];

/** `differences`: undefined: the record does not exist yet. */
export function changeOf(kind: Change["kind"], name: string, differences?: readonly Difference[]): Change {
  if (differences === undefined) return { kind, name, action: "create" };
  if (differences.length === 0) return { kind, name, action: "unchanged" };
  const fields = differences.map(({ field }) => field);
  return { kind, name, action: "update", fields, differences: [...differences] };
}

/** The deletion of a record that the manifest does not contain. */
export function pruned(kind: Change["kind"], name: string, prepare: Step["prepare"]): Step {
  return { change: { kind, name, action: "delete" }, prepare };
}

/** Fields whose values are never shown: a change names them only. */
export function secretFields(fields: readonly string[]): Difference[] {
  return fields.map((field) => ({ field }));
}

/** The fields of the wanted record that differ from those of the known one; omitted fields are ignored. */
export function differing(wanted: unknown, known: unknown, path = ""): Difference[] {
  if (!isObject(wanted) || !isObject(known)) {
    if (Bun.deepEquals(wanted, known)) return [];
    return [{ field: path === "" ? "value" : path, before: known ?? null, after: wanted ?? null }];
  }
  return Object.entries(wanted)
    .filter(([, value]) => value !== undefined)
    .flatMap(([key, value]) => differing(value, known[key], path === "" ? key : `${path}.${key}`));
}

export function byName<T extends { [K in N]?: string }, N extends string>(records: T[], name: N): T[] {
  return records.toSorted((left, right) => ((left[name] ?? "") < (right[name] ?? "") ? -1 : 1));
}

/** The records of all pages. */
export async function everything<T>(
  list: (window: { limit: number; offset: number }) => Promise<Page<T>>,
): Promise<T[]> {
  const found: T[] = [];
  for (;;) {
    const { items, total_count } = await list({ limit: MAX_LIMIT, offset: found.length });
    found.push(...items);
    if (items.length === 0 || found.length >= total_count) return found;
  }
}

/** Names of environment variables for ids. Ids that differ only in invalid characters get different names. */
export function distinctNames(): (id: string) => string {
  const taken = new Set<string>();
  return (id) => {
    const plain = id.toUpperCase().replaceAll(/\W/g, "_");
    let name = plain;
    for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`;
    taken.add(name);
    return name;
  };
}
