// Hooks of the project in a manifest, by the names of their plugins.
import { DEFAULT_TIMEOUT_MS, type Hook, type HookEntry, type Plugin } from "../hooks";
import { nearest } from "../base";
import type { FieldError } from "../errors";
import type { Principal } from "../identity";
import { allPlugins } from "./plugins";
import type { ExportedManifest, Manifest, ManifestHook } from "./schema";
import {
  changeOf,
  type Difference,
  differing,
  type Draft,
  everything,
  pruned,
  type Services,
  type Step,
} from "./step";

export async function exportedHooks(
  services: Services,
  principal: Principal,
): Promise<ExportedManifest["hooks"]> {
  const plugins = new Map((await allPlugins(services, principal)).map((plugin) => [plugin.id, plugin]));
  const hooks = (await allHooks(services, principal)).flatMap((hook) => {
    const plugin = plugins.get(hook.plugin_id);
    return plugin === undefined ? [] : [exportedHook(hook, plugin)];
  });
  // No two hooks of a project have the same point and priority.
  return hooks.toSorted((left, right) => (orderOf(left) < orderOf(right) ? -1 : 1));
}

function orderOf({ hook_point, priority = 0 }: ManifestHook): string {
  return `${hook_point} ${String(priority).padStart(4, "0")}`;
}

// Without the timeout if it is that of the endpoint, so that the hook keeps using it.
function exportedHook(hook: Hook, plugin: Plugin): ManifestHook {
  const { name, hook_point, phase, failure_mode, priority, status, timeout_ms } = hook;
  const { access, pre, post } = plugin.webhook_config?.endpoints ?? {};
  const endpoint = { "tool.access": access, "tool.pre": pre, "tool.post": post }[hook_point];
  return {
    plugin: plugin.name,
    name,
    hook_point,
    phase,
    failure_mode,
    priority,
    status,
    ...(timeout_ms === (endpoint?.timeout_ms ?? DEFAULT_TIMEOUT_MS) ? {} : { timeout_ms }),
  };
}

/** All hooks are written together, because two of them may swap priorities. */
export async function planHooks(
  services: Services,
  principal: Principal,
  manifest: Manifest,
  draft: Draft,
): Promise<Step[]> {
  const { hooks: wantedHooks, plugins: wantedPlugins } = manifest;
  if (wantedHooks === undefined) return [];
  const [plugins, hooks] = [await allPlugins(services, principal), await allHooks(services, principal)];
  const kept = draft.prune && wantedPlugins !== undefined ? [] : plugins;
  const planned = new Set([...kept, ...(wantedPlugins ?? [])].map(({ name }) => name));
  const known = matches(wantedHooks, hooks, plugins);
  const ids = new Map(plugins.map(({ name, id }) => [name, id]));
  const write = () => {
    const idOf = (name: string) => draft.pluginIds.get(name) ?? ids.get(name);
    const entries = wantedHooks.map((wanted, index) => entryOf(wanted, idOf(wanted.plugin), known[index]));
    return services.hooks.bulkChange(principal, entries);
  };
  const steps = wantedHooks.map((wanted, index): Omit<Step, "prepare"> => {
    const { plugin, hook_point } = wanted;
    return {
      change: changeOf("hook", wanted.name ?? `${plugin} ${hook_point}`, fieldsOf(wanted, known[index])),
      field: `hooks.${index}`,
      problem: planned.has(plugin) ? undefined : unknownPlugin(index, plugin, [...planned]),
    };
  });
  const first = steps.find(({ change }) => change.action !== "unchanged");
  const unwanted = draft.prune ? hooks.filter((hook) => !known.includes(hook)) : [];
  return [
    ...unwanted.map(({ id, name }) => pruned("hook", name, () => services.hooks.deletion(principal, id))),
    ...steps.map((step) => ({ ...step, prepare: step === first ? write : () => undefined })),
  ];
}

function unknownPlugin(index: number, name: string, planned: readonly string[]): FieldError {
  const meant = nearest(name, planned);
  const message = `must be a plugin of the document or the project${meant === undefined ? "" : `; did you mean ${meant}?`}`;
  return { field: `hooks.${index}.plugin`, rule: "reference", message };
}

/** The existing hook for each wanted hook, if any. Hooks with the same priority match first; each matches once. */
function matches(wantedHooks: ManifestHook[], hooks: Hook[], plugins: Plugin[]): (Hook | undefined)[] {
  const names = new Map(plugins.map(({ id, name }) => [id, name]));
  const left = new Set(hooks);
  const found = new Map<ManifestHook, Hook>();
  for (const samePriority of [true, false]) {
    for (const wanted of wantedHooks) {
      if (found.has(wanted)) continue;
      const hook = [...left].find(
        (each) =>
          names.get(each.plugin_id) === wanted.plugin &&
          each.hook_point === wanted.hook_point &&
          (wanted.name ?? each.name) === each.name &&
          (!samePriority || each.priority === wanted.priority),
      );
      if (hook === undefined) continue;
      found.set(wanted, hook);
      left.delete(hook);
    }
  }
  return wantedHooks.map((wanted) => found.get(wanted));
}

function fieldsOf(wanted: ManifestHook, known: Hook | undefined): Difference[] | undefined {
  if (known === undefined) return undefined;
  const { phase, failure_mode, priority, status, timeout_ms } = wanted;
  return differing({ phase, failure_mode, priority, status, timeout_ms }, known);
}

function entryOf(wanted: ManifestHook, pluginId: string | undefined, known: Hook | undefined): HookEntry {
  const { name, hook_point, phase, failure_mode, priority, status, timeout_ms } = wanted;
  const fields = { name, hook_point, phase, failure_mode, priority, status, timeout_ms };
  return { ...fields, plugin_id: pluginId ?? "", hook_id: known?.id ?? null };
}

/** Hooks of the organization belong to no project's document. */
async function allHooks({ hooks }: Services, principal: Principal): Promise<Hook[]> {
  const listed = await everything((window) => hooks.list(principal, window));
  return listed.filter(({ binding }) => binding.type === "project");
}
