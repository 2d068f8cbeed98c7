// Names to addresses, remembered for a few seconds: a call per request would cost a trip to the name server each time.
// Memory does not weaken the policy, because every use checks the addresses and connects to exactly those.
import { type Clock, stillCounts } from "../base";
import { EgressError } from "./types";

/** All addresses of a host in the order to try. Rejects when there are none. */
export type Resolve = (host: string) => Promise<string[]>;

export interface Resolver {
  /** Throws `EgressError` `not_resolved`; rejects at once with the signal's reason when it aborts. */
  addressesOf(host: string, signal: AbortSignal): Promise<readonly string[]>;
  /** After a failed connection: the next request asks anew. */
  forget(host: string): void;
}

const REMEMBER_MS = 5_000;
const MOST_NAMES = 1_000;

/** The system's resolver, hosts file included; `verbatim` keeps its order, which knows the routes of this machine. */
export const systemResolve: Resolve = async (host) => {
  // Loaded when a name is first asked for: a start has none.
  const { lookup } = process.getBuiltinModule("node:dns/promises");
  const found = await lookup(host, { all: true, verbatim: true });
  return found.map(({ address }) => address);
};

export function createResolver(resolve: Resolve, clock: Clock): Resolver {
  const known = new Map<string, { addresses: Promise<readonly string[]>; from: number }>();

  const ask = (host: string): Promise<readonly string[]> => {
    const entry = known.get(host);
    if (entry !== undefined && stillCounts(entry.from, REMEMBER_MS, clock.now())) return entry.addresses;
    const addresses = resolve(host);
    known.delete(host);
    for (const oldest of known.keys()) {
      if (known.size < MOST_NAMES) break;
      known.delete(oldest);
    }
    known.set(host, { addresses, from: clock.now() });
    addresses.catch(() => {
      if (known.get(host)?.addresses === addresses) known.delete(host);
    });
    return addresses;
  };

  return {
    async addressesOf(host, signal) {
      const addresses = await unlessAborted(ask(host), signal).catch((thrown: unknown) => {
        throw signal.aborted ? thrown : notResolved(host, thrown);
      });
      if (addresses.length === 0) throw notResolved(host, undefined);
      return addresses;
    },
    forget: (host) => void known.delete(host),
  };
}

/** A lookup cannot be stopped, only be left behind. */
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
    `The name ${host} does not resolve. Check its spelling and the name server of this machine.`,
    { maybeSent: false, cause },
  );
}
