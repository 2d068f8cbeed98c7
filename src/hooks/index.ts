// Hooks and plugins: the customer's own server decides about tool calls.
export {
  type BindingType,
  type BulkUpsertedHooks,
  type BulkUpsertHooks,
  BulkUpsertHooksRequest,
  BulkUpsertHooksResponse,
  type ConfiguredPlugin,
  ConfiguredPluginRequest,
  type CreatedPlugin,
  type CreateHook,
  CreateHookRequest,
  type CreatePlugin,
  CreatePluginRequest,
  CreatePluginResponse,
  DEFAULT_TIMEOUT_MS,
  type Hook,
  HookQuery,
  type HooksFilter,
  HookResponse,
  HooksQuery,
  PatchHookRequest,
  PatchPluginRequest,
  type Plugin,
  PluginResponse,
  type PluginsFilter,
  PluginsQuery,
} from "./schema";
export type { HookEntry } from "./bulk";
export { Bindings } from "./bindings";
export { Chains } from "./chains";
export { PluginHealth } from "./health";
export { Plugins } from "./plugins";
export { Hooks } from "./service";
export { type PluginTrial, PluginTrialResponse, Trials } from "./trial";
export { sealedPlugins } from "./stored";
