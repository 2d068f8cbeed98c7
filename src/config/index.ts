// The settings of a deployment.
export { type Config, type ConfigSources, loadConfig, type TlsFiles } from "./config";
export type { DatabaseSettings } from "./database";
export {
  type DatabaseAddress,
  type DatabaseHost,
  type DatabaseTls,
  parseDatabaseUrl,
  shownDatabase,
  type TlsMode,
  withoutPassword,
} from "./database-url";
export { ConfigFileError } from "./errors";
export { placedIn } from "./file-paths";
export { metricsPlace } from "./metrics-keys";
export {
  declarationsWith,
  environmentName,
  type KeyName,
  type SettingDeclarations,
  type Settings,
} from "./keys";
export { absolute, defaultStateFolder, ensureFolder, type Environment } from "./paths";
export { path } from "./types";
export { passwordInArgument, settingOf } from "./values";
export { AnthropicServer, ModelEntryId, OpenAiServer, type ModelRecord, type StaticModel } from "./records";
export type { StaticWorker } from "./workers";
