// Whether a server runs on this data folder. Its announcement alone is not believed: a server that was killed leaves
// one behind. The product's outbound client refuses loopback by design, hence a plain request here.
import { isObject } from "../src/base";
import type { Runtime } from "../src/runtime";
import { type Announcement, announcedServer } from "../src/serving";

const TIMEOUT_MS = 2000;

export async function findServer({ core }: Runtime): Promise<Announcement | undefined> {
  const announced = await announcedServer(core);
  return announced !== undefined && (await answers(announced.address)) ? announced : undefined;
}

async function answers(address: string): Promise<boolean> {
  try {
    const request = {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      redirect: "manual",
      proxy: false,
      // The certificate names the public address, not this one. Nothing secret is said.
      tls: { rejectUnauthorized: false },
    } as const;
    // Bun's types know `proxy` as a text only; `false` is what keeps the environment's proxy out of loopback.
    const response = await fetch(`${address}/v1/health`, request as unknown as RequestInit);
    const body: unknown = await response.json();
    return isObject(body) && typeof body["healthy"] === "boolean";
  } catch {
    return false;
  }
}
