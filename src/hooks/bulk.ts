// Creates and updates many hooks, all or none: everything is validated before anything is written.
import { sentence } from "../base";
import type { Audit } from "../audit";
import type { Core } from "../core";
import { type FieldError, malformedRequest } from "../errors";
import type { Principal } from "../identity";
import type { Transaction } from "../store";
import { auditedHook, endpointName } from "./record";
import * as repository from "./repository";
import type { HookRow, PluginRow, Scope } from "./repository";
import { changedHook, freePriority, type NewHook, newHook, priorityTaken, takenPriority } from "./rows";
import type { BulkUpsertedHooks, FailureMode, Phase } from "./schema";
import { webhookOf } from "./stored";

/** One hook of the request. */
export interface HookEntry extends Omit<NewHook, "phase" | "failure_mode"> {
  plugin_id: string;
  /** null: a new hook. Undefined: the only hook of the plugin at the point, or else a new one. */
  hook_id?: string | null | undefined;
  phase?: Phase | undefined;
  failure_mode?: FailureMode | undefined;
}

type Result = BulkUpsertedHooks["results"][number];

interface Planned {
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

  /** `list`: the field with the entries, for error messages. */
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
    const known = [...hooks];
    const planned = configs.map((config, index) => {
      const repeated = config.hook_id === undefined && configs.findIndex((one) => isOf(one, config)) < index;
      const found = this.#plan(config, plugins.get(config.plugin_id), known, repeated);
      if ("rule" in found) errors.push(this.#at(index, found));
      // The next new hook gets a later priority.
      else if (found.before === undefined) known.push(found.row);
      return found;
    });
    const valid = planned.filter((one): one is Planned => !("rule" in one));
    for (const [index, fault] of collisions(planned, hooks)) errors.push(this.#at(index, fault));
    if (errors.length > 0) throw refusal(errors, `${configs.length} entries (the first is ${this.#list}.0)`);
    yield* this.#write(valid);
    return valid.map(resultOf);
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

  #plan(
    config: HookEntry,
    plugin: PluginRow | undefined,
    hooks: readonly HookRow[],
    repeated: boolean,
  ): Planned | FieldError {
    if (repeated) return fault("hook_point", "repeats an earlier entry with the same plugin_id");
    if (plugin === undefined) return fault("plugin_id", "is not a plugin of this project");
    if (webhookOf(plugin).endpoints[endpointName(config.hook_point)] === undefined)
      return fault("hook_point", "has no endpoint in the plugin");
    const [before, ...more] = hooks.filter((row) =>
      config.hook_id === undefined ? isOf(row, config) : row.id === config.hook_id,
    );
    if (more.length > 0)
      return fault("hook_point", "has several hooks of this plugin: change them by their ids");
    if (before !== undefined) {
      return { config, before, row: changedHook(before, config, this.#core.clock.now()) };
    }
    const { failure_mode, phase = "before" } = config;
    if (failure_mode === undefined) return fault("failure_mode", "is required for a new hook");
    const priority = config.priority ?? freePriority(config.hook_point, hooks);
    return { config, before, row: newHook(this.#core, plugin, { ...config, failure_mode, phase, priority }) };
  }

  *#write(planned: readonly Planned[]): Transaction<void> {
    const changed = planned.filter(({ before, row }) => before !== undefined && row !== before);
    // Two hooks may swap priorities, which are unique: set temporary ones first.
    for (const [index, { row }] of changed.entries())
      yield* repository.updateHook({ ...row, priority: -1 - index });
    for (const { row } of changed) yield* repository.updateHook(row);
    for (const { before, row } of planned) if (before === undefined) yield* repository.addHook(row);
    for (const { before, row } of planned) {
      if (row === before) continue;
      const action = before === undefined ? "hook.create" : "hook.update";
      const details = { bulk: true, failure_mode: row.failure_mode, status: row.status };
      yield* this.#audit.record(this.#principal, action, row.id, {
        details,
        ...(before === undefined ? {} : { before: auditedHook(before) }),
        after: auditedHook(row),
      });
    }
  }
}

function isOf({ plugin_id, hook_point }: HookRow | HookEntry, config: HookEntry): boolean {
  return plugin_id === config.plugin_id && hook_point === config.hook_point;
}

/** Entries whose hook would share its point and priority with another hook. */
function collisions(
  planned: readonly (Planned | FieldError)[],
  hooks: readonly HookRow[],
): [index: number, FieldError][] {
  const after = new Map(hooks.map((row) => [row.id, row]));
  for (const one of planned) if (!("rule" in one)) after.set(one.row.id, one.row);
  const all = [...after.values()];
  return planned.flatMap((one, index) => {
    if ("rule" in one || one.row === one.before || !takenPriority(one.row, all)) return [];
    return [[index, fault("priority", `is taken. ${priorityTaken(one.row)}`)]];
  });
}

function resultOf({ before, row, config }: Planned): Result {
  const action = before === undefined ? "created" : row === before ? "unchanged" : "updated";
  return { action, hook_id: row.id, hook_point: config.hook_point, plugin_id: row.plugin_id };
}

function fault(field: string, message: string): FieldError {
  return { field, rule: "bulk", message };
}

function refusal(errors: FieldError[], entries: string): Error {
  const list = errors.map(({ field, message }) => `${field} ${message}`).join("; ");
  return malformedRequest(
    `failed to validate request body: ${sentence(list)} None of the ${entries} was stored.`,
    {
      fieldErrors: errors,
    },
  );
}
