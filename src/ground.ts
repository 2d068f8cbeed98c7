// What a server stands on: folder, databases, keys. It is opened before the services are loaded, and is enough to listen
// and to say how it is.
import { type Clock, createLog, type Log, systemClock } from "./base";
import { type Config, ensureFolder } from "./config";
import type { Ground } from "./core";
import { type Keyring, type KeyringOptions, openKeyring, pooledRandom, type Random } from "./crypto";
import { isOfTheEngine, openStores, unusable } from "./data-folder";
import { openSqlite, type SqliteOptions, type Store } from "./store";

/** Means that a test replaces: time, randomness, the database engine, the log's end, the cipher. */
export interface GroundParts {
  clock?: Clock;
  random?: Random;
  log?: Log;
  openStore?: (options: SqliteOptions) => Store;
  openKeyring?: (options: KeyringOptions) => Promise<Keyring>;
}

export interface Health {
  healthy: boolean;
  reason?: string;
}

export interface Opened {
  readonly core: Ground;
  health(): Promise<Health>;
  /** Says where the server really listens, when the configuration leaves it open (port 0). */
  listensOn(address: string): void;
}

export interface OpenGround extends Opened {
  readonly config: Config;
  /** The execution log has a database of its own. */
  readonly logStore: Store;
  /** Does the work, and says in one line what of the data folder stands in its way. */
  using<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opens the data folder. Throws `configuration` with one line on what stops the start. */
export async function openGround(config: Config, parts: GroundParts = {}): Promise<OpenGround> {
  const { settings } = config;
  const tls = config.tlsFiles();
  const clock = parts.clock ?? systemClock;
  const random = parts.random ?? pooledRandom();
  const log = parts.log ?? standardErrorLog(config, clock);
  const folder = config.dataFolder();
  ensureFolder(folder, "data_dir (RUNTIME_DATA_DIR)");
  const { store, logStore } = await openStores(folder, parts.openStore ?? openSqlite);
  const close = async (): Promise<void> => {
    await logStore.close();
    await store.close();
  };
  const using = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw isOfTheEngine(error) ? unusable(folder, error) : error;
    }
  };
  try {
    const keyring = await using(() =>
      (parts.openKeyring ?? openKeyring)({
        store,
        random,
        now: () => clock.now(),
        settings: {
          value: config.rootKey,
          file: config.rootKeyFile(),
          // Nobody needs a home folder whose key stands in the environment.
          defaultFile:
            config.rootKeyFile() ?? (config.rootKey === undefined ? config.defaultRootKeyFile() : ""),
        },
      }),
    );
    log.debug("opened", { data_dir: folder, root_key_id: keyring.rootKeyId, root_key: config.rootKey });
    let address = trimSlash(settings.public_url ?? defaultAddress(config));
    const { clientSecret } = config;
    const publicUrl = (): string => address;
    const core: Ground = { store, keyring, clock, random, log, settings, clientSecret, tls, publicUrl };
    return {
      core,
      config,
      logStore,
      health: () => healthOf(core),
      listensOn: (listening) => {
        address = trimSlash(settings.public_url ?? listening);
      },
      using,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function healthOf({ store, keyring, log }: Ground): Promise<Health> {
  const trouble = async (reason: string, check: () => Promise<unknown>): Promise<Health | undefined> => {
    try {
      await check();
      return undefined;
    } catch (error) {
      log.warn("unhealthy", { error });
      return { healthy: false, reason: `${reason} The log has the reason.` };
    }
  };
  return (
    (await trouble("The database cannot be used.", async () => {
      await store.generation("projects");
      await store.check();
    })) ??
    (await trouble("The root key cannot be used: stored tokens and secrets stay closed.", () =>
      keyring.check(),
    )) ?? { healthy: true }
  );
}

function standardErrorLog({ settings }: Config, clock: Clock): Log {
  const write = (line: string): void => {
    process.stderr.write(`${line}\n`);
  };
  return createLog({ level: settings["log.level"], clock, write });
}

/** An address that a browser on this machine reaches, whatever the server listens on. */
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
  return address.replace(/\/+$/, "");
}
