// The health of the service: whether its database responds and can be written, and its root key opens stored values.
import { timestamp } from "./base";
import { BoundedCheck } from "./bounded-check";
import type { Core } from "./core";
import { isUnavailable, unavailable } from "./errors";
import { type Store, Unwritable } from "./store";

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
  readonly #logStore: Store;
  readonly #bounded: BoundedCheck<Trouble | undefined>;
  /** What the running check asks. */
  #asked = "";
  /** What the last check found. */
  #trouble: Trouble | undefined;

  /** `logStore`: the database of the execution log. */
  constructor(core: Core, logStore: Store) {
    this.#core = core;
    this.#logStore = logStore;
    this.#bounded = new BoundedCheck(
      () => this.#find(),
      (silentMs) => this.#silent(silentMs),
    );
  }

  /** Answers in time although a database does not. Logs only changes. */
  async check(): Promise<Health> {
    const { log } = this.#core;
    const found = await this.#bounded.run();
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
    const { store, keyring } = this.#core;
    const trouble =
      (await this.#troubleOf(store, "The database")) ??
      (await this.#troubleOf(this.#logStore, "The execution log", "The execution log: "));
    if (trouble !== undefined) return trouble;
    try {
      this.#asked = "The database";
      await keyring.check();
      return undefined;
    } catch (error) {
      if (isUnavailable(error)) return { reason: "The database cannot be used", error };
      return {
        reason: "The root key cannot be used, so stored tokens and secrets cannot be decrypted",
        error,
      };
    }
  }

  #silent(ms: number): Trouble {
    const error = unavailable("The check has not ended.");
    return { reason: `${this.#asked} has not answered`, since: this.#core.clock.now() - ms, error };
  }

  async #troubleOf(store: Store, name: string, prefix = ""): Promise<Trouble | undefined> {
    try {
      this.#asked = name;
      await store.generation("projects");
      await store.check();
      return undefined;
    } catch (error) {
      if (!(error instanceof Unwritable)) return { reason: `${name} cannot be used`, error };
      const since = this.#core.clock.now() - error.forMs;
      return { reason: prefix + error.message, since, error: error.cause };
    }
  }
}
