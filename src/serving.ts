// Announces the servers that run on this data folder to other local processes. A killed server leaves its announcement
// behind, and another program may have taken its port since, so readers must let the server prove that it is the one.
import { isObject } from "./base";
import type { Core } from "./core";
import { newToken } from "./crypto";
import { all, query, run, setFact, type Transaction } from "./store";

export interface Announcement {
  /** Part of each proof, so that another server on this data folder cannot prove for a killed one. */
  id: string;
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

/** Each server has a fact of its own. */
const PREFIX = "server:";
const FIND = query<Fact>("SELECT name, value FROM facts WHERE name LIKE 'server:%'");
const REMOVE = query("DELETE FROM facts WHERE name = ?");
/** More announcements than this, older ones first, are those of killed servers. */
const MAX_ANNOUNCED = 20;

interface Announced extends Announcement {
  instance: string;
  /** Grows with each announcement. */
  sequence: number;
}

/** Announces that this process serves the data folder at `address`. Returns a function that withdraws it. */
export async function announceServer(core: Core, address: string): Promise<() => Promise<void>> {
  const id = newToken(core.random);
  const announcement = { address, public_url: core.publicUrl(), pid: process.pid, instance: core.instance };
  await core.store.write(() => announce(id, announcement));
  return async () => {
    await core.store.write(() => run(REMOVE, PREFIX + id));
  };
}

function* announce(id: string, announcement: Omit<Announced, "id" | "sequence">): Transaction<void> {
  const others = newestFirst(yield* all(FIND));
  for (const killed of others.slice(MAX_ANNOUNCED - 1)) yield* run(REMOVE, PREFIX + killed.id);
  const sequence = (others[0]?.sequence ?? 0) + 1;
  yield* setFact(PREFIX + id, JSON.stringify({ ...announcement, sequence }));
}

/** The proof of a server for its own announcement and a challenge; undefined for an announcement of another server. */
export async function proofOf(core: Core, id: string, challenge: string): Promise<string | undefined> {
  return (await ownsAnnouncement(core, id)) ? expectedProof(core, id, challenge) : undefined;
}

/** Whether this process has made the announcement. */
export async function ownsAnnouncement(core: Core, id: string): Promise<boolean> {
  const announced = newestFirst(await core.store.all(FIND)).find((each) => each.id === id);
  return announced?.instance === core.instance;
}

/** The id of the newest announcement of this process. */
export async function ownAnnouncement(core: Core): Promise<string | undefined> {
  return newestFirst(await core.store.all(FIND)).find(({ instance }) => instance === core.instance)?.id;
}

/** The proof that only the announced server gives. */
export function expectedProof({ keyring }: Core, id: string, challenge: string): Promise<string> {
  return keyring.prove(JSON.stringify(["server", id, challenge]));
}

/** The announcements that were not withdrawn, the newest first. */
export async function announcedServers({ store }: Core): Promise<Announcement[]> {
  const announced = newestFirst(await store.all(FIND));
  return announced.map(({ id, address, public_url, pid }) => ({ id, address, public_url, pid }));
}

function newestFirst(facts: readonly Fact[]): Announced[] {
  return facts.flatMap(announcedBy).toSorted((one, other) => other.sequence - one.sequence);
}

function announcedBy({ name, value: text }: Fact): Announced[] {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) return [];
  const { address, public_url, pid, instance, sequence } = value;
  if (typeof address !== "string" || typeof public_url !== "string" || typeof pid !== "number") return [];
  if (typeof instance !== "string" || typeof sequence !== "number") return [];
  return [{ id: name.slice(PREFIX.length), address, public_url, pid, instance, sequence }];
}
