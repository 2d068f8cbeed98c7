// Opens the infrastructure of the services: folder, databases, keys, outbound client.
import { backUpBeforeUpgrade } from "./backup";
import {
  type Clock,
  createLog,
  type LeveledLog,
  type LogLevel,
  lineFormat,
  systemClock,
  withoutTrailingSlashes,
  WorkInFlight,
} from "./base";
import { type Config, ensureFolder } from "./config";
import type { Core } from "./core";
import {
  type Keyring,
  type KeyringOptions,
  newToken,
  openKeyring,
  type Random,
  rootKeySources,
  systemRandom,
} from "./crypto";
import { withDatabaseErrors } from "./data-folder";
import { createEgress, type Egress, proxyFromEnvironment } from "./egress";
import { openDatabases, type Opening, type OpenStores } from "./open-database";
import { PendingMigration, type SqliteOptions, type Store } from "./store";
import { Telemetry, type Traces } from "./telemetry";
import { allowed, startTraces } from "./tracing";
import type { Programs, WorkerKinds } from "./workers";

/** Replaced by tests: clock, randomness, log, database engine, keyring, outbound client. */
export interface RuntimeParts {
  clock?: Clock;
  random?: Random;
  log?: LeveledLog;
  openStore?: (options: SqliteOptions) => Store;
  openKeyring?: (options: KeyringOptions) => Promise<Keyring>;
  egress?: Egress;
  /** How the kinds of workers are asked. */
  workerKinds?: WorkerKinds;
  /** Starts the programs of workers. */
  programs?: Programs;
}

export interface OpenCore {
  readonly core: Core;
  /** The database of the execution log. */
  readonly logStore: Store;
  /** Sets the address that the server listens on; `public_url` overrides it. */
  listensOn(address: string): void;
  /** Ends the shared read transactions, before something that may block this process for long. */
  endReads(): void;
  close(): Promise<void>;
}

/** Opens the data folder. Throws `configuration` with a one-line reason. */
export async function openCore(config: Config, parts: RuntimeParts = {}): Promise<OpenCore> {
  const { settings, clientSecret } = config;
  const tls = config.tlsFiles();
  const clock = parts.clock ?? systemClock;
  const random = parts.random ?? systemRandom;
  const telemetry = new Telemetry(clock);
  const log = parts.log ?? standardErrorLog(config, clock, telemetry);
  log.setAccess(settings["log.access"]);
  const folder = config.dataFolder();
  const sources = rootKeySources(config);
  ensureFolder(folder, "data_dir (RUNTIME_DATA_DIR)");
  const instance = newToken(systemRandom);
  const { openStore } = parts;
  const { store, logStore } = await openBackedUp(config, folder, { openStore, instance, log });
  let traces: Traces | undefined;
  const close = async (): Promise<void> => {
    await traces?.stop();
    await logStore.close();
    await store.close();
  };
  try {
    const keyring = await withDatabaseErrors(folder, () =>
      (parts.openKeyring ?? openKeyring)({
        store,
        random,
        clock,
        log,
        settings: {
          value: config.rootKey,
          file: config.rootKeyFile(),
          sources,
          // A key that is not in a file does not need a home folder.
          defaultFile:
            config.rootKeyFile() ??
            (config.rootKey === undefined && sources === undefined ? config.defaultRootKeyFile() : ""),
        },
      }),
    );
    log.debug("opened", { data_dir: folder, root_key_id: keyring.rootKeyId, root_key: config.rootKey });
    const egress = parts.egress ?? egressOf(config, log, { telemetry });
    const egressTo = (allow: readonly string[]): Egress => egressOf(config, log, { allow });
    traces = await startTraces(config, { telemetry, clock, random, log, egressTo });
    let address = publicAddress(config, defaultAddress(config));
    const publicUrl = (): string => address;
    return {
      core: {
        instance,
        store,
        keyring,
        egress,
        telemetry,
        clock,
        random,
        log,
        settings,
        work: new WorkInFlight(),
        clientSecret,
        tls,
        publicUrl,
      },
      logStore,
      listensOn: (listening) => {
        address = publicAddress(config, listening);
      },
      endReads: () => {
        store.endReads();
        logStore.endReads();
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Passkeys need a host name: where people sign in with them, this machine is called localhost (WebAuthn, section 5.1.2). */
function publicAddress({ settings }: Config, listening: string): string {
  const address = trimSlash(settings.public_url ?? listening);
  if (settings.sign_in !== "passkey") return address;
  return address.replace(/^(https?:\/\/)(?:127\.0\.0\.1|\[::1\])(?=[:/]|$)/, "$1localhost");
}

/** Before files of an older version are migrated, they are backed up. A database server has its own means. */
async function openBackedUp(
  config: Config,
  folder: string,
  opening: Omit<Opening, "mayMigrate"> & { log: LeveledLog },
): Promise<OpenStores> {
  const { "backup.before_upgrade": isWanted, "backup.recipients": recipients } = config.settings;
  try {
    return await openDatabases(config, folder, { ...opening, mayMigrate: !isWanted });
  } catch (error) {
    if (!(error instanceof PendingMigration)) throw error;
    const { log } = opening;
    const settings = config.explicitSettings();
    await withDatabaseErrors(folder, () =>
      backUpBeforeUpgrade({ folder, backups: config.backupFolder(), recipients, settings, log }),
    );
    return openDatabases(config, folder, { ...opening, mayMigrate: true });
  }
}

function standardErrorLog({ settings }: Config, clock: Clock, telemetry: Telemetry): LeveledLog {
  const write = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  const format = lineFormat(settings["log.format"] ?? "json");
  const wrote = (level: LogLevel): void => telemetry.count("log_line", { level });
  return createLog({ level: settings["log.level"], clock, write, wrote, format });
}

/** The endpoint of the collector of traces, if there is one, and an outbound client that may call it. */
export function collectorOf(config: Config, log: LeveledLog): [endpoint: string | undefined, egress: Egress] {
  const { "telemetry.otlp.endpoint": given, "telemetry.disabled": isOff } = config.settings;
  const endpoint = isOff ? undefined : given;
  return [
    endpoint,
    egressOf(config, log, { allow: endpoint === undefined ? [] : [allowed(new URL(endpoint))] }),
  ];
}

/** `allow`: in addition to `egress.allow`. */
function egressOf(
  config: Config,
  log: LeveledLog,
  { telemetry, allow = [] }: { telemetry?: Telemetry; allow?: readonly string[] },
): Egress {
  const { settings } = config;
  return createEgress({
    allow: [...settings["egress.allow"], ...allow],
    timeoutMs: settings["egress.timeout"] * 1000,
    maxBytes: settings["egress.max_bytes"],
    maxTotalBytes: settings["egress.max_total_bytes"],
    proxy: proxyFromEnvironment(process.env),
    authorities: config.certificateAuthorities(),
    places: engineLimit(process.env["BUN_CONFIG_MAX_HTTP_REQUESTS"]),
    log,
    telemetry,
  });
}

// Bun reads it as well, at the start of the process.
function engineLimit(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : undefined;
}

/** An address for a browser on this machine. */
function defaultAddress({ settings }: Config): string {
  return addressOf(settings.host, settings.port, settings["tls.cert"] !== undefined);
}

export function addressOf(host: string, port: number, secure: boolean): string {
  const everywhere = host === "0.0.0.0" || host === "::";
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const name = everywhere ? "localhost" : bare.includes(":") ? `[${bare}]` : bare;
  return `${secure ? "https" : "http"}://${name}:${port}`;
}

function trimSlash(address: string): string {
  return withoutTrailingSlashes(address);
}
