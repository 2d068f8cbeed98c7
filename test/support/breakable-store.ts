// A database that fails as a dead disk does.
import { openSqlite, type SqliteOptions, type Store } from "../../src/store";

/** The SQLite engine, whose stores fail while `isBroken` says so. */
export function breakableStore(isBroken: () => boolean): (options: SqliteOptions) => Store {
  return (options) => breakable(openSqlite(options), isBroken);
}

function breakable(store: Store, isBroken: () => boolean): Store {
  const failure = (): Error => new Error("SQLITE_IOERR: s3cr3t disk");
  // These answer with a promise, whatever happens.
  const promising = new Set<string | symbol>(["write", "changed", "check", "reserve"]);
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      // What a request shares is in the memory of the engine.
      if (name === "close" || name === "request") return value.bind(target);
      return (...args: unknown[]) => {
        if (isBroken() && promising.has(name)) return Promise.reject(failure());
        if (isBroken()) throw failure();
        return value.apply(target, args);
      };
    },
  });
}
