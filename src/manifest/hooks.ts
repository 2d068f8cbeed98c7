// Hooks of the project in a document, by the names of their plugins.
import { DEFAULT_TIMEOUT_MS, type Hook, type HookEntry, type Plugin } from "../hooks";
import type { Principal } from "../identity";
import { differing } from "./difference";
import { allPlugins } from "./plugins";
import type { ExportedManifest, Manifest, ManifestHook } from "./schema";
import { changeOf, everything, type Services, type Step } from "./step";

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

// The time of the endpoint is left to it: a hook without one of its own goes on following it.
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

/** All hooks are written at once: two that change places would meet on the way. */
export async function planHooks(
  services: Services,
  principal: Principal,
  manifest: Manifest,
): Promise<Step[]> {
  const { hooks: wantedOnes = [], plugins: comingOnes = [] } = manifest;
  if (wantedOnes.length === 0) return [];
  const plugins = await allPlugins(services, principal);
  const coming = new Set([...plugins, ...comingOnes].map(({ name }) => name));
  const known = matches(wantedOnes, await allHooks(services, principal), plugins);
  let written: Promise<void> | undefined;
  const write = async () => {
    // Asked again: some of them are made by the steps before.
    const ids = new Map((await allPlugins(services, principal)).map(({ name, id }) => [name, id]));
    const entries = wantedOnes.map((wanted, index) => entryOf(wanted, ids.get(wanted.plugin), known[index]));
    await services.hooks.putAll(principal, entries);
  };
  return wantedOnes.map((wanted, index): Step => {
    const { plugin, hook_point } = wanted;
    return {
      change: changeOf("hook", wanted.name ?? `${plugin} ${hook_point}`, fieldsOf(wanted, known[index])),
      ...(coming.has(plugin) ? {} : { missing: `the plugin ${plugin} of the hook at ${hook_point}` }),
      run: () => (written ??= write()),
    };
  });
}

/** Of each wanted hook the one that it means, if there is one; each is meant once, by the nearest. */
function matches(wantedOnes: ManifestHook[], hooks: Hook[], plugins: Plugin[]): (Hook | undefined)[] {
  const names = new Map(plugins.map(({ id, name }) => [id, name]));
  const left = new Set(hooks);
  const found = new Map<ManifestHook, Hook>();
  for (const samePriority of [true, false]) {
    for (const wanted of wantedOnes) {
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
  return wantedOnes.map((wanted) => found.get(wanted));
}

function fieldsOf(wanted: ManifestHook, known: Hook | undefined): string[] | undefined {
  if (known === undefined) return undefined;
  const { phase, failure_mode, priority, status, timeout_ms } = wanted;
  return differing({ phase, failure_mode, priority, status, timeout_ms }, known);
}

function entryOf(wanted: ManifestHook, pluginId: string | undefined, known: Hook | undefined): HookEntry {
  const { name, hook_point, phase, failure_mode, priority, status, timeout_ms } = wanted;
  const fields = { name, hook_point, phase, failure_mode, priority, status, timeout_ms };
  return { ...fields, plugin_id: pluginId ?? "", hook_id: known?.id ?? null };
}

function allHooks({ hooks }: Services, principal: Principal): Promise<Hook[]> {
  return everything((window) => hooks.list(principal, window));
}
