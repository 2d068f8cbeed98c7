// Resolves host names, with a cache of a few seconds that saves a round trip to the name server for each request. The
// cache does not weaken the policy: every use checks the addresses and connects to exactly those.
import { type Clock, TimedCache } from "../base";
import { EgressError } from "./types";

/** All addresses of a host, in the order in which to try them. Rejects if there are none. */
export type Resolve = (host: string) => Promise<string[]>;

export interface Resolver {
  /** Throws `EgressError` `not_resolved`; rejects at once with the signal's reason when it aborts. */
  addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** Drops the cached addresses, after a failed connection. */
  forget(host: string): void;
}

const TTL_MS = 5_000;
const MAX_NAMES = 1_000;

/** The system resolver, including the hosts file. `verbatim` keeps its order, which accounts for the local routes. */
export const systemResolve: Resolve = async (host) => {
  // Loaded on first use: the start resolves no names.
  const { lookup } = process.getBuiltinModule("node:dns/promises");
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

export function createResolver(resolve: Resolve, clock: Clock): Resolver {
  const cache = new TimedCache<string, Promise<readonly string[]>>(clock, TTL_MS, MAX_NAMES);

  const lookUp = (host: string): Promise<readonly string[]> => {
    const cached = cache.get(host);
    if (cached !== undefined) return cached;
    const addresses = resolve(host);
    cache.set(host, addresses);
    addresses.catch(() => {
      if (cache.get(host) === addresses) cache.delete(host);
    });
    return addresses;
  };

  return {
    async addressesOf(host, signal) {
      const addresses = await unlessAborted(lookUp(host), signal).catch((thrown: unknown) => {
        throw signal.aborted ? thrown : notResolved(host, thrown);
      });
      if (addresses.length === 0) throw notResolved(host, undefined);
      return addresses;
    },
    forget: (host) => cache.delete(host),
  };
}

/** A lookup cannot be cancelled, so its result is ignored. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
}

function notResolved(host: string, cause: unknown): EgressError {
  return new EgressError(
    "not_resolved",
    `The host name ${host} cannot be resolved. Check its spelling and the name server of this machine.`,
    { maybeSent: false, cause },
  );
}
