// One change that a document asks for, and what it is made of.
import { MAX_LIMIT, type Page } from "../base";
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

/** One change, and how to make it. `missing`: what has to be given first. */
export interface Step {
  change: Change;
  missing?: string;
  run(): Promise<unknown>;
}

export type Plan = (services: Services, principal: Principal, manifest: Manifest) => Promise<Step[]>;

/** What a step is that needs these first; nothing when it needs nothing. */
export function needing(lacking: readonly string[]): { missing?: string } {
  return lacking.length === 0 ? {} : { missing: lacking.join(", ") };
}

/** `fields`: what differs; undefined: there is no such record yet. */
export function changeOf(kind: Change["kind"], name: string, fields: string[] | undefined): Change {
  if (fields === undefined) return { kind, name, action: "create" };
  return fields.length === 0 ? { kind, name, action: "unchanged" } : { kind, name, action: "update", fields };
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

/** Ids as names of variables: two that differ only in what no name may hold must not share a secret. */
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
