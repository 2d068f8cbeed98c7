// Audit entries of requests that change nothing: exports and tests of plugins.
import type { Log } from "../base";
import type { Settings } from "../config";
import { RuntimeError, unavailable } from "../errors";
import type { Store } from "../store";
import type { Actor, Audit, Happened } from "./service";

interface EventParts {
  store: Store;
  log: Log;
  settings: Settings;
}

export class Events {
  readonly #parts: EventParts;
  readonly #audit: Audit;

  constructor(parts: EventParts, audit: Audit) {
    this.#parts = parts;
    this.#audit = audit;
  }

  /**
   * Stores an entry before the answer. If that fails, the request continues, unless `audit.required` is set: then throws
   * `unavailable`. Throws `invalid_authorization` as `Audit.record` does.
   */
  async record(actor: Actor, action: string, target: string, happened: Happened = {}): Promise<void> {
    const { store, log, settings } = this.#parts;
    try {
      await store.write(() => this.#audit.record(actor, action, target, happened));
    } catch (error) {
      if (error instanceof RuntimeError && error.name === "invalid_authorization") throw error;
      log.error("audit entry not written", { action, error });
      if (!settings["audit.required"]) return;
      throw unavailable("The audit entry of this request cannot be written, and audit.required is set.", {
        cause: error,
      });
    }
  }
}
