// Announces the server that runs on this data folder to other local processes. A killed server leaves its announcement
// behind, so readers must check that the server responds.
import { isObject } from "./base";
import type { Core } from "./core";
import { findFact, removeFact, setFact } from "./store";

export interface Announcement {
  /** Where it listens, for processes on the same machine. */
  address: string;
  /** The base of the addresses that browsers open. */
  public_url: string;
  pid: number;
}

const FACT = "server";

/** Announces that this process serves the data folder at `address`. Returns a function that withdraws it. */
export async function announceServer(core: Core, address: string): Promise<() => Promise<void>> {
  const announcement: Announcement = { address, public_url: core.publicUrl(), pid: process.pid };
  const text = JSON.stringify(announcement);
  await core.store.write(() => setFact(FACT, text));
  return () => core.store.write(() => removeFact(FACT, text));
}

/** The last announcement that was not withdrawn. */
export async function announcedServer({ store }: Core): Promise<Announcement | undefined> {
  const fact = await findFact(store, FACT);
  if (fact === undefined) return undefined;
  const value: unknown = JSON.parse(fact.value);
  if (!isObject(value)) return undefined;
  const { address, public_url, pid } = value;
  if (typeof address !== "string" || typeof public_url !== "string" || typeof pid !== "number")
    return undefined;
  return { address, public_url, pid };
}
