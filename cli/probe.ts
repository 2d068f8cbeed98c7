// Finds the server that is running on a data folder. The announcement alone is not enough: a server that was killed
// leaves it behind.
import { isObject } from "../src/base";
import type { Runtime } from "../src/runtime";
import { type Announcement, announcedServer } from "../src/serving";
import { plainFetch } from "./plain-fetch";

const TIMEOUT_MS = 2000;

export async function findServer({ core }: Runtime): Promise<Announcement | undefined> {
  const announced = await announcedServer(core);
  return announced !== undefined && (await answers(announced.address)) ? announced : undefined;
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
