// A command's access to the services: configuration, runtime, principal. Large modules are loaded lazily, so that help
// and usage errors are fast.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config, KeyName } from "../src/config";
import type { LeveledLog } from "../src/base";
import type { Principal } from "../src/identity";
import type { Runtime } from "../src/runtime";
import type { Announcement } from "../src/serving";
import { type Common, defined } from "./command";
import type { Io } from "./io";
import { printable } from "./printable";

export interface Session {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly principal: Principal;
  /** What to do about the root key, if this session has created it. */
  readonly newKey: string | undefined;
  /** The server that is running on this data folder, looked up once. Addresses for users then refer to it. */
  server(): Promise<Announcement | undefined>;
}

export interface SessionOptions {
  /** A configuration that is already loaded. */
  config?: Config;
  flags?: { readonly [K in KeyName]?: string | undefined };
  /**
   * Writes the log lines of a server. Absent, for commands: lines for people on standard error, with level `warn` unless
   * the configuration sets one.
   */
  serves?: (line: string) => void;
}

/** Lines of a server for `runtime doctor --bundle`. */
const KEPT_LINES = 1000;

/**
 * Reads flags, environment and file. Throws `configuration` with one line. A misspelled variable is a warning, or an error with
 * `strict`: a server must not run for weeks without a setting that its administrator relies on.
 */
export async function loadCommonConfig(
  io: Io,
  common: Common,
  { flags = {}, strict = false }: Pick<SessionOptions, "flags"> & { strict?: boolean } = {},
): Promise<Config> {
  const [{ ConfigFileError, loadConfig }, { catalogSettings }, lines] = await Promise.all([
    import("../src/config"),
    import("../catalogs/settings"),
    import("./config-lines"),
  ]);
  try {
    const config = loadConfig({
      declared: catalogSettings,
      flags: {
        data_dir: common.dataDir,
        "database.url": common.database,
        project: common.project,
        ...flags,
      },
      configFile: common.config,
      environment: io.env,
      warn: strict ? undefined : (line) => io.note(`warning: ${printable(line)}`),
    });
    await lines.refuseRepeatedKeys(config.file);
    return config;
  } catch (error) {
    throw error instanceof ConfigFileError ? await lines.locatedConfigError(error) : error;
  }
}

/** Opens the data folder, runs `work` as the operator of the project, and always closes the folder. */
export async function withSession<T>(
  io: Io,
  common: Common,
  work: (session: Session) => Promise<T>,
  options: SessionOptions = {},
): Promise<T> {
  const config = options.config ?? (await loadCommonConfig(io, common, defined({ flags: options.flags })));
  const [{ createRuntime }, { extensions }, base] = await Promise.all([
    import("../src/runtime"),
    import("../catalogs"),
    import("../src/base"),
  ]);
  const log = logOf(io, config, options.serves, base);
  const keyFile = rootKeyFileOf(config);
  const isNew = keyFile !== undefined && !existsSync(keyFile);
  const isOther = options.serves === undefined && isNewElsewhere(config);
  const runtime = await createRuntime(config, extensions, { log });
  if (isOther)
    io.note(`A new installation was created in ${config.dataFolder()} (${config.originOf("data_dir")}).`);
  const newKey = isNew && existsSync(keyFile) ? keyNote(keyFile) : undefined;
  // Programs that read the standard error of a command get nothing new; a person can do something about it.
  if (newKey !== undefined && io.interactive && options.serves === undefined) io.note(newKey);
  io.beforeOutput(() => runtime.endReads());
  try {
    const principal = await runtime.identity.operator(config.settings.project);
    return await work({ config, runtime, principal, newKey, server: findOnce(runtime) });
  } catch (error) {
    log.debug("command failed", { error });
    throw error;
  } finally {
    await runtime.close();
  }
}

function keyNote(file: string): string {
  return (
    `The root key ${file} was created. Keep a copy of it apart from the data: ` +
    "without it, nothing that is stored can be decrypted."
  );
}

/** Whether the data folder is set to one without a database, perhaps by mistake. */
function isNewElsewhere(config: Config): boolean {
  if (config.settings["database.url"] !== undefined) return false;
  return config.originOf("data_dir") !== "default" && !existsSync(join(config.dataFolder(), "runtime.db"));
}

/** Where a root key is created if there is none; undefined if it comes from elsewhere. */
export function rootKeyFileOf(config: Config): string | undefined {
  if (config.rootKey !== undefined) return undefined;
  try {
    return config.rootKeyFile() ?? config.defaultRootKeyFile();
  } catch {
    // Without a home folder, creating it fails with the reason.
    return undefined;
  }
}

function logOf(
  io: Io,
  config: Config,
  serves: SessionOptions["serves"],
  { commandLine, createLog, lineFormat, systemClock: clock }: typeof import("../src/base"),
): LeveledLog {
  const { settings } = config;
  const level = settings["log.level"];
  if (serves !== undefined) {
    const isTerminal = io.transient !== undefined;
    const format = lineFormat(settings["log.format"] ?? (isTerminal ? "text" : "json"));
    return createLog({ level, clock, write: serves, format, keeps: KEPT_LINES });
  }
  const quiet = config.originOf("log.level") === "default";
  const write = (line: string): void => io.note(line);
  return createLog({ level: quiet ? "warn" : level, clock, write, format: commandLine });
}

function findOnce(runtime: Runtime): Session["server"] {
  let found: Promise<Announcement | undefined> | undefined;
  return () =>
    (found ??= import("./probe").then(async ({ findServer }) => {
      const server = await findServer(runtime);
      if (server !== undefined) runtime.listensOn(server.public_url);
      return server;
    }));
}
