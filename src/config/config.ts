// Loads the settings: flags first, then the environment, the file and the defaults. Each value has its origin.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { nearest, Redacted, callerIdFault } from "../base";
import { configurationError } from "../errors";
import { type DatabaseSettings, databaseSettings } from "./database";
import { withoutPassword } from "./database-url";
import { settingError } from "./errors";
import { readConfigFile } from "./file";
import { placedIn } from "./file-paths";
import {
  declarationsWith,
  environmentName,
  type KeyName,
  type SettingDeclarations,
  type Settings,
} from "./keys";
import { otelValues, tracesEndpoint } from "./otel";
import { absolute, defaultConfigFile, defaultDataFolder, type Environment } from "./paths";
import { readModels, type StaticModel } from "./records";
import { readWorkers, type StaticWorker } from "./workers";
import { checked, fromText, type NamedSetting, type SettingValue } from "./values";

export interface ConfigSources {
  /** Text of flags, by key. */
  flags?: { readonly [K in KeyName]?: string | undefined };
  /** `--config`. */
  configFile?: string | undefined;
  environment: Environment;
  /** Settings in addition to the runtime's own. */
  declared?: SettingDeclarations;
  /** Gets a line about each variable that looks like a setting but is none. Absent: the first one is an error. */
  warn?: ((line: string) => void) | undefined;
}

export interface TlsFiles {
  cert: string;
  key: string;
}

// Variables that are not settings.
const OTHER_VARIABLES = ["RUNTIME_CONFIG"];
const PREFIX = "RUNTIME_";
const TEST_PREFIX = "RUNTIME_TEST_";

/** Reads all sources. Throws `configuration` with one line about the first error. */
export function loadConfig({
  flags = {},
  configFile,
  environment,
  declared = {},
  warn,
}: ConfigSources): Config {
  const declarations = declarationsWith(declared);
  const explicitFile = configFile ?? nonEmpty(environment["RUNTIME_CONFIG"]);
  const file =
    explicitFile === undefined ? defaultConfigFile(environment) : absolute(explicitFile, environment);
  const fromFile =
    file === undefined
      ? new Map<string, unknown>()
      : readConfigFile(file, explicitFile !== undefined, declarations);
  reportUnknownVariables(environment, Object.keys(declarations), warn);

  const values = new Map<string, SettingValue>();
  for (const [name, declaration] of Object.entries(declarations))
    values.set(name, pick({ name, ...declaration }, flags, environment, fromFile, file));
  const ignored = addOtel(declarations, values, environment);
  return new Config(declarations, values, file, environment, ignored);
}

/** Fills in the standard variables of OpenTelemetry. Returns a line about each that is ignored. */
function addOtel(
  declarations: SettingDeclarations,
  values: Map<string, SettingValue>,
  environment: Environment,
): string[] {
  const endpoint = values.get("telemetry.otlp.endpoint");
  if (typeof endpoint?.value === "string")
    values.set("telemetry.otlp.endpoint", { ...endpoint, value: tracesEndpoint(endpoint.value) });
  const otel = otelValues(environment, values);
  for (const [name, { value, origin }] of otel.values) {
    const declaration = declarations[name];
    if (declaration !== undefined) values.set(name, checked({ name, ...declaration }, value, origin));
  }
  return otel.ignored;
}

function pick(
  setting: NamedSetting,
  flags: Readonly<Record<string, string | undefined>>,
  environment: Environment,
  fromFile: Map<string, unknown>,
  file: string | undefined,
): SettingValue {
  const { name } = setting;
  const flag = flags[name];
  const variable = environmentName(name);
  const text = flag ?? environment[variable];
  if (text !== undefined) {
    const origin = flag === undefined ? `environment ${variable}` : `flag ${flagOf(setting)}`;
    return checked(setting, fromText(setting, text, origin), origin);
  }
  if (file !== undefined && fromFile.has(name))
    return checked(setting, placedIn(dirname(file), setting, fromFile.get(name)), `file ${file}`);
  return { value: setting.default, origin: "default" };
}

function flagOf({ name, flag }: NamedSetting): string {
  return flag ?? `--${name.replaceAll(/[._]/g, "-")}`;
}

// A misspelled variable would have no effect and no message.
function reportUnknownVariables(
  environment: Environment,
  names: readonly string[],
  warn: ConfigSources["warn"],
): void {
  const known = [...names.map(environmentName), ...OTHER_VARIABLES];
  for (const variable of Object.keys(environment)) {
    if (!variable.startsWith(PREFIX) || variable.startsWith(TEST_PREFIX) || known.includes(variable))
      continue;
    // Without what all of them begin with, which would make any short name look close.
    const close = nearest(
      variable.slice(PREFIX.length),
      known.map((name) => name.slice(PREFIX.length)),
    );
    const suggestion = close === undefined ? undefined : PREFIX + close;
    const line = `environment: unknown variable ${variable}${suggestion === undefined ? "" : `; did you mean ${suggestion}?`}`;
    if (warn === undefined) throw configurationError(line);
    warn(line);
  }
}

export class Config {
  /** All settings: the runtime's own and those of catalogs. */
  readonly declarations: SettingDeclarations;
  readonly settings: Settings;
  /** The root key, if the environment sets it. It is not part of `settings`, so that nothing prints it. */
  readonly rootKey: Redacted | undefined;
  /** The secret of our client at `auth.url`. It is not part of `settings` either. */
  readonly clientSecret: Redacted | undefined;
  /** The API key that commands send to a server. */
  readonly apiKey: Redacted | undefined;
  /** Headers of requests with traces: `telemetry.otlp.headers`. */
  readonly collectorHeaders: Redacted | undefined;
  /** What is ignored of the environment, a line each. */
  readonly ignored: readonly string[];
  /** Model entries. Their API keys are not part of `settings` either. */
  readonly models: readonly StaticModel[];
  /** Workers. Their secrets are not part of `settings` either. */
  readonly workers: readonly StaticWorker[];
  /** The configuration file, which may not exist; undefined without a home folder. */
  readonly file: string | undefined;
  readonly #values: Map<string, SettingValue>;
  readonly #environment: Environment;

  constructor(
    declarations: SettingDeclarations,
    values: Map<string, SettingValue>,
    file: string | undefined,
    environment: Environment,
    ignored: readonly string[],
  ) {
    this.declarations = declarations;
    this.ignored = ignored;
    this.collectorHeaders = secretOf(values.get("telemetry.otlp.headers"));
    this.rootKey = secretOf(values.get("root_key"));
    this.clientSecret = secretOf(values.get("auth.client_secret"));
    this.apiKey = secretOf(values.get("api_key"));
    const models = values.get("models");
    this.models = readModels(models?.value, models?.origin ?? "", environment);
    const workers = values.get("workers");
    this.workers = readWorkers(workers?.value, workers?.origin ?? "", environment);
    const visible = [...values].filter(([name, { value }]) => {
      const declaration = declarations[name];
      return value !== undefined && !declaration?.secret && !declaration?.records;
    });
    // Each value was checked against the schema of its setting.
    this.settings = Object.fromEntries(
      visible.map(([name, { value }]) => [name, shownValue(declarations[name], value)]),
    ) as Settings;
    checkUser(this.settings.user, values.get("user")?.origin ?? "");
    this.file = file;
    this.#values = values;
    this.#environment = environment;
  }

  /** Whether a setting has a value, its default too. Also of those that are not part of `settings`. */
  isSet(name: string): boolean {
    return this.#values.get(name)?.value !== undefined;
  }

  /** Where the value of a setting comes from, for people to read. */
  originOf(name: string): string {
    return this.#values.get(name)?.origin ?? "default";
  }

  /** The PostgreSQL database; undefined: SQLite in the data folder. Throws `configuration` if settings exclude each other. */
  database(): DatabaseSettings | undefined {
    return databaseSettings(this.settings, (name) => this.#values.get(name)?.value, this.#environment);
  }

  /** The data folder. Throws `configuration` if it is not set and there is no home folder. */
  dataFolder(): string {
    const set = this.settings.data_dir;
    const folder =
      set === undefined ? defaultDataFolder(this.#environment) : absolute(set, this.#environment);
    if (folder !== undefined) return folder;
    throw configurationError("There is no home folder for the data. Set --data-dir or RUNTIME_DATA_DIR.");
  }

  /** Absolute path of `root_key_file`. */
  rootKeyFile(): string | undefined {
    const set = this.settings.root_key_file;
    return set === undefined ? undefined : absolute(set, this.#environment);
  }

  /** Absolute path of the key that signs the audit trail; undefined: it is derived from `RUNTIME_ROOT_KEY`. */
  auditKeyFile(): string | undefined {
    const set = this.settings["audit.key_file"];
    if (set !== undefined) return absolute(set, this.#environment);
    if (this.rootKey !== undefined) return undefined;
    return join(dirname(this.rootKeyFile() ?? this.defaultRootKeyFile()), "audit.key");
  }

  /** Absolute path of `audit.heads_file`. */
  auditHeadsFile(): string | undefined {
    const set = this.settings["audit.heads_file"];
    return set === undefined ? undefined : absolute(set, this.#environment);
  }

  /** Absolute path of `backup.folder`. */
  backupFolder(): string | undefined {
    const set = this.settings["backup.folder"];
    return set === undefined ? undefined : absolute(set, this.#environment);
  }

  /** The settings that are not defaults, without secrets. */
  explicitSettings(): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(this.settings).filter(([name]) => this.#values.get(name)?.origin !== "default"),
    );
  }

  /** Path of a systemd credential; undefined if systemd has passed none. */
  credentialFile(id: string): string | undefined {
    const folder = nonEmpty(this.#environment["CREDENTIALS_DIRECTORY"]);
    return folder === undefined ? undefined : join(folder, id);
  }

  /** Content of `egress.ca_file`. Throws `configuration` if it cannot be read or contains no certificate. */
  certificateAuthorities(): string | undefined {
    const set = this.settings["egress.ca_file"];
    if (set === undefined) return undefined;
    const file = absolute(set, this.#environment);
    const text = existsSync(file) && statSync(file).isFile() ? readFileSync(file, "utf8") : "";
    if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
    throw configurationError(`egress.ca_file: ${file} is not a readable file with PEM certificates.`);
  }

  /** Absolute paths of `tls.cert` and `tls.key`. Throws `configuration` if only one of them is set. */
  tlsFiles(): TlsFiles | undefined {
    const { "tls.cert": cert, "tls.key": key } = this.settings;
    if (cert === undefined && key === undefined) return undefined;
    if (cert === undefined || key === undefined) {
      const [given, missing] = cert === undefined ? ["tls.key", "tls.cert"] : ["tls.cert", "tls.key"];
      throw configurationError(
        `${given} is set but ${missing} is not. TLS needs both a certificate and a key.`,
      );
    }
    return { cert: absolute(cert, this.#environment), key: absolute(key, this.#environment) };
  }

  /** Where a root key is created if none is configured. Throws `configuration` without a home folder. */
  defaultRootKeyFile(): string {
    if (this.file !== undefined) return join(dirname(this.file), "root.key");
    throw configurationError(
      "There is no home folder for the root key. Set RUNTIME_ROOT_KEY, RUNTIME_ROOT_KEY_FILE or RUNTIME_CONFIG.",
    );
  }
}

function checkUser(user: string | undefined, origin: string): void {
  const fault = user === undefined ? undefined : callerIdFault(user);
  if (fault === undefined) return;
  throw settingError(origin, "user", `"user" ${fault}.`);
}

function shownValue(declaration: SettingDeclarations[string] | undefined, value: unknown): unknown {
  return declaration?.databaseUrl === true ? withoutPassword(String(value)) : value;
}

function secretOf(setting: SettingValue | undefined): Redacted | undefined {
  return typeof setting?.value === "string" ? new Redacted(setting.value) : undefined;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
