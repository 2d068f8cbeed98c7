// Audit entries of refused requests of authenticated callers: at most one a minute for each caller and operation, with a
// count. Failed authentication is not recorded here: anybody can cause it, and it says nothing about a caller.
import type { Clock, Log } from "../base";
import { type ErrorName, RuntimeError } from "../errors";
import type { Store } from "../store";
import { type Actor, actorOf, type Audit } from "./service";

interface RefusalParts {
  store: Store;
  clock: Clock;
  log: Log;
}

interface Counted {
  actor: Actor;
  operation: string;
  /** When the last entry was made, on the monotonic clock. */
  since: number;
  /** Refusals since then. */
  count: number;
  /** The error of the latest one. */
  error: ErrorName;
}

const MINUTE_MS = 60_000;
/** Callers and operations that are counted at the same time. */
const MOST_COUNTED = 10_000;
const REFUSALS: ReadonlySet<ErrorName> = new Set([
  "forbidden",
  "invalid_authorization",
  "rate_limited",
  "read_only",
  "user_mismatch",
]);

export class Refusals {
  readonly #parts: RefusalParts;
  readonly #audit: Audit;
  readonly #counted = new Map<string, Counted>();
  readonly #closing = new AbortController();
  #isSweeping = false;
  #written: Promise<unknown> = Promise.resolve();

  constructor(parts: RefusalParts, audit: Audit) {
    this.#parts = parts;
    this.#audit = audit;
  }

  /** Counts the error if it refuses a request of the caller. Never throws, and does not wait for the entry. */
  count(actor: Actor, operation: string, error: unknown): void {
    if (error instanceof RuntimeError && REFUSALS.has(error.name)) this.countAny(actor, operation, error);
  }

  /** Counts an error of the checks before an operation: the caller may not use it, whatever the error says. */
  countAny(actor: Actor, operation: string, error: unknown): void {
    if (!(error instanceof RuntimeError)) return;
    const key = JSON.stringify([actor.projectId, actorOf(actor), operation]);
    const now = this.#parts.clock.monotonic();
    const known = this.#counted.get(key);
    if (known !== undefined && now - known.since < MINUTE_MS) {
      Object.assign(known, { actor, error: error.name });
      known.count++;
      return;
    }
    if (this.#counted.size >= MOST_COUNTED) this.#sweep(Infinity);
    this.#write({ actor, operation, since: now, count: (known?.count ?? 0) + 1, error: error.name });
    this.#counted.set(key, { actor, operation, since: now, count: 0, error: error.name });
    if (!this.#isSweeping) void this.#sweepLater();
  }

  /** Resolves when the entries of all refusals so far have been written, or have failed. */
  async flush(): Promise<void> {
    this.#sweep(Infinity);
    await this.#written;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.flush();
  }

  async #sweepLater(): Promise<void> {
    const { clock } = this.#parts;
    this.#isSweeping = true;
    while (this.#counted.size > 0 && !this.#closing.signal.aborted) {
      await clock.sleep(MINUTE_MS, this.#closing.signal);
      this.#sweep(clock.monotonic() - MINUTE_MS);
    }
    this.#isSweeping = false;
  }

  /** Ends the minutes that began until then. */
  #sweep(until: number): void {
    for (const [key, counted] of this.#counted) {
      if (counted.since > until) continue;
      this.#counted.delete(key);
      if (counted.count === 0) continue;
      this.#write(counted);
      // The entry begins a new minute.
      if (until < Infinity)
        this.#counted.set(key, { ...counted, since: this.#parts.clock.monotonic(), count: 0 });
    }
  }

  #write({ actor, operation, count, error }: Counted): void {
    const entry = () =>
      this.#audit.record(actor, "request.refused", operation, {
        result: "refused",
        details: { error, count },
      });
    const written = this.#parts.store.write(entry).catch((reason: unknown) => {
      // The project of the caller may have been deleted.
      this.#parts.log.warn("audit entry of a refusal not written", { operation, error: reason });
    });
    this.#written = Promise.all([this.#written, written]);
  }
}
