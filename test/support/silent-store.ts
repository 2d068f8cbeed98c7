// A database that does not answer, as one behind a network that was cut.
import { unavailable } from "../../src/errors";
import { openSqlite, type SqliteOptions, type Store } from "../../src/store";

const ASKING = new Set<string | symbol>(["get", "all", "write", "generation", "changed", "check", "reserve"]);

export class Silence {
  #lost: PromiseWithResolvers<never> | undefined;

  /** What is asked from now on waits. */
  begin(): void {
    this.#lost = Promise.withResolvers();
    // Not everything that is lost is waited for.
    this.#lost.promise.catch(() => undefined);
  }

  /** The database answers again; what was asked meanwhile fails, as with a connection that is closed at last. */
  end(): void {
    this.#lost?.reject(unavailable("The connection to the database was lost."));
    this.#lost = undefined;
  }

  /** The SQLite engine, whose stores do not answer meanwhile. */
  readonly openStore = (options: SqliteOptions): Store =>
    new Proxy(openSqlite(options), {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (!ASKING.has(name)) return value.bind(target);
        return (...args: unknown[]) => this.#lost?.promise ?? value.apply(target, args);
      },
    });
}
