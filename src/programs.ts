// Workers that are programs: their folders, limits and facts of this deployment.
import { dirname, join } from "node:path";
import type { Config } from "./config";
import type { Core } from "./core";
import type { Identity } from "./identity";
import type { RuntimeParts } from "./open-core";
import { type Programs, StdioWorkers, type Workers } from "./workers";

interface Services {
  identity: Identity;
  /** Made later. */
  workers(): Workers;
}

export function programsOf(
  core: Core,
  config: Config,
  { programs }: Pick<RuntimeParts, "programs">,
  { identity, workers }: Services,
): StdioWorkers {
  const { store, clock, log, settings } = core;
  return new StdioWorkers({
    store,
    clock,
    log,
    folder: join(config.dataFolder(), "workers"),
    programs: programs ?? NONE,
    most: settings["stdio.max_processes"],
    secretPaths: secretPathsOf(config),
    incarnationOf: async (projectId) => (await identity.operator(projectId)).incarnation ?? "",
    workerOf: (projectId, id) => workers().loaded(projectId, id),
    userOf: async (_worker, id) => ({ id, keys: {} }),
    stale: (projectId, id) => workers().stale(projectId, id),
  });
}

/** What no program gets: the data and the keys of this server, and its configuration. */
function secretPathsOf(config: Config): string[] {
  const paths = [config.dataFolder(), config.rootKeyFile(), config.auditKeyFile(), config.file];
  const folder = config.file === undefined ? [] : [dirname(config.file)];
  return [...paths.filter((path) => path !== undefined), ...folder];
}

const NONE: Programs = {
  start: () => Promise.reject(new Error("programs cannot be started here")),
  close: async () => undefined,
};
