// Whether a server runs on this data folder. Its announcement alone is not believed: a server that was killed leaves
// one behind.
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
      pastProxy: true,
      // The certificate names the public address, not this one. Nothing secret is said.
      tls: { rejectUnauthorized: false },
    });
    const body: unknown = await response.json();
    return isObject(body) && typeof body["healthy"] === "boolean";
  } catch {
    return false;
  }
}
