// Whether a load balancer should send requests to this server: whether it can do its work and goes on running.
import { BoundedCheck } from "./bounded-check";
import type { Core } from "./core";
import type { HealthCheck } from "./health";
import { newestSchema, query, type Store } from "./store";

/** How long a result is used, so that probes cost little. With the limit of a check, a failure shows within two seconds. */
const FRESH_MS = 400;
const STOPPING = "The server is stopping.";

const SCHEMA = query<{ version: number | null }>("SELECT MAX(version) AS version FROM schema_migrations");

/** The version of the tables of a database, which another version of this program may have changed meanwhile. */
export async function schemaVersion(store: Store): Promise<number> {
  return (await store.get(SCHEMA))?.version ?? 0;
}

export class Readiness {
  readonly #core: Core;
  readonly #logStore: Store;
  readonly #health: HealthCheck;
  readonly #schema: BoundedCheck<string | undefined>;
  #found: { reasons: Promise<readonly string[]>; at: number } | undefined;
  #isStopping = false;

  /** `logStore`: the database of the execution log. */
  constructor(core: Core, logStore: Store, health: HealthCheck) {
    this.#core = core;
    this.#logStore = logStore;
    this.#health = health;
    // Health says what it is that does not answer.
    this.#schema = new BoundedCheck(
      () => this.#otherSchema().catch(() => undefined),
      () => undefined,
    );
  }

  /** Not ready from now on: the server is about to stop. */
  stopping(): void {
    this.#isStopping = true;
  }

  /** Why the server is not ready; none if it is. Takes less than two seconds, whatever the database does. */
  async reasons(): Promise<readonly string[]> {
    const found = this.#isStopping ? [] : await this.#recent();
    return this.#isStopping ? [STOPPING, ...found] : found;
  }

  #recent(): Promise<readonly string[]> {
    const now = performance.now();
    // The time of the beginning, because what is found later may be older.
    if (this.#found === undefined || now - this.#found.at >= FRESH_MS)
      this.#found = { reasons: this.#find(), at: now };
    return this.#found.reasons;
  }

  async #find(): Promise<readonly string[]> {
    const [{ reason }, schema] = await Promise.all([this.#health.check(), this.#schema.run()]);
    return [reason, schema].filter((each) => each !== undefined);
  }

  /** A sentence if another version of this program has changed the tables. */
  async #otherSchema(): Promise<string | undefined> {
    const known = newestSchema();
    const [runtime, executions] = await Promise.all([
      schemaVersion(this.#core.store),
      schemaVersion(this.#logStore),
    ]);
    if (runtime === known.runtime && executions === known.executions) return undefined;
    return (
      `The tables are those of another version of runtime (schema ${runtime}/${executions}; ` +
      `this version has ${known.runtime}/${known.executions}). Run the same version on all servers.`
    );
  }
}
