// A store whose writes can be stopped at a chosen point, as a frozen process stops.
import { openSqlite, type SqliteOptions, type Store, type Transaction } from "../../src/store";

export interface Hooks {
  /** Called before and after each write, with its number from 1. */
  before?(number: number): Promise<void>;
  after?(number: number): Promise<void>;
}

/** The SQLite engine; `hooks()` are those of the moment, and numbers count from their first use. */
export function pausedStore(hooks: () => Hooks | undefined): (options: SqliteOptions) => Store {
  return (options) => {
    const store = openSqlite(options);
    if (!options.file.endsWith("runtime.db")) return store;
    let [used, number]: [Hooks | undefined, number] = [undefined, 0];
    const write = async <T>(body: () => Transaction<T>): Promise<T> => {
      const now = hooks();
      if (now !== used) [used, number] = [now, 0];
      const mine = ++number;
      await now?.before?.(mine);
      const value = await store.write(body);
      await now?.after?.(mine);
      return value;
    };
    return new Proxy(store, {
      get(target, name) {
        if (name === "write") return write;
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
}
