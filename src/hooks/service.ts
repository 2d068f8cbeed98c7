// The administration of hooks: plugins at a hook point, with failure mode and order.
import { type Page, page, paging } from "../base";
import type { Audit, Happened } from "../audit";
import type { Core } from "../core";
import { alreadyExists, conflict, invalidParameter, notFound } from "../errors";
import type { Principal } from "../identity";
import { type Change, makeChange, type Transaction } from "../store";
import { type Bindings, checkWriter } from "./bindings";
import { BulkUpsert, type HookEntry } from "./bulk";
import { auditedHook, bindingOf, endpointName, hookRecord } from "./record";
import * as repository from "./repository";
import type { HookRow, Scope } from "./repository";
import { changedHook, freePriority, newHook, priorityTaken, takenPriority, unknownPlugin } from "./rows";
import {
  type BindingType,
  type BulkUpsertedHooks,
  type BulkUpsertHooks,
  type CreateHook,
  type Hook,
  type HooksFilter,
  type PatchHook,
} from "./schema";
import { webhookOf } from "./stored";

export class Hooks {
  readonly #core: Core;
  readonly #audit: Audit;
  readonly #bindings: Bindings;

  constructor(core: Core, audit: Audit, bindings: Bindings) {
    this.#core = core;
    this.#audit = audit;
    this.#bindings = bindings;
  }

  /** The hooks that apply to the project: its own and those of its organization, oldest first. */
  async list(principal: Principal, query: HooksFilter): Promise<Page<Hook>> {
    const window = paging(query);
    const { hook_point, plugin_id, status } = query;
    const scope = await this.#bindings.scopeOf(principal.projectId);
    const rows = await repository.listHooks(this.#core.store, scope);
    const found = rows.filter(
      (row) =>
        (hook_point === undefined || row.hook_point === hook_point) &&
        (plugin_id === undefined || row.plugin_id === plugin_id) &&
        (status === undefined || row.status === status),
    );
    const shown = found.slice(window.offset, window.offset + window.limit);
    return page(await this.#records(principal, shown), found.length, window);
  }

  /** With a `bindingType`, only a hook of that binding. Throws `not_found`. */
  async get(principal: Principal, id: string, bindingType?: BindingType): Promise<Hook> {
    const scope = await this.#bindings.scopeOf(principal.projectId);
    const row = await repository.findHook(this.#core.store, scope, id);
    if (row === undefined || (bindingType ?? row.binding_type) !== row.binding_type) throw unknownHook();
    return this.#record(principal, row);
  }

  /**
   * Throws `not_found` for a plugin that the caller may not use, `invalid_parameter` for one without an endpoint for
   * the point, `conflict` for a priority that is taken.
   */
  async create(principal: Principal, request: CreateHook): Promise<Hook> {
    const scope = await this.#bindings.scopeOf(principal.projectId);
    const row = await this.#core.store.write(() => this.#create(principal, scope, request));
    return this.#record(principal, row);
  }

  /** Throws `not_found`, `read_only`, and `already_exists` for a priority that is taken. */
  async update(principal: Principal, id: string, patch: PatchHook): Promise<Hook> {
    const scope = await this.#bindings.scopeOf(principal.projectId);
    const row = await this.#core.store.write(() => this.#update(principal, scope, id, patch));
    return this.#record(principal, row);
  }

  async delete(principal: Principal, id: string): Promise<void> {
    await makeChange(this.#core.store, await this.deletion(principal, id));
  }

  /** `delete` as a part of a transaction. */
  async deletion(principal: Principal, id: string): Promise<Change<void>> {
    const scope = await this.#bindings.scopeOf(principal.projectId);
    return { body: () => this.#delete(principal, scope, id) };
  }

  /** Creates or updates many hooks of the project, all or none. Throws `malformed_request` naming the entries. */
  async bulk(principal: Principal, { configs }: BulkUpsertHooks): Promise<BulkUpsertedHooks> {
    const scope = await this.#bindings.scopeOf(principal.projectId);
    const upsert = new BulkUpsert(this.#core, this.#audit, principal, scope, "configs");
    // Only validated fields: requests may contain others, such as hook_id.
    const entries = configs.map(
      ({ plugin_id, hook_point, failure_mode, phase, priority, status }): HookEntry => ({
        plugin_id,
        hook_point,
        failure_mode,
        phase,
        priority,
        status,
      }),
    );
    const results = await this.#core.store.write(() => upsert.run(entries));
    return { success: results.length, failed: 0, results };
  }

  /** Like `bulk` as a part of a transaction, but entries may name the hook to change by its id. */
  async bulkChange(principal: Principal, hooks: readonly HookEntry[]): Promise<Change<unknown>> {
    const scope = await this.#bindings.scopeOf(principal.projectId);
    const upsert = new BulkUpsert(this.#core, this.#audit, principal, scope, "hooks");
    return { body: () => upsert.run(hooks) };
  }

  *#create(principal: Principal, scope: Scope, request: CreateHook): Transaction<HookRow> {
    const plugin = yield* repository.pluginInTransaction(scope, request.plugin_id);
    const usable = plugin?.binding_type === "project" || principal.kind === "operator";
    if (plugin === undefined || !usable) throw unknownPlugin();
    const point = endpointName(request.hook_point);
    if (webhookOf(plugin).endpoints[point] === undefined)
      throw invalidParameter(
        `hook_point: the plugin has no endpoint for it. Set webhook_config.endpoints.${point} with PATCH /v1/plugins/{plugin_id}.`,
      );
    const others = yield* repository.hooksInTransaction(bindingOf(plugin));
    const priority = request.priority ?? freePriority(request.hook_point, others);
    const row = newHook(this.#core, plugin, { ...request, priority });
    if (takenPriority(row, others)) throw conflict(priorityTaken(row));
    yield* repository.addHook(row);
    yield* this.#audited(principal, "hook.create", row, { after: auditedHook(row) });
    return row;
  }

  *#update(principal: Principal, scope: Scope, id: string, patch: PatchHook): Transaction<HookRow> {
    const before = yield* repository.hookInTransaction(scope, id);
    if (before === undefined) throw unknownHook();
    checkWriter(principal, before);
    const row = changedHook(before, patch, this.#core.clock.now());
    if (row === before) return row;
    const others = yield* repository.hooksInTransaction(bindingOf(row));
    if (takenPriority(row, others)) throw alreadyExists(priorityTaken(row));
    yield* repository.updateHook(row);
    yield* this.#audited(principal, "hook.update", row, {
      before: auditedHook(before),
      after: auditedHook(row),
    });
    return row;
  }

  *#delete(principal: Principal, scope: Scope, id: string): Transaction<void> {
    const row = yield* repository.hookInTransaction(scope, id);
    if (row === undefined) throw unknownHook();
    checkWriter(principal, row);
    yield* repository.deleteHook(row);
    yield* this.#audited(principal, "hook.delete", row, { before: auditedHook(row) });
  }

  *#audited(principal: Principal, action: string, row: HookRow, changes: Happened): Transaction<void> {
    const details = { binding: row.binding_type, failure_mode: row.failure_mode, status: row.status };
    yield* this.#audit.record(principal, action, row.id, { details, ...changes });
  }

  async #record(principal: Principal, row: HookRow): Promise<Hook> {
    const [record] = await this.#records(principal, [row]);
    if (record === undefined) throw unknownHook();
    return record;
  }

  async #records({ projectId }: Principal, rows: readonly HookRow[]): Promise<Hook[]> {
    const scope = await this.#bindings.scopeOf(projectId);
    const ids = [...new Set(rows.map((row) => row.plugin_id))];
    const found = await Promise.all(ids.map((id) => repository.findPlugin(this.#core.store, scope, id)));
    const plugins = new Map(ids.map((id, index) => [id, found[index]]));
    return rows.map((row) => hookRecord(row, plugins.get(row.plugin_id)));
  }
}

function unknownHook(): Error {
  return notFound("There is no hook with this id in this project.");
}
