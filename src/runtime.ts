// Composition root: configuration and catalogs in, services out. Both fronts and all tests start here.
import { type Clock, createLog, type Log, systemClock } from "./base";
import { Audit, ExecutionLog, Trail } from "./audit";
import { AuthorizationService, Consent, failFlowsOfProvider, Picker, sealedFlows } from "./authorization";
import { type Config, ensureFolder } from "./config";
import { Connections, removeConnectionsOfProvider, sealedConnections } from "./connections";
import type { Core } from "./core";
import { isOfTheEngine, openStores, unusable } from "./data-folder";
import { type Keyring, type KeyringOptions, openKeyring, pooledRandom, type Random } from "./crypto";
import { Gateways } from "./gateways";
import { createEgress, type Egress, proxyFromEnvironment } from "./egress";
import { Bindings, Chains, Hooks, PluginHealth, Plugins, sealedPlugins, Trials } from "./hooks";
import { Identity, OpenIdIssuer } from "./identity";
import { Providers, sealedClientSecrets } from "./providers";
import { Mcp } from "./mcp";
import { Chat, Models, sealedModels } from "./llm";
import { Manifests } from "./manifest";
import { Rotation } from "./rotation";
import { sealedSecrets, Secrets } from "./secrets";
import { SessionSettings } from "./settings";
import { openSqlite, type SqliteOptions, type Store } from "./store";
import { type Catalog, Idempotency, sealedAnswers, sealedRuns, Tools } from "./tools";

/** Means that a test replaces: time, randomness, the database engine, the log's end, the cipher. */
export interface RuntimeParts {
  clock?: Clock;
  random?: Random;
  log?: Log;
  openStore?: (options: SqliteOptions) => Store;
  openKeyring?: (options: KeyringOptions) => Promise<Keyring>;
  egress?: Egress;
}

export interface Health {
  healthy: boolean;
  reason?: string;
}

export interface Runtime {
  readonly core: Core;
  readonly identity: Identity;
  readonly providers: Providers;
  readonly secrets: Secrets;
  readonly settings: SessionSettings;
  readonly rotation: Rotation;
  readonly connections: Connections;
  readonly authorization: AuthorizationService;
  readonly consent: Consent;
  readonly picker: Picker;
  readonly tools: Tools;
  /** Answers under `Idempotency-Key`, for operations that do not see to it themselves. */
  readonly idempotency: Idempotency;
  readonly plugins: Plugins;
  readonly hooks: Hooks;
  /** Tries a plugin with a sample. */
  readonly trials: Trials;
  readonly pluginHealth: PluginHealth;
  readonly trail: Trail;
  readonly manifests: Manifests;
  readonly gateways: Gateways;
  readonly mcp: Mcp;
  readonly models: Models;
  readonly chat: Chat;
  health(): Promise<Health>;
  /** Says where the server really listens, when the configuration leaves it open (port 0). */
  listensOn(address: string): void;
  close(): Promise<void>;
}

/** Opens the data folder and starts the services. Throws `configuration` with one line on what stops the start. */
export async function createRuntime(
  config: Config,
  catalogs: readonly Catalog[],
  parts: RuntimeParts = {},
): Promise<Runtime> {
  const { settings } = config;
  const tls = config.tlsFiles();
  const clock = parts.clock ?? systemClock;
  const random = parts.random ?? pooledRandom();
  const log = parts.log ?? standardErrorLog(config, clock);
  const folder = config.dataFolder();
  ensureFolder(folder, "data_dir (RUNTIME_DATA_DIR)");
  const { store, logStore } = await openStores(folder, parts.openStore ?? openSqlite);
  try {
    const keyring = await (parts.openKeyring ?? openKeyring)({
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
    });
    log.debug("opened", { data_dir: folder, root_key_id: keyring.rootKeyId, root_key: config.rootKey });
    let address = trimSlash(settings.public_url ?? defaultAddress(config));
    const core: Core = {
      store,
      keyring,
      clock,
      random,
      log,
      settings,
      clientSecret: config.clientSecret,
      tls,
      egress: parts.egress ?? egressOf(config, log),
      publicUrl: () => address,
    };
    const services = await createServices(core, config, logStore, catalogs);
    return {
      core,
      ...services,
      health: () => healthOf(core),
      listensOn: (listening) => {
        address = trimSlash(settings.public_url ?? listening);
      },
      close: async () => {
        await services.executionLog.flush();
        await logStore.close();
        await store.close();
      },
    };
  } catch (error) {
    await logStore.close();
    await store.close();
    throw isOfTheEngine(error) ? unusable(folder, error) : error;
  }
}

async function createServices(core: Core, config: Config, logStore: Store, catalogs: readonly Catalog[]) {
  const { clock, random, log } = core;
  const keepDays = core.settings["executions.keep_days"];
  const audit = new Audit({ clock, random });
  const executionLog = new ExecutionLog({ store: logStore, clock, log, keepDays });
  const trail = new Trail(core.store, logStore, () => executionLog.flush());
  const issuer = new OpenIdIssuer(core);
  const identity = new Identity(core, audit, executionLog, issuer);
  const presets = catalogs.flatMap((catalog) => catalog.presets);
  const providers = new Providers(core, audit, presets, {
    *changed(projectId, id) {
      yield* failFlowsOfProvider(projectId, id, "the auth provider was changed meanwhile", clock.now());
    },
    *removed(projectId, id) {
      yield* failFlowsOfProvider(projectId, id, "the auth provider was deleted", clock.now());
      yield* removeConnectionsOfProvider(projectId, id);
    },
  });
  const secrets = new Secrets(core, audit, executionLog);
  const settings = new SessionSettings(core, audit);
  const connections = new Connections(core, audit, providers);
  const authorization = new AuthorizationService(core, { providers, connections, settings });
  const consent = new Consent(core, { providers, connections, settings, issuer });
  const picker = new Picker(core, providers);
  const bindings = new Bindings(identity);
  const plugins = new Plugins(core, audit, bindings);
  const hooks = new Hooks(core, audit, bindings);
  const policy = new Chains(core, bindings);
  const tools = new Tools(core, catalogs, {
    identity,
    providers,
    connections,
    authorization,
    secrets,
    policy,
    executionLog,
  });
  const gateways = new Gateways(core, audit);
  const mcp = new Mcp(core, { identity, gateways, tools, authorization });
  const models = new Models(core, audit, config.models);
  const chat = new Chat(core, models, tools);
  const trials = new Trials(core, bindings, tools.all);
  const rotation = new Rotation(core, audit, [
    ...sealedClientSecrets,
    ...sealedSecrets,
    ...sealedConnections,
    ...sealedFlows,
    ...sealedAnswers,
    ...sealedPlugins,
    ...sealedModels,
    ...sealedRuns,
  ]);
  const idempotency = new Idempotency(core);
  await identity.ensureDefaults();
  return {
    executionLog,
    rotation,
    identity,
    providers,
    secrets,
    settings,
    connections,
    authorization,
    consent,
    picker,
    tools,
    idempotency,
    plugins,
    hooks,
    trials,
    pluginHealth: new PluginHealth(core),
    trail,
    manifests: new Manifests({ providers, secrets, settings, gateways, plugins, hooks, models }),
    gateways,
    mcp,
    models,
    chat,
  };
}

function egressOf(config: Config, log: Log): Egress {
  const { settings } = config;
  return createEgress({
    allow: settings["egress.allow"],
    timeoutMs: settings["egress.timeout"] * 1000,
    maxBytes: settings["egress.max_bytes"],
    proxy: proxyFromEnvironment(process.env),
    authorities: config.certificateAuthorities(),
    log,
  });
}

async function healthOf({ store, keyring, log }: Core): Promise<Health> {
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
