// The store of a simulated process. Each call passes a gate, before and after, at which the process may be frozen or end.
import { unavailable } from "../../src/errors";
import { openSqlite, type SqliteOptions, type Store } from "../../src/store";
import { isReserved, openTroubled, type Trouble } from "./simulated-database";

/** Where a process can be frozen: at any call, or at writes only. */
export type GateKind = "any" | "before a write" | "after a write";

/** What the store needs of its process. */
export interface StoreHost {
  readonly trouble: Trouble;
  /** Passes when the process runs; never after it has ended. */
  gate(kind: GateKind): Promise<void>;
  /** Waits in virtual time. */
  sleep(ms: number): Promise<void>;
  /** A write has returned. */
  wrote(): void;
  /** Counts calls that must return before the simulation has settled. */
  readonly busy: { calls: number };
}

const GATED = new Set<string | symbol>(["get", "all", "write", "changed", "check"]);
const SLOW_MS = 3000;

/** Opens a store. `opened` gets the real one, which outlives a crash of the process until it is closed. */
export function openSimulatedStore(
  options: SqliteOptions,
  host: StoreHost,
  opened: (store: Store) => void,
): Store {
  const { trouble, busy } = host;
  const store = openSqlite({ ...options, openWriter: (file) => openTroubled(file, trouble) });
  opened(store);
  const counted = async (call: () => unknown): Promise<unknown> => {
    busy.calls++;
    try {
      return await call();
    } finally {
      busy.calls--;
    }
  };
  const gated = async (name: string | symbol, call: () => unknown): Promise<unknown> => {
    await host.gate(name === "write" ? "before a write" : "any");
    try {
      if (name === "write" && trouble.fault === "slow") await host.sleep(SLOW_MS);
      // Reads return by themselves. Writes may wait for the lock in virtual time, like waiting for changes.
      return await (name === "get" || name === "all" ? counted(call) : call());
    } finally {
      if (name === "write") host.wrote();
      await host.gate(name === "write" ? "after a write" : "any");
    }
  };
  const reserve = async (): Promise<void> => {
    if (trouble.fault === "full" && !isReserved(options.file))
      throw unavailable("There is no room on the disk of the database.");
    await store.reserve();
  };
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "reserve") return reserve;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      const bound = (...args: unknown[]): unknown => value.apply(target, args);
      if (!GATED.has(name)) return bound;
      return (...args: unknown[]) => gated(name, () => bound(...args));
    },
  });
}
