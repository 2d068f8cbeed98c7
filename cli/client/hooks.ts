// Plugins and hooks, on the data folder and over HTTP. What belongs to the organization is changed on the data folder
// only: no API key reaches further than its project.
import type { Page } from "../../src/base";
import type {
  BindingType,
  BulkUpsertedHooks,
  CreatedPlugin,
  Hook,
  HooksFilter,
  Plugin,
  PluginsFilter,
  PluginTrial,
} from "../../src/hooks";
import { UsageError } from "../errors";
import { capability } from "./client";
import { path } from "./http";
import { LOCAL } from "./target";

type Body = { readonly [key: string]: unknown };

const PLUGINS = "/v1/plugins";
const HOOKS = "/v1/hooks";

export const listPlugins = capability<[filter: PluginsFilter], Page<Plugin>>({
  direct: ({ runtime, principal }, filter) => runtime.plugins.list(principal, filter),
  remote: (server, filter) => server.get(PLUGINS, filter),
});

export const getPlugin = capability<[id: string], Plugin>({
  direct: ({ runtime, principal }, id) => runtime.plugins.get(principal, id),
  remote: (server, id) => server.get(path(`${PLUGINS}/`, id)),
});

export const createPlugin = capability<[body: Body, binding: BindingType], CreatedPlugin>({
  direct: async ({ runtime, principal, checked }, body, binding) => {
    const { CreatePluginRequest } = await import("../../src/hooks/schema");
    return runtime.plugins.create(principal, checked(CreatePluginRequest, body), binding);
  },
  remote: (server, body, binding) => {
    checkReach(binding);
    return server.send("POST", PLUGINS, body);
  },
});

export const updatePlugin = capability<[id: string, patch: Body], Plugin>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { PatchPluginRequest } = await import("../../src/hooks/schema");
    return runtime.plugins.update(principal, id, checked(PatchPluginRequest, patch));
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${PLUGINS}/`, id), patch),
});

export const deletePlugin = capability<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.plugins.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${PLUGINS}/`, id)),
});

export const testPlugin = capability<[id: string], PluginTrial>({
  direct: ({ runtime, principal }, id) => runtime.trials.try(principal, id),
  remote: (server, id) => server.send("POST", `${path(`${PLUGINS}/`, id)}/test`),
});

export const listHooks = capability<[filter: HooksFilter, binding: BindingType], Page<Hook>>({
  direct: ({ runtime, principal }, filter, binding) => runtime.hooks.list(principal, filter, binding),
  remote: (server, filter, binding) => {
    checkReach(binding);
    return server.get(HOOKS, filter);
  },
});

export const getHook = capability<[id: string, binding: BindingType], Hook>({
  direct: ({ runtime, principal }, id, binding) => runtime.hooks.get(principal, id, binding),
  remote: (server, id, binding_type) => server.get(path(`${HOOKS}/`, id), { binding_type }),
});

export const createHook = capability<[body: Body], Hook>({
  direct: async ({ runtime, principal, checked }, body) => {
    const { CreateHookRequest } = await import("../../src/hooks/schema");
    return runtime.hooks.create(principal, checked(CreateHookRequest, body));
  },
  remote: (server, body) => server.send("POST", HOOKS, body),
});

export const updateHook = capability<[id: string, patch: Body], Hook>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { PatchHookRequest } = await import("../../src/hooks/schema");
    return runtime.hooks.update(principal, id, checked(PatchHookRequest, patch));
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${HOOKS}/`, id), patch),
});

export const deleteHook = capability<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.hooks.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${HOOKS}/`, id)),
});

export const bulkHooks = capability<[body: Body], BulkUpsertedHooks>({
  direct: async ({ runtime, principal, checked }, body) => {
    const { BulkUpsertHooksRequest } = await import("../../src/hooks/schema");
    return runtime.hooks.bulk(principal, checked(BulkUpsertHooksRequest, body));
  },
  remote: (server, body) => server.send("PATCH", `${HOOKS}/bulk`, body),
});

function checkReach(binding: BindingType): void {
  if (binding === "project") return;
  throw new UsageError(
    `--binding tenant works on the data folder only. On the server's own machine: --server ${LOCAL}.`,
  );
}
