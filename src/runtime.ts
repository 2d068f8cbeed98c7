// The composition root: creates the services from configuration and extensions. Server, command line and tests start here.
import { Audit, Events, ExecutionLog, Inspection, Keeper, Refusals, SigningKey, Trail } from "./audit";
import {
  AuthorizationService,
  Consent,
  endFlowsOfProvider,
  OperatorKeys,
  PageAuthorization,
} from "./authorization";
import { recordRestoration } from "./backup";
import type { Config } from "./config";
import { Connections, endConnectionsOfProvider, LeavingGrants, removeConnections } from "./connections";
import type { Core } from "./core";
import { Gateways, SignInResources } from "./gateways";
import { withDatabaseErrors } from "./data-folder";
import { type Health, HealthCheck } from "./health";
import { openCore, type RuntimeParts } from "./open-core";
import { Bindings, Chains, Hooks, PluginHealth, Plugins, Trials } from "./hooks";
import { Identity, OpenIdIssuer } from "./identity";
import { mcpServersOf, programsOf } from "./programs";
import { Providers } from "./providers";
import { Readiness } from "./readiness";
import { Mcp } from "./mcp";
import { type ModelServices, modelServices } from "./llm";
import { Limits } from "./limits";
import { metricsOf } from "./metered";
import type { Metrics } from "./metrics";
import { OwnState } from "./own-state";
import { Manifests } from "./manifest";
import { Rotation } from "./rotation";
import { Secrets } from "./secrets";
import { sealedColumns } from "./sealed-columns";
import { checkSettingNames } from "./setting-names";
import { SessionSettings } from "./settings";
import {
  AuthorizationServer,
  endOfOtherMethods,
  methodOfDeployment,
  ownTokensOf,
  type PeopleServices,
  peopleServices,
} from "./people";
import { PersonOverview } from "./person-overview";
import { Users } from "./users";
import type { Store } from "./store";
import { type Extensions, Idempotency, Tools } from "./tools";
import { definitionOf, httpKind, Workers } from "./workers";

export interface Runtime extends PeopleServices, ModelServices {
  readonly core: Core;
  readonly extensions: Extensions;
  /** Caps of callers, users and projects. */
  readonly limits: Limits;
  readonly identity: Identity;
  readonly providers: Providers;
  readonly secrets: Secrets;
  readonly settings: SessionSettings;
  readonly rotation: Rotation;
  readonly connections: Connections;
  readonly authorization: AuthorizationService;
  readonly consent: Consent;
  readonly operatorKeys: OperatorKeys;
  readonly pageAuthorization: PageAuthorization;
  readonly tools: Tools;
  /** Answers under `Idempotency-Key`. */
  readonly idempotency: Idempotency;
  readonly plugins: Plugins;
  readonly hooks: Hooks;
  /** Tests a plugin with a sample call. */
  readonly trials: Trials;
  readonly pluginHealth: PluginHealth;
  readonly trail: Trail;
  /** Audit entries of refused requests. */
  readonly refusals: Refusals;
  /** Verification of the audit trail. */
  readonly inspection: Inspection;
  /** Publishes heads of the audit trail and removes old rows. */
  readonly auditKeeper: Keeper;
  readonly manifests: Manifests;
  /** OAuth for clients that act for people who sign in. */
  readonly authorizationServer: AuthorizationServer;
  readonly overview: PersonOverview;
  /** Everything that is stored about a user. */
  readonly users: Users;
  readonly gateways: Gateways;
  readonly workers: Workers;
  readonly mcp: Mcp;
  /** What this process knows of itself, and its log, for commands on its data folder. */
  readonly ownState: OwnState;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  health(): Promise<Health>;
  /** Sets the address that the server listens on, which is unknown before with port 0; `public_url` overrides it. */
  listensOn(address: string): void;
  /** Ends the shared read transactions, before output that may block: an open one stops the log of the database shrinking. */
  endReads(): void;
  close(): Promise<void>;
}

/** Opens the data folder and creates the services. Throws `configuration` with a one-line reason. */
export async function createRuntime(
  config: Config,
  extensions: Extensions,
  parts: RuntimeParts = {},
): Promise<Runtime> {
  const { core, logStore, listensOn, endReads, close } = await openCore(config, parts);
  try {
    const services = servicesOf(core, { config, logStore, extensions, parts });
    const health = new HealthCheck(core, logStore);
    await withDatabaseErrors(config.dataFolder(), async () => {
      await services.identity.ensureDefaults();
      await recordRestoration(core, services.audit);
    });
    const metrics = metricsOf(core, config, { ...services, logStore, extensions, health });
    services.ownState.metrics = metrics;
    return {
      core,
      extensions,
      ...services,
      metrics,
      readiness: new Readiness(core, logStore, health),
      health: () => health.check(),
      listensOn,
      endReads,
      close: async () => {
        services.ownState.close();
        const { connections, people, idempotency, workers } = services;
        await Promise.all([connections, people, idempotency, workers].map((service) => service.close()));
        await services.refusals.close();
        await services.executionLog.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Given {
  config: Config;
  logStore: Store;
  extensions: Extensions;
  parts: RuntimeParts;
}

function servicesOf(core: Core, { config, logStore, extensions, parts }: Given) {
  checkSettingNames(extensions, config.declarations);
  const { clock, random, log } = core;
  const keepDays = core.settings["executions.keep_days"];
  const limits = new Limits(core);
  const audit = new Audit({ clock, random });
  const events = new Events(core, audit);
  const refusals = new Refusals(core, audit);
  const executionLog = new ExecutionLog({ store: logStore, main: core.store, clock, log, keepDays });
  const trail = new Trail(core.store, logStore, () => executionLog.flush());
  const signingKey = new SigningKey({
    file: () => config.auditKeyFile(),
    seed: () => core.keyring.derivedForGood("signing of the audit trail"),
  });
  const issuer = new OpenIdIssuer(core);
  const grants = {
    leave: (id: string) => leaving.leave(id),
    left: ({ id, incarnation }: { id: string; incarnation: string }) => {
      leaving.left();
      programs.removeProjectInBackground(id, incarnation);
    },
  };
  const identity = new Identity(core, {
    audit,
    executionLog,
    issuer,
    grants,
    ownTokens: () => ownTokensOf(authorizationServer, people),
    roleOf: (projectId, userId) => people.roleOfToken(projectId, userId),
    methodChanged: (id, method) => endOfOtherMethods(id, method ?? methodOfDeployment(core.settings)),
  });
  const endConnections = (projectId: string, id: string, revokes: boolean) =>
    revokes ? endConnectionsOfProvider(projectId, id, clock.now()) : removeConnections(projectId, id);
  const providers = new Providers(core, audit, extensions.presets, {
    *changed(projectId, id) {
      yield* endFlowsOfProvider(audit, projectId, id, "the auth provider was changed meanwhile", clock.now());
    },
    moved: endConnections,
    afterOrders: () => connections.revocations.sendDueInBackground(),
    *removed(projectId, id, revokes) {
      yield* endFlowsOfProvider(audit, projectId, id, "the auth provider was deleted", clock.now());
      yield* endConnections(projectId, id, revokes);
    },
  });
  const secrets = new Secrets(core, audit, executionLog);
  const settings = new SessionSettings(core, audit);
  const connections = new Connections(core, audit, providers);
  const { revocations } = connections;
  const leaving = new LeavingGrants(core, { providers, revocations }, function* (projectId, id) {
    yield* endFlowsOfProvider(audit, projectId, id, "the project was deleted", clock.now());
    yield* endConnectionsOfProvider(projectId, id, clock.now());
  });
  const ofPeople = peopleServices(core, audit, identity, issuer);
  const { people } = ofPeople;
  const authorization = new AuthorizationService(core, {
    providers,
    connections,
    settings,
    limits,
    audit,
    suspensions: identity.suspensions,
    methodOf: people.methodOf,
  });
  const consent = new Consent(core, {
    providers,
    connections,
    settings,
    limits,
    audit,
    methodOf: people.methodOf,
    granted: (grant) => workers.granted(grant),
  });
  const operatorKeys = new OperatorKeys(core, { providers, connections, audit });
  const bindings = new Bindings(identity);
  const plugins = new Plugins(core, audit, bindings);
  const hooks = new Hooks(core, audit, bindings);
  const [policy, idempotency] = [new Chains(core, bindings), new Idempotency(core)];
  const ofUsers = { audit, trail, executionLog, logStore, providers, connections, identity };
  const ofPrograms = { identity, providers, connections, executionLog, workers: () => workers };
  const programs = programsOf(core, config, parts, ofPrograms);
  const mcpServers = mcpServersOf(core, programs, () => workers);
  const workers = new Workers(core, {
    audit,
    kinds: parts.workerKinds ?? { http: httpKind(core), mcp: mcpServers },
    define: definitionOf,
    toolkits: extensions.catalogs.map(({ toolkit }) => toolkit.name),
    fixed: config.workers,
    consents: { providers, connections, authorization },
    programs,
  });
  const tools = new Tools(core, extensions.catalogs, {
    audit,
    idempotency,
    identity,
    providers,
    connections,
    authorization,
    secrets,
    policy,
    executionLog,
    limits,
    source: workers,
  });
  const toolsOf = async (projectId: string) => (await tools.registryOf(projectId)).tools;
  const gateways = new Gateways(core, audit, async (projectId) =>
    (await toolsOf(projectId)).map(({ qualifiedName }) => qualifiedName),
  );
  const resources = new SignInResources(core, gateways, people);
  const authorizationServer = new AuthorizationServer(core, { audit, identity, people, resources });
  const mcp = new Mcp(core, { identity, refusals, gateways, tools, authorization, people });
  const ofModels = modelServices(core, audit, tools, config.models, identity.suspensions);
  const trials = new Trials(core, events, bindings, toolsOf);
  const rotation = new Rotation(core, audit, sealedColumns);
  const ofManifests = { providers, secrets, settings, gateways, plugins, hooks, workers };
  return {
    audit,
    executionLog,
    limits,
    programs,
    rotation,
    identity,
    providers,
    secrets,
    settings,
    connections,
    authorization,
    consent,
    operatorKeys,
    pageAuthorization: new PageAuthorization(core, providers),
    tools,
    idempotency,
    plugins,
    hooks,
    trials,
    pluginHealth: new PluginHealth(core),
    trail,
    refusals,
    inspection: new Inspection(core, audit, signingKey, programs),
    auditKeeper: new Keeper(core, signingKey, config.auditHeadsFile()),
    manifests: new Manifests(core.store, events, { ...ofManifests, models: ofModels.models }),
    gateways,
    authorizationServer,
    ...ofPeople,
    overview: new PersonOverview(core, { audit, connections, providers, tools, trail, ...ofPeople }),
    users: new Users(core, programs, ofUsers),
    workers,
    mcp,
    ...ofModels,
    ownState: new OwnState(core, { backupFolder: config.backupFolder(), executionLog, connections }),
  };
}
