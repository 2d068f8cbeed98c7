// Workers that are programs: their folders, limits and facts of this deployment.
import { dirname, join } from "node:path";
import type { ExecutionLog } from "./audit";
import type { Redacted } from "./base";
import type { Config } from "./config";
import type { Connections } from "./connections";
import type { Core } from "./core";
import type { Identity } from "./identity";
import type { RuntimeParts } from "./open-core";
import { ownExecutable, ProcessHost } from "./processes";
import type { Providers } from "./providers";
import { type McpKind, mcpKind, StdioWorkers, type Workers } from "./workers";

interface Services {
  identity: Identity;
  providers: Providers;
  connections: Connections;
  executionLog: ExecutionLog;
  /** Made later. */
  workers(): Workers;
}

export function programsOf(
  core: Core,
  config: Config,
  { programs }: Pick<RuntimeParts, "programs">,
  { identity, providers, connections, executionLog, workers }: Services,
): StdioWorkers {
  const { store, clock, log, settings } = core;
  const secretPaths = secretPathsOf(config);
  return new StdioWorkers({
    store,
    clock,
    log,
    folder: join(config.dataFolder(), "workers"),
    programs:
      programs ??
      new ProcessHost({ executable: ownExecutable(), hidden: secretPaths, log, path: process.env["PATH"] }),
    most: settings["stdio.max_processes"],
    secretPaths,
    incarnationOf: async (projectId) => (await identity.operator(projectId)).incarnation ?? "",
    workerOf: (projectId, id) => workers().loaded(projectId, id),
    userOf: async ({ projectId, userKeys }, id) => {
      const keys: Record<string, Redacted> = {};
      for (const providerId of userKeys) {
        const provider = await providers.find(projectId, providerId);
        const grant = provider && (await connections.stored(projectId, id, provider));
        if (grant !== undefined) keys[providerId] = grant.token;
      }
      return { id, keys };
    },
    latestErasure: () => executionLog.erasures.latest(),
    isOver: async (projectId, userId, erasure) =>
      (await identity.suspensions.has(projectId, userId)) ||
      executionLog.wasErasedAfter(projectId, userId, erasure),
    stale: (projectId, id) => workers().stale(projectId, id),
  });
}

/** MCP servers, at addresses and as programs. */
export function mcpServersOf(
  { egress, telemetry, clock, settings }: Core,
  stdio: StdioWorkers,
  workers: () => Workers,
): McpKind {
  return mcpKind({
    stdio,
    egress,
    telemetry,
    clock,
    maxResultBytes: settings["mcp.max_result_bytes"],
    stale: (projectId, id) => workers().stale(projectId, id),
  });
}

/** What no program gets: the data and the keys of this server, and its configuration. */
function secretPathsOf(config: Config): string[] {
  const { file } = config;
  // The root key is next to the configuration, unless it is set.
  const keys = file === undefined ? [] : [join(dirname(file), "root.key")];
  const paths = [
    config.dataFolder(),
    config.rootKeyFile(),
    config.auditKeyFile(),
    file,
    ...keys,
    ...(config.database()?.secretFiles ?? []),
  ];
  return paths.filter((path) => path !== undefined);
}
