// The steps of applying a manifest, and helpers for building them.
import { isObject, MAX_LIMIT, type Page } from "../base";
import type { Gateways } from "../gateways";
import type { Hooks, Plugins } from "../hooks";
import type { Principal } from "../identity";
import type { Models } from "../llm";
import type { Providers } from "../providers";
import type { Secrets } from "../secrets";
import type { SessionSettings } from "../settings";
import type { Change, Manifest } from "./schema";

export interface Services {
  providers: Providers;
  secrets: Secrets;
  settings: SessionSettings;
  gateways: Gateways;
  plugins: Plugins;
  hooks: Hooks;
  models: Models;
}

/** One change and how to make it. */
export interface Step {
  change: Change;
  /** Values that have to be provided first. */
  missing?: readonly string[];
  /** Throws if `run` would refuse the change. Called for all steps before the first one runs. */
  check?: () => Promise<void>;
  run(): Promise<unknown>;
}

export type Plan = (services: Services, principal: Principal, manifest: Manifest) => Promise<Step[]>;

/** `fields`: those that differ; undefined: the record does not exist yet. */
export function changeOf(kind: Change["kind"], name: string, fields: string[] | undefined): Change {
  if (fields === undefined) return { kind, name, action: "create" };
  return fields.length === 0 ? { kind, name, action: "unchanged" } : { kind, name, action: "update", fields };
}

/** The paths of the wanted fields that differ from those of a record; omitted fields are ignored. */
export function differing(wanted: unknown, known: unknown, path = ""): string[] {
  if (!isObject(wanted) || !isObject(known))
    return Bun.deepEquals(wanted, known) ? [] : [path === "" ? "value" : path];
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
