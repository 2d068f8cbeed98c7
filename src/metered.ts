// The metrics of a runtime: where each value comes from.
import type { ExecutionLog } from "./audit";
import type { Config } from "./config";
import type { Core } from "./core";
import type { HealthCheck } from "./health";
import type { Limits } from "./limits";
import { Metrics } from "./metrics";
import { memoryOfChildren } from "./processes";
import type { Store } from "./store";
import type { Extensions } from "./tools";

interface Services {
  logStore: Store;
  extensions: Extensions;
  health: HealthCheck;
  limits: Limits;
  executionLog: ExecutionLog;
  programs: { readonly size: number };
}

export function metricsOf(core: Core, config: Config, services: Services): Metrics {
  const { logStore, extensions, health, limits, executionLog, programs } = services;
  return new Metrics(core, {
    logStore,
    folder: config.dataFolder(),
    schema: config.database()?.schema,
    backupFolder: config.backupFolder(),
    builtIn: extensions.catalogs.map(({ toolkit }) => toolkit.name),
    health: () => health.check(),
    limits,
    unwritten: () => executionLog.unwritten,
    programs: {
      get size() {
        return programs.size;
      },
      memoryBytes: () => (programs.size === 0 ? 0 : memoryOfChildren()),
    },
  });
}
