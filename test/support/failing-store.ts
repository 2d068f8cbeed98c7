// A database that goes away in the middle of a request: from a chosen question on, or for one question.
import { unavailable } from "../../src/errors";
import { openSqlite, type SqliteOptions, type Store } from "../../src/store";

const ASKING = new Set<string | symbol>(["get", "all", "write", "generation", "reserve"]);

export class Failing {
  #left: number | undefined;
  #once = false;
  #hasFailed = false;

  /** Fails with `unavailable` from the `number`th question on; `once`: this one only. */
  from(number: number, once = false): void {
    this.#left = number;
    this.#once = once;
    this.#hasFailed = false;
  }

  /** Returns whether a question has failed. */
  end(): boolean {
    this.#left = undefined;
    return this.#hasFailed;
  }

  /** The SQLite engine with these failures. */
  readonly openStore = (options: SqliteOptions): Store =>
    new Proxy(openSqlite(options), {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (!ASKING.has(name)) return value.bind(target);
        return (...args: unknown[]) =>
          this.#fails() ? Promise.reject(unavailable("The database is away.")) : value.apply(target, args);
      },
    });

  #fails(): boolean {
    if (this.#left === undefined) return false;
    this.#left--;
    const fails = this.#once ? this.#left === 0 : this.#left <= 0;
    this.#hasFailed ||= fails;
    return fails;
  }
}
