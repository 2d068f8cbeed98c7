// Finds the server that is running on a data folder. The announcement alone is not enough: a server that was killed
// leaves it behind.
import { isObject } from "../src/base";
import type { Runtime } from "../src/runtime";
import { type Announcement, announcedServers } from "../src/serving";
import { plainFetch } from "./plain-fetch";

const TIMEOUT_MS = 2000;

/** The newest server that responds. */
export async function findServer({ core }: Runtime): Promise<Announcement | undefined> {
  const announced = await announcedServers(core);
  // A server that is killed and restarted announces the same address again.
  const responses = new Map<string, Promise<boolean>>();
  for (const { address } of announced) responses.getOrInsertComputed(address, answers);
  for (const one of announced) if (await responses.get(one.address)) return one;
  return undefined;
}

async function answers(address: string): Promise<boolean> {
  try {
    const response = await plainFetch(`${address}/v1/health`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      bypassProxy: true,
      // The certificate is for the public address, not this one. The request contains no secrets.
      tls: { rejectUnauthorized: false },
    });
    const body: unknown = await response.json();
    return isObject(body) && typeof body["healthy"] === "boolean";
  } catch {
    return false;
  }
}
