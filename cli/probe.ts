// Finds the server that is running on a data folder. The announcement alone is not enough: a server that was killed
// leaves it behind, and another program, also of another user, may have taken its port. Commands then send it API keys and
// lead users to it, so it must first prove that it is the announced server: it answers a random challenge with a code that
// only a process with the root key and the announcement can make.
import { isObject } from "../src/base";
import { newToken, sameSecret, systemRandom } from "../src/crypto";
import type { Runtime } from "../src/runtime";
import { type Announcement, announcedServers, expectedProof } from "../src/serving";
import { limited } from "./client/body";
import { plainFetch } from "./plain-fetch";

const TIMEOUT_MS = 2000;
const MOST_BYTES = 4096;

/** The newest server that proves itself. */
export async function findServer({ core }: Runtime): Promise<Announcement | undefined> {
  const announced = await announcedServers(core);
  const proven = announced.map((one) => provesItself(core, one));
  // One that is found first ends the search; what fails after that does not matter.
  for (const later of proven) later.catch(() => undefined);
  for (const [index, one] of announced.entries()) if (await proven[index]) return one;
  return undefined;
}

/** Whether the server of an announcement proves itself. */
export async function isServing({ core }: Runtime, id: string): Promise<boolean> {
  const announced = (await announcedServers(core)).find((one) => one.id === id);
  return announced !== undefined && provesItself(core, announced);
}

async function provesItself(core: Runtime["core"], { id, address }: Announcement): Promise<boolean> {
  // Twice, because the root key may be rotated between the two proofs.
  for (let tries = 1; tries <= 2; tries++) {
    const challenge = newToken(systemRandom);
    const given = await proofFrom(address, id, challenge);
    if (given === undefined) return false;
    if (sameSecret(given, await expectedProof(core, id, challenge))) return true;
  }
  return false;
}

async function proofFrom(address: string, id: string, challenge: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await plainFetch(`${address}/v1/proof?server=${id}&challenge=${challenge}`, {
      signal,
      bypassProxy: true,
      // The certificate is for the public address, not this one. The request contains no secrets.
      tls: { rejectUnauthorized: false },
    });
    const body: unknown = await limited(response, { mostBytes: MOST_BYTES, idleMs: TIMEOUT_MS }).json();
    return isObject(body) && typeof body["proof"] === "string" ? body["proof"] : undefined;
  } catch {
    return undefined;
  }
}
