// Records that commands find by their id or their name.
import type { BindingType, Hook } from "../../src/hooks";
import type { ApiKey } from "../../src/identity";
import { everyRecord } from "../pages";
import { recordNamed } from "../unknown-name";
import type { Client } from "./client";
import { listHooks, listPlugins } from "./hooks";
import { listKeys } from "./keys";
import { listWorkloads } from "./workloads";

const PLUGIN_ID = /^pl_[0-9a-f]{32}$/;
const HOOK_ID = /^hk_[0-9a-f]{32}$/;
const KEY_ID = /^key_[0-9a-f]{32}$/;
const WORKLOAD_ID = /^wl_[0-9a-f]{32}$/;

/** The id of a plugin of the project, or of its organization. Throws `not_found`. */
export async function pluginId(client: Client, given: string): Promise<string> {
  if (PLUGIN_ID.test(given)) return given;
  const of = (binding_type: BindingType) =>
    everyRecord((window) => listPlugins(client, { ...window, binding_type }));
  const plugins = [...(await of("project")), ...(await of("tenant"))];
  return recordNamed("plugin", given, plugins, "runtime plugins list").id;
}

/** The id of a hook of the project, or of its organization. Throws `not_found`. */
export async function hookId(client: Client, given: string, binding?: BindingType): Promise<string> {
  if (HOOK_ID.test(given)) return given;
  const all: Hook[] = await everyRecord((window) => listHooks(client, window));
  const hooks = all.filter((hook) => hook.binding.type === (binding ?? hook.binding.type));
  return recordNamed("hook", given, hooks, "runtime hooks list").id;
}

/** The id of an API key of the project. Throws `not_found`. */
export async function keyId(client: Client, given: string): Promise<string> {
  if (KEY_ID.test(given)) return given;
  const keys: ApiKey[] = (await listKeys(client)).items;
  return recordNamed("API key", given, keys, "runtime keys list").id;
}

/** The same for a rotation: a key that was replaced before has the name of the one that has replaced it. */
export async function keyToRotate(client: Client, given: string): Promise<string> {
  if (KEY_ID.test(given)) return given;
  const { items } = await listKeys(client);
  const current = items.filter(({ replaced_by }) => replaced_by === undefined);
  return recordNamed("API key", given, current, "runtime keys list").id;
}

/** The id of a workload of the project. Throws `not_found`. */
export async function workloadId(client: Client, given: string): Promise<string> {
  if (WORKLOAD_ID.test(given)) return given;
  return recordNamed("workload", given, (await listWorkloads(client)).items, "runtime workloads list").id;
}
