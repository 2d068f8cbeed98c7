// Plugins and hooks, on the data folder and over HTTP. Those of the organization can be changed on the data folder only,
// because an API key is limited to its project.
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
import { RuntimeError } from "../../src/errors";
import { UsageError } from "../errors";
import { operation } from "./client";
import { path } from "./http";
import { LOCAL } from "./target";

type Body = { readonly [key: string]: unknown };

const PLUGINS = "/v1/plugins";
const HOOKS = "/v1/hooks";

export const listPlugins = operation<[filter: PluginsFilter], Page<Plugin>>({
  direct: ({ runtime, principal }, filter) => runtime.plugins.list(principal, filter),
  remote: (server, filter) => server.get(PLUGINS, filter),
});

export const getPlugin = operation<[id: string], Plugin>({
  direct: ({ runtime, principal }, id) => runtime.plugins.get(principal, id),
  remote: (server, id) => server.get(path(`${PLUGINS}/`, id)),
});

export const createPlugin = operation<[body: Body, binding: BindingType], CreatedPlugin>({
  direct: async ({ runtime, principal, checked }, body, binding) => {
    const { CreatePluginRequest } = await import("../../src/hooks/schema");
    return runtime.plugins.create(principal, checked(CreatePluginRequest, body), binding);
  },
  remote: (server, body, binding) => {
    checkBinding(binding);
    return server.send("POST", PLUGINS, body);
  },
});

export const updatePlugin = operation<[id: string, patch: Body], Plugin>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { PatchPluginRequest } = await import("../../src/hooks/schema");
    return runtime.plugins.update(principal, id, checked(PatchPluginRequest, patch));
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${PLUGINS}/`, id), patch),
});

export const deletePlugin = operation<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.plugins.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${PLUGINS}/`, id)),
});

export const testPlugin = operation<[id: string], PluginTrial>({
  direct: ({ runtime, principal }, id) => runtime.trials.try(principal, id),
  remote: (server, id) => server.send("POST", `${path(`${PLUGINS}/`, id)}/test`),
});

export const listHooks = operation<[filter: HooksFilter], Page<Hook>>({
  direct: ({ runtime, principal }, filter) => runtime.hooks.list(principal, filter),
  remote: (server, filter) => server.get(HOOKS, filter),
});

export const getHook = operation<[id: string, binding: BindingType | undefined], Hook>({
  direct: ({ runtime, principal }, id, binding) => runtime.hooks.get(principal, id, binding),
  remote: async (server, id, binding) => {
    const get = (binding_type: BindingType) => server.get<Hook>(path(`${HOOKS}/`, id), { binding_type });
    if (binding !== undefined) return get(binding);
    try {
      return await get("project");
    } catch (error) {
      if (!(error instanceof RuntimeError) || error.name !== "not_found") throw error;
      return get("tenant");
    }
  },
});

export const createHook = operation<[body: Body], Hook>({
  direct: async ({ runtime, principal, checked }, body) => {
    const { CreateHookRequest } = await import("../../src/hooks/schema");
    return runtime.hooks.create(principal, checked(CreateHookRequest, body));
  },
  remote: (server, body) => server.send("POST", HOOKS, body),
});

export const updateHook = operation<[id: string, patch: Body], Hook>({
  direct: async ({ runtime, principal, checked }, id, patch) => {
    const { PatchHookRequest } = await import("../../src/hooks/schema");
    return runtime.hooks.update(principal, id, checked(PatchHookRequest, patch));
  },
  remote: (server, id, patch) => server.send("PATCH", path(`${HOOKS}/`, id), patch),
});

export const deleteHook = operation<[id: string], void>({
  direct: ({ runtime, principal }, id) => runtime.hooks.delete(principal, id),
  remote: (server, id) => server.send("DELETE", path(`${HOOKS}/`, id)),
});

export const bulkHooks = operation<[body: Body], BulkUpsertedHooks>({
  direct: async ({ runtime, principal, checked }, body) => {
    const { BulkUpsertHooksRequest } = await import("../../src/hooks/schema");
    return runtime.hooks.bulk(principal, checked(BulkUpsertHooksRequest, body));
  },
  remote: (server, body) => server.send("PATCH", `${HOOKS}/bulk`, body),
});

function checkBinding(binding: BindingType): void {
  if (binding === "project") return;
  throw new UsageError(
    `--binding tenant works on the data folder only. On the server's own machine use --server ${LOCAL}.`,
  );
}
