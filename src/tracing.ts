// Turns traces on, if there is a collector.
import type { Clock, LeveledLog } from "./base";
import type { Config } from "./config";
import type { Random } from "./crypto";
import type { Egress } from "./egress";
import { loadTraces, type Telemetry, type Traces } from "./telemetry";
import { version } from "../package.json";

export interface TracingParts {
  telemetry: Telemetry;
  clock: Clock;
  random: Random;
  log: LeveledLog;
  /** An outbound client that may also send to these targets (as in `egress.allow`), and is not observed. */
  egressTo(allow: readonly string[]): Egress;
}

/** Undefined without a collector. Throws `configuration`. */
export async function startTraces(config: Config, parts: TracingParts): Promise<Traces | undefined> {
  const { settings } = config;
  const endpoint = settings["telemetry.otlp.endpoint"];
  for (const line of config.ignored) parts.log.warn(line);
  if (endpoint === undefined || settings["telemetry.disabled"]) return undefined;
  const { openTraces } = await loadTraces();
  const { telemetry } = parts;
  // The operator has named the collector, which is usually on the same machine or network.
  const egress = parts.egressTo([allowed(new URL(endpoint))]);
  const traces = openTraces({
    ...parts,
    settings,
    endpoint,
    headers: config.collectorHeaders,
    version,
    instance: crypto.randomUUID(),
    egress,
  });
  telemetry.tracer = traces.tracer;
  return traces;
}

/** An address as an entry of `egress.allow`. */
export function allowed({ hostname, port, protocol }: URL): string {
  return `${hostname.replace(/\.$/, "")}:${port !== "" ? port : protocol === "https:" ? 443 : 80}`;
}
