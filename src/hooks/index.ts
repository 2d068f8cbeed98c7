// Hooks and plugins: webhooks of the customer that decide about tool calls.
export type {
  BindingType,
  BulkUpsertHooks,
  BulkUpsertedHooks,
  ConfiguredPlugin,
  CreateHook,
  CreatePlugin,
  CreatedPlugin,
  Hook,
  HooksFilter,
  Plugin,
  PluginsFilter,
} from "./schema";
export { DEFAULT_TIMEOUT_MS } from "./terms";
export type { HookEntry } from "./bulk";
export { Bindings } from "./bindings";
export { Chains } from "./chains";
export { PluginHealth } from "./health";
export { Plugins } from "./plugins";
export { Hooks } from "./service";
export { type PluginTrial, PluginTrialResponse, Trials } from "./trial";
export { sealedPlugins } from "./stored";
