// The page of metrics of this process.
import type { Core } from "../core";
import { type Store } from "../store";
import type { Family } from "./families";
import { MetricsMeter } from "./meter";
import { formatFor } from "./negotiation";
import { pageOf, type Read } from "./page";
import { type DatabaseParts, databaseFamilies } from "./readings/databases";
import { EventLoop } from "./readings/event-loop";
import { type InstallationParts, installationFamilies } from "./readings/installation";
import { processFamilies } from "./readings/process";
import { workFamilies, type WorkParts } from "./readings/work";

export interface MetricsParts
  extends WorkParts, Omit<InstallationParts, "certificateEndsAt">, Omit<DatabaseParts, "store"> {
  /** The toolkits that every project has. */
  builtIn: readonly string[];
}

/** A value that has not come by then is left out. Longer than a check of health takes, shorter than a scraper waits. */
const LONGEST_MS = 2500;

export interface Page {
  contentType: string;
  text: string;
}

export class Metrics {
  /** Expiry of the certificate of the server, milliseconds since the epoch. */
  certificateEndsAt: number | undefined;
  readonly isOn: boolean;
  readonly #core: Core;
  readonly #families: readonly Family[];
  readonly #eventLoop = new EventLoop();

  constructor(core: Core, parts: MetricsParts) {
    const { store, telemetry, settings } = core;
    this.#core = core;
    this.isOn = settings["metrics.enabled"];
    const meter = new MetricsMeter(parts.builtIn);
    if (this.isOn) {
      telemetry.meter = meter;
      observe(core, store, "main");
      observe(core, parts.logStore, "log");
    }
    this.#families = [
      ...meter.families,
      this.#eventLoop.family,
      ...workFamilies(core, parts),
      ...databaseFamilies({ ...parts, store }),
      ...installationFamilies(core, { ...parts, certificateEndsAt: () => this.certificateEndsAt }),
      ...processFamilies(),
    ];
  }

  /** How late the event loop was at most in the last minute. */
  get longestDelayMs(): number {
    return this.#eventLoop.longestMs;
  }

  /** Every family, whether it has values at the moment or not. */
  get described(): readonly Pick<Family, "type" | "description">[] {
    return this.#families;
  }

  /** Measures the event loop until the returned function is called. */
  watch(): () => void {
    return this.isOn ? this.#eventLoop.watch() : () => undefined;
  }

  /** `viewer`: the project whose names are shown, all others are `other`; undefined: those of all projects. */
  async page(accept: string | undefined, viewer: string | undefined): Promise<Page> {
    const format = formatFor(accept);
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => undefined);
    const timer = setTimeout(() => late.reject(new Error("The value did not come in time.")), LONGEST_MS);
    const reading = this.#families.map((family) => this.#read(family, late.promise));
    const families = await Promise.all(reading).finally(() => clearTimeout(timer));
    return { contentType: format.contentType, text: pageOf(families, format, viewer) };
  }

  // One value that cannot be read must not take the others away.
  async #read(family: Family, late: Promise<never>): Promise<Read> {
    try {
      return { family, samples: await Promise.race([family.samples(), late]) };
    } catch (error) {
      this.#core.log.debug("a metric could not be read", { metric: family.description.name, error });
      return { family, samples: [] };
    }
  }
}

function observe({ telemetry }: Core, store: Store, name: "main" | "log"): void {
  store.use?.observe({
    read: (ms) => telemetry.measure("read", name, ms),
    wrote: (ms, waitMs) => {
      telemetry.measure("write", name, ms);
      telemetry.measure("write_wait", name, waitMs);
    },
  });
}
