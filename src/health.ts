// The health of the service: whether its database responds and can be written, and its root key opens stored values.
import { timestamp } from "./base";
import type { Core } from "./core";
import { Unwritable } from "./store";

export interface Health {
  healthy: boolean;
  reason?: string;
}

interface Trouble {
  /** A sentence without its full stop. */
  reason: string;
  /** When writes stopped (ms); undefined if nothing has to be written to notice the trouble. */
  since?: number;
  error: unknown;
}

/** The time of a stop is computed from its age, so it differs a little from check to check. */
const SAME_WITHIN_MS = 1000;

export class HealthCheck {
  readonly #core: Core;
  /** What the last check found. */
  #trouble: Trouble | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Logs only changes. */
  async check(): Promise<Health> {
    const { log } = this.#core;
    const found = await this.#find();
    const before = this.#trouble;
    const isNew =
      found?.reason !== before?.reason || (found?.since ?? 0) > (before?.since ?? 0) + SAME_WITHIN_MS;
    if (isNew) this.#trouble = found;
    const trouble = this.#trouble;
    if (trouble === undefined) {
      if (isNew) log.info("healthy again");
      return { healthy: true };
    }
    const since = trouble.since === undefined ? "" : ` since ${timestamp(trouble.since)}`;
    const reason = `${trouble.reason}${since}. The log has the reason.`;
    if (isNew) log.warn("unhealthy", { reason: `${trouble.reason}${since}.`, error: trouble.error });
    return { healthy: false, reason };
  }

  async #find(): Promise<Trouble | undefined> {
    const { store, keyring, clock } = this.#core;
    try {
      await store.generation("projects");
      await store.check();
    } catch (error) {
      if (!(error instanceof Unwritable)) return { reason: "The database cannot be used", error };
      return { reason: error.message, since: clock.now() - error.forMs, error: error.cause };
    }
    try {
      await keyring.check();
      return undefined;
    } catch (error) {
      return {
        reason: "The root key cannot be used, so stored tokens and secrets cannot be decrypted",
        error,
      };
    }
  }
}
