// The settings of a deployment.
export { type Config, type ConfigSources, loadConfig, type TlsFiles } from "./config";
export { ConfigFileError } from "./errors";
export {
  declarationsWith,
  environmentName,
  type KeyName,
  type SettingDeclarations,
  type Settings,
} from "./keys";
export { absolute, defaultStateFolder, ensureFolder, type Environment } from "./paths";
export { path } from "./types";
export { settingOf } from "./values";
export { AnthropicServer, ModelEntryId, OpenAiServer, type ModelRecord, type StaticModel } from "./records";
export type { StaticWorker } from "./workers";
