// Creates and changes rows of hooks.
import type { Core } from "../core";
import { newId } from "../crypto";
import { notFound } from "../errors";
import type { HookRow, PluginRow } from "./repository";
import type { FailureMode, HookPoint, Phase } from "./schema";

export interface NewHook {
  name?: string | undefined;
  hook_point: HookPoint;
  phase: Phase;
  failure_mode: FailureMode;
  priority?: number | undefined;
  status?: "active" | "inactive" | undefined;
  timeout_ms?: number | undefined;
}

/** A hook has the binding of its plugin. The default name consists of the plugin and the point. */
export function newHook({ clock, random }: Core, plugin: PluginRow, given: NewHook): HookRow {
  const now = clock.now();
  return {
    id: newId("hk", now, random),
    project_id: plugin.project_id,
    binding_type: plugin.binding_type,
    binding_id: plugin.binding_id,
    plugin_id: plugin.id,
    name: given.name ?? `${plugin.name.slice(0, 240)} ${given.hook_point}`,
    hook_point: given.hook_point,
    phase: given.phase,
    failure_mode: given.failure_mode,
    priority: given.priority ?? 0,
    status: given.status ?? "active",
    timeout_ms: given.timeout_ms ?? null,
    version: 1,
    created_at: now,
    updated_at: now,
  };
}

/** Whether another hook has the same point and priority: their order would be undefined. */
export function takenPriority(hook: HookRow, others: readonly HookRow[]): boolean {
  return others.some(
    ({ id, hook_point, priority }) =>
      id !== hook.id && hook_point === hook.hook_point && priority === hook.priority,
  );
}

/** The first priority that no hook has at the point: after all that have lower ones. */
export function freePriority(point: string, others: readonly HookRow[]): number {
  const taken = new Set(
    others.filter(({ hook_point }) => hook_point === point).map(({ priority }) => priority),
  );
  let priority = 0;
  while (taken.has(priority)) priority += 1;
  return priority;
}

export function priorityTaken({ hook_point, priority }: HookRow): string {
  return `Another hook runs at ${hook_point} with priority ${priority}. Choose another priority (0 to 1000).`;
}

/** The fields of a hook that can be changed. */
export interface HookChanges {
  phase?: string | undefined;
  failure_mode?: string | undefined;
  priority?: number | undefined;
  status?: string | undefined;
  timeout_ms?: number | undefined;
}

/** The changed row with the next version, or the same object if nothing changes. */
export function changedHook(row: HookRow, changes: HookChanges, now: number): HookRow {
  const next = {
    ...row,
    phase: changes.phase ?? row.phase,
    failure_mode: changes.failure_mode ?? row.failure_mode,
    priority: changes.priority ?? row.priority,
    status: changes.status ?? row.status,
    timeout_ms: changes.timeout_ms ?? row.timeout_ms,
  };
  if (Bun.deepEquals(next, row)) return row;
  return { ...next, version: row.version + 1, updated_at: now };
}

export function unknownPlugin(): Error {
  return notFound("There is no plugin with this id in this project.");
}
