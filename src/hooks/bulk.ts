// Many hooks at once, all or none: what is wanted is worked out and checked whole before anything is written.
import type { Audit } from "../audit";
import type { Core } from "../core";
import { type FieldError, malformedRequest } from "../errors";
import type { Principal } from "../identity";
import type { Transaction } from "../store";
import { priorityTaken } from "./plugins";
import { endpointName } from "./record";
import * as repository from "./repository";
import type { HookRow, PluginRow, Scope } from "./repository";
import { changedHook, newHook, takenPriority } from "./rows";
import type { BulkUpsertedHooks, BulkUpsertHooks } from "./schema";
import { webhookOf } from "./stored";

type BulkConfig = BulkUpsertHooks["configs"][number];
type Given = { [K in keyof Omit<BulkConfig, "plugin_id" | "hook_point">]?: BulkConfig[K] | undefined };

/** What is wanted of one hook. */
export interface HookEntry extends Given {
  plugin_id: string;
  hook_point: BulkConfig["hook_point"];
  /** null: a new one. Undefined: the only one of the plugin at the point, else a new one. */
  hook_id?: string | null | undefined;
  /** Of a new one. */
  name?: string | undefined;
  timeout_ms?: number | undefined;
}

type Result = BulkUpsertedHooks["results"][number];

interface Wanted {
  config: HookEntry;
  /** Undefined: a new hook. */
  before: HookRow | undefined;
  row: HookRow;
}

export class BulkUpsert {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #principal: Principal;
  readonly #scope: Scope;
  readonly #list: string;

  /** `list`: the field that the entries came in. */
  constructor(core: Core, audit: Audit, principal: Principal, scope: Scope, list: string) {
    this.#core = core;
    this.#audit = audit;
    this.#principal = principal;
    this.#scope = scope;
    this.#list = list;
  }

  *run(configs: readonly HookEntry[]): Transaction<Result[]> {
    const { projectId } = this.#principal;
    const hooks = yield* repository.hooksInTransaction({ type: "project", id: projectId });
    const plugins = yield* this.#pluginsOf(configs);
    const errors: FieldError[] = [];
    const wanted = configs.map((config, index) => {
      const repeated = config.hook_id === undefined && configs.findIndex((one) => isOf(one, config)) < index;
      const found = this.#wanted(config, plugins.get(config.plugin_id), hooks, repeated);
      if ("rule" in found) errors.push(this.#at(index, found));
      return found;
    });
    const clean = wanted.filter((one): one is Wanted => !("rule" in one));
    for (const [index, fault] of collisions(wanted, hooks)) errors.push(this.#at(index, fault));
    if (errors.length > 0) throw refusal(errors, `${configs.length} entries (the first is ${this.#list}.0)`);
    yield* this.#write(clean);
    return clean.map(resultOf);
  }

  #at(index: number, { field, rule, message }: FieldError): FieldError {
    return { field: `${this.#list}.${index}.${field}`, rule, message };
  }

  *#pluginsOf(configs: readonly HookEntry[]): Transaction<Map<string, PluginRow>> {
    const found = new Map<string, PluginRow>();
    for (const id of new Set(configs.map((config) => config.plugin_id))) {
      const plugin = yield* repository.pluginInTransaction(this.#scope, id);
      if (plugin?.binding_type === "project") found.set(id, plugin);
    }
    return found;
  }

  #wanted(
    config: HookEntry,
    plugin: PluginRow | undefined,
    hooks: readonly HookRow[],
    repeated: boolean,
  ): Wanted | FieldError {
    if (repeated) return fault("hook_point", "stands in an earlier entry with the same plugin_id");
    if (plugin === undefined) return fault("plugin_id", "names no plugin of this project");
    if (webhookOf(plugin).endpoints[endpointName(config.hook_point)] === undefined)
      return fault("hook_point", "has no endpoint in the plugin");
    const [before, ...more] = hooks.filter((row) =>
      config.hook_id === undefined ? isOf(row, config) : row.id === config.hook_id,
    );
    if (more.length > 0)
      return fault("hook_point", "has several hooks of this plugin: change them one by one, by their ids");
    if (before !== undefined) {
      return { config, before, row: changedHook(before, config, this.#core.clock.now()) };
    }
    const { failure_mode, phase = "before" } = config;
    if (failure_mode === undefined) return fault("failure_mode", "is required for a new hook");
    return { config, before, row: newHook(this.#core, plugin, { ...config, failure_mode, phase }) };
  }

  *#write(wanted: readonly Wanted[]): Transaction<void> {
    const changed = wanted.filter(({ before, row }) => before !== undefined && row !== before);
    // Two hooks that change places would meet on the way: first everybody out, then everybody in.
    for (const [index, { row }] of changed.entries())
      yield* repository.updateHook({ ...row, priority: -1 - index });
    for (const { row } of changed) yield* repository.updateHook(row);
    for (const { before, row } of wanted) if (before === undefined) yield* repository.addHook(row);
    for (const { before, row } of wanted) {
      if (row === before) continue;
      const action = before === undefined ? "hook.create" : "hook.update";
      const details = { bulk: true, failure_mode: row.failure_mode, status: row.status };
      yield* this.#audit.record(this.#principal, action, row.id, details);
    }
  }
}

function isOf({ plugin_id, hook_point }: HookRow | HookEntry, config: HookEntry): boolean {
  return plugin_id === config.plugin_id && hook_point === config.hook_point;
}

/** Entries after which two hooks would run at one point with one priority. */
function collisions(
  wanted: readonly (Wanted | FieldError)[],
  hooks: readonly HookRow[],
): [index: number, FieldError][] {
  const after = new Map(hooks.map((row) => [row.id, row]));
  for (const one of wanted) if (!("rule" in one)) after.set(one.row.id, one.row);
  const all = [...after.values()];
  return wanted.flatMap((one, index) => {
    if ("rule" in one || one.row === one.before || !takenPriority(one.row, all)) return [];
    return [[index, fault("priority", `is taken. ${priorityTaken(one.row)}`)]];
  });
}

function resultOf({ before, row, config }: Wanted): Result {
  const action = before === undefined ? "created" : row === before ? "unchanged" : "updated";
  return { action, hook_id: row.id, hook_point: config.hook_point, plugin_id: row.plugin_id };
}

function fault(field: string, message: string): FieldError {
  return { field, rule: "bulk", message };
}

function refusal(errors: FieldError[], entries: string): Error {
  const list = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  return malformedRequest(`failed to validate request body: ${list}. Nothing was stored of the ${entries}.`, {
    fieldErrors: errors,
  });
}
