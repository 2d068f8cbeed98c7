// Announces the servers that run on this data folder to other local processes. A killed server leaves its announcement
// behind, and another program may have taken its port since, so readers must let the server prove that it is the one.
import { isObject } from "./base";
import type { Core } from "./core";
import { newToken } from "./crypto";
import { all, query, run, setFact, type Transaction, Witness } from "./store";

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
/** Only if it has not changed since it was read. */
const REMOVE_DEAD = query("DELETE FROM facts WHERE name = ? AND value = ?");
/** A server changes its announcement at least this often. This may be slow, because commands let a server prove itself. */
const BEAT_MS = 60_000;
/** How often it does so, and looks at the announcements of others: a longer gap would start its watch again. */
const LOOK_MS = BEAT_MS / 2;
/**
 * Servers that are killed before any of them could watch for long leave more announcements than this: those that changed
 * longest ago are removed. Living servers are never so many, and one that was removed announces itself again.
 */
const MOST_ANNOUNCED = 256;

interface Announced extends Announcement {
  instance: string;
  /** Grows with each announcement. */
  sequence: number;
  /** Grows with each change of an announcement, over all servers. 0: made by a version that does not change it. */
  beat: number;
  /** As it is stored. */
  fact: Fact;
}

type Own = Omit<Announced, "sequence" | "beat" | "fact">;

/**
 * Announces that this process serves the data folder at `address`, until the returned function withdraws it. Meanwhile the
 * announcement is changed regularly, and those of servers that do so no longer are removed.
 */
export async function announceServer(core: Core, address: string): Promise<() => Promise<void>> {
  const id = newToken(core.random);
  const own = { id, address, public_url: core.publicUrl(), pid: process.pid, instance: core.instance };
  const sequence = await core.store.write(() => announce(own));
  const stop = new AbortController();
  const kept = keepAnnounced(core, { ...own, sequence }, stop.signal);
  return async () => {
    stop.abort();
    // A change that is on its way would announce it again.
    await kept;
    await core.store.write(() => run(REMOVE, PREFIX + id));
  };
}

function* announce(own: Own): Transaction<number> {
  const others = newestFirst(yield* all(FIND));
  for (const { fact } of others.toSorted((one, other) => other.beat - one.beat).slice(MOST_ANNOUNCED - 1))
    yield* run(REMOVE, fact.name);
  const sequence = (others[0]?.sequence ?? 0) + 1;
  yield* put(own, sequence, others);
  return sequence;
}

function put({ id, ...own }: Own, sequence: number, others: readonly Announced[]): Transaction<void> {
  const beat = Math.max(0, ...others.map((other) => other.beat)) + 1;
  return setFact(PREFIX + id, JSON.stringify({ ...own, sequence, beat }));
}

async function keepAnnounced(
  core: Core,
  own: Own & { sequence: number },
  signal: AbortSignal,
): Promise<void> {
  const witness = new Witness(core.clock, BEAT_MS);
  for (;;) {
    await core.clock.sleep(LOOK_MS, signal);
    if (signal.aborted) return;
    // Health says that the database cannot be written. The next change follows soon.
    await renew(core, own, witness).catch(() => undefined);
  }
}

/** Also announces the server again if others took it for dead: it was frozen, or could not write. */
async function renew({ store }: Core, own: Own & { sequence: number }, witness: Witness): Promise<void> {
  const others = newestFirst(await store.all(FIND)).filter(({ id }) => id !== own.id);
  const dead = others.filter(({ beat, fact }) => beat > 0 && witness.isDead(fact.name, fact.value));
  await store.write(function* () {
    for (const { fact } of dead)
      if (witness.isCurrent(fact.name)) yield* run(REMOVE_DEAD, fact.name, fact.value);
    const { sequence, ...rest } = own;
    yield* put(rest, sequence, newestFirst(yield* all(FIND)));
  });
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

function announcedBy(fact: Fact): Announced[] {
  const value: unknown = JSON.parse(fact.value);
  if (!isObject(value)) return [];
  const { address, public_url, pid, instance, sequence, beat = 0 } = value;
  if (typeof address !== "string" || typeof public_url !== "string" || typeof pid !== "number") return [];
  if (typeof instance !== "string" || typeof sequence !== "number") return [];
  if (typeof beat !== "number") return [];
  return [{ id: fact.name.slice(PREFIX.length), address, public_url, pid, instance, sequence, beat, fact }];
}
