// Flags > environment > file > defaults. Every value knows where it comes from.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { nearest, Redacted } from "../base";
import { configurationError } from "../errors";
import { readConfigFile } from "./file";
import {
  declarationsWith,
  environmentName,
  type KeyName,
  type SettingDeclarations,
  type Settings,
} from "./keys";
import { absolute, defaultConfigFile, defaultDataFolder, type Environment } from "./paths";
import { readModels, type StaticModel } from "./records";
import { checkValue, fromText, type NamedSetting, type Sourced } from "./values";

export interface ConfigSources {
  /** Text of flags, by key. */
  flags?: { readonly [K in KeyName]?: string | undefined };
  /** `--config`. */
  configFile?: string | undefined;
  environment: Environment;
  /** Further settings than the runtime's own. */
  declared?: SettingDeclarations;
}

export interface TlsFiles {
  cert: string;
  key: string;
}

export interface Config {
  /** Every setting that there is. */
  readonly declarations: SettingDeclarations;
  readonly settings: Settings;
  /** The root key, when the environment sets it. Not among `settings`, so that nothing prints it. */
  readonly rootKey: Redacted | undefined;
  /** The secret of our client at `auth.url`, kept apart for the same reason. */
  readonly clientSecret: Redacted | undefined;
  /** The API key with which commands call a server. */
  readonly apiKey: Redacted | undefined;
  /** Servers of language models. Their keys are no settings either. */
  readonly models: readonly StaticModel[];
  /** The configuration file, whether it exists or not; undefined when there is no home folder. */
  readonly file: string | undefined;
  /** Where each key's value comes from, as a person would say it. */
  originOf(name: string): string;
  /** Folder of the database. Throws `configuration` when nothing says where it is. */
  dataFolder(): string;
  /** The file that `root_key_file` names, made absolute. */
  rootKeyFile(): string | undefined;
  /** Text of the file that `egress.ca_file` names. Throws `configuration` when it cannot be read or holds no PEM. */
  certificateAuthorities(): string | undefined;
  /** The files of `tls.cert` and `tls.key`, made absolute. Throws `configuration` when only one is set. */
  tlsFiles(): TlsFiles | undefined;
  /** Where a root key is made when none is configured. Throws `configuration` when nothing says where. */
  defaultRootKeyFile(): string;
}

// Variables that name a file or folder of ours rather than a key.
const OTHER_VARIABLES = ["RUNTIME_CONFIG"];
const TEST_PREFIX = "RUNTIME_TEST_";

/** Reads all sources. Throws `configuration` with one line on the first thing that is wrong. */
export function loadConfig({ flags = {}, configFile, environment, declared = {} }: ConfigSources): Config {
  const declarations = declarationsWith(declared);
  const named = configFile ?? nonEmpty(environment["RUNTIME_CONFIG"]);
  const file = named === undefined ? defaultConfigFile(environment) : absolute(named, environment);
  const fromFile =
    file === undefined ? new Map<string, unknown>() : readConfigFile(file, named !== undefined, declarations);
  refuseUnknownVariables(environment, Object.keys(declarations));

  const sourced = new Map<string, Sourced>();
  for (const [name, declaration] of Object.entries(declarations))
    sourced.set(name, pick({ name, ...declaration }, flags, environment, fromFile, file));
  return new LoadedConfig(declarations, sourced, file, environment);
}

function pick(
  setting: NamedSetting,
  flags: Readonly<Record<string, string | undefined>>,
  environment: Environment,
  fromFile: Map<string, unknown>,
  file: string | undefined,
): Sourced {
  const { name } = setting;
  const flag = flags[name];
  const variable = environmentName(name);
  const text = flag ?? environment[variable];
  if (text !== undefined) {
    const origin = flag === undefined ? `environment ${variable}` : `flag --${name.replaceAll(/[._]/g, "-")}`;
    return checked(setting, { value: fromText(setting, text, origin), origin });
  }
  if (fromFile.has(name))
    return checked(setting, { value: fromFile.get(name), origin: `file ${file ?? ""}` });
  return { value: setting.default, origin: "default" };
}

function checked(setting: NamedSetting, { value, origin }: Sourced): Sourced {
  checkValue(setting, value, origin);
  return { value, origin };
}

// A mistyped variable is as silent as a mistyped key would be, so it is refused in the same way.
function refuseUnknownVariables(environment: Environment, names: readonly string[]): void {
  const known = [...names.map(environmentName), ...OTHER_VARIABLES];
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith("RUNTIME_") || variable.startsWith(TEST_PREFIX) || known.includes(variable))
      continue;
    const guess = nearest(variable, known);
    throw configurationError(
      `environment: unknown variable ${variable}${guess === undefined ? "" : `; did you mean ${guess}?`}`,
    );
  }
}

class LoadedConfig implements Config {
  readonly declarations: SettingDeclarations;
  readonly settings: Settings;
  readonly rootKey: Redacted | undefined;
  readonly clientSecret: Redacted | undefined;
  readonly apiKey: Redacted | undefined;
  readonly models: readonly StaticModel[];
  readonly file: string | undefined;
  readonly #sourced: Map<string, Sourced>;
  readonly #environment: Environment;

  constructor(
    declarations: SettingDeclarations,
    sourced: Map<string, Sourced>,
    file: string | undefined,
    environment: Environment,
  ) {
    this.declarations = declarations;
    this.rootKey = secretOf(sourced.get("root_key"));
    this.clientSecret = secretOf(sourced.get("auth.client_secret"));
    this.apiKey = secretOf(sourced.get("api_key"));
    const models = sourced.get("models");
    this.models = readModels(models?.value, models?.origin ?? "", environment);
    const shown = [...sourced].filter(([name, { value }]) => {
      const declaration = declarations[name];
      return value !== undefined && !declaration?.secret && !declaration?.records;
    });
    // Checked key by key above: each value has its key's type.
    this.settings = Object.fromEntries(shown.map(([name, { value }]) => [name, value])) as Settings;
    this.file = file;
    this.#sourced = sourced;
    this.#environment = environment;
  }

  originOf(name: string): string {
    return this.#sourced.get(name)?.origin ?? "default";
  }

  dataFolder(): string {
    const set = this.settings.data_dir;
    const folder =
      set === undefined ? defaultDataFolder(this.#environment) : absolute(set, this.#environment);
    if (folder !== undefined) return folder;
    throw configurationError("There is no home folder for the data. Set --data-dir or RUNTIME_DATA_DIR.");
  }

  rootKeyFile(): string | undefined {
    const set = this.settings.root_key_file;
    return set === undefined ? undefined : absolute(set, this.#environment);
  }

  certificateAuthorities(): string | undefined {
    const set = this.settings["egress.ca_file"];
    if (set === undefined) return undefined;
    const file = absolute(set, this.#environment);
    const text = existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : "";
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
    throw configurationError(`egress.ca_file: ${file} is no readable file with certificates in PEM form.`);
  }

  tlsFiles(): TlsFiles | undefined {
    const { "tls.cert": cert, "tls.key": key } = this.settings;
    if (cert === undefined && key === undefined) return undefined;
    if (cert === undefined || key === undefined) {
      const [given, missing] = cert === undefined ? ["tls.key", "tls.cert"] : ["tls.cert", "tls.key"];
      throw configurationError(`${given} is set and ${missing} is not: TLS needs certificate and key.`);
    }
    return { cert: absolute(cert, this.#environment), key: absolute(key, this.#environment) };
  }

  defaultRootKeyFile(): string {
    if (this.file !== undefined) return join(dirname(this.file), "root.key");
    throw configurationError(
      "There is no home folder for the root key. Set RUNTIME_ROOT_KEY, RUNTIME_ROOT_KEY_FILE or RUNTIME_CONFIG.",
    );
  }
}

function secretOf(sourced: Sourced | undefined): Redacted | undefined {
  return typeof sourced?.value === "string" ? new Redacted(sourced.value) : undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
