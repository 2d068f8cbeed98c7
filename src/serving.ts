// Announces the servers that run on this data folder to other local processes. A killed server leaves its announcement
// behind, so readers must check that a server responds.
import { isObject } from "./base";
import type { Core } from "./core";
import { newToken } from "./crypto";
import { all, query, run, setFact, type Transaction } from "./store";

export interface Announcement {
  /** Where it listens, for processes on the same machine. */
  address: string;
  /** The base of the addresses that browsers open. */
  public_url: string;
  pid: number;
}

interface Fact {
  name: string;
  value: string;
}

/** Each server has a fact of its own, `server:ID`. Earlier versions shared the fact `server`. */
const FIND = query<Fact>("SELECT name, value FROM facts WHERE name = 'server' OR name LIKE 'server:%'");
const REMOVE = query("DELETE FROM facts WHERE name = ?");
/** More announcements than this, older ones first, are those of killed servers. */
const MAX_ANNOUNCED = 20;

interface Announced extends Announcement {
  name: string;
  /** Grows with each announcement. */
  sequence: number;
}

/** Announces that this process serves the data folder at `address`. Returns a function that withdraws it. */
export async function announceServer(core: Core, address: string): Promise<() => Promise<void>> {
  const name = `server:${newToken(core.random)}`;
  const announcement: Announcement = { address, public_url: core.publicUrl(), pid: process.pid };
  await core.store.write(() => announce(name, announcement));
  return async () => {
    await core.store.write(() => run(REMOVE, name));
  };
}

function* announce(name: string, announcement: Announcement): Transaction<void> {
  const others = newestFirst(yield* all(FIND));
  for (const killed of others.slice(MAX_ANNOUNCED - 1)) yield* run(REMOVE, killed.name);
  const sequence = (others[0]?.sequence ?? 0) + 1;
  yield* setFact(name, JSON.stringify({ ...announcement, sequence }));
}

/** The announcements that were not withdrawn, the newest first. */
export async function announcedServers({ store }: Core): Promise<Announcement[]> {
  const announced = newestFirst(await store.all(FIND));
  return announced.map(({ address, public_url, pid }) => ({ address, public_url, pid }));
}

function newestFirst(facts: readonly Fact[]): Announced[] {
  return facts.flatMap(announcedBy).toSorted((one, other) => other.sequence - one.sequence);
}

function announcedBy({ name, value: text }: Fact): Announced[] {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return [];
  const { address, public_url, pid, sequence } = value;
  if (typeof address !== "string" || typeof public_url !== "string" || typeof pid !== "number") return [];
  return [{ name, address, public_url, pid, sequence: typeof sequence === "number" ? sequence : 0 }];
}
