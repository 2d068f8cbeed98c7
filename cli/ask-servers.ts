// Asks the running servers of a data folder, and proves to them that this command has its root key.
import type { TSchema } from "typebox";
import { fieldErrors } from "../src/base";
import { configurationError } from "../src/errors";
import { type Proven, proofFor, type Purpose } from "../src/proven";
import type { Runtime } from "../src/runtime";
import { announcedServers } from "../src/serving";
import { limited } from "./client/body";
import { plainFetch } from "./plain-fetch";

const TIMEOUT_MS = 2000;
const MOST_BYTES = 4096;

export interface Question {
  purpose: Purpose;
  method: "PUT" | "POST";
  path: string;
  /** Of the answer. */
  schema: TSchema;
  /** Longest answer. */
  mostBytes?: number;
  timeoutMs?: number;
}

/**
 * The answers of all running servers to a request with these members, each with the address of its server; empty if no server
 * answers. Answers match the schema of the question.
 */
export async function answersOfServers<T>(
  { core }: Runtime,
  question: Question,
  members: object,
): Promise<(T & { server: string })[]> {
  const announced = await announcedServers(core);
  const answers = announced.map(({ id, address }) =>
    answerOf<T>(core, question, address, { ...members, server: id }),
  );
  return (await Promise.all(answers)).filter((one) => one !== undefined);
}

/** Throws `configuration` if no server answers. */
export async function answersOfRunning<T>(
  runtime: Runtime,
  question: Question,
  members: object,
): Promise<(T & { server: string })[]> {
  const found = await answersOfServers<T>(runtime, question, members);
  if (found.length > 0) return found;
  throw configurationError(
    "No server is running on this data folder. Start one with runtime serve, or use --data-dir.",
  );
}

/** Undefined for an announcement that a killed server has left behind, at which anything may listen. */
async function answerOf<T>(
  core: Runtime["core"],
  question: Question,
  address: string,
  wanted: { server: string },
): Promise<(T & { server: string }) | undefined> {
  // Twice, because the root key may be rotated in between.
  for (let tries = 1; tries <= 2; tries++) {
    const request = { ...wanted, at: core.clock.now() };
    const proof = await proofFor(core, question.purpose, request);
    const answer = await sent<T>(address, question, { ...request, proof });
    if (answer !== undefined) return { ...answer, server: address };
  }
  return undefined;
}

async function sent<T>(
  address: string,
  { method, path, schema, mostBytes = MOST_BYTES, timeoutMs = TIMEOUT_MS }: Question,
  request: Proven,
): Promise<T | undefined> {
  try {
    const response = await plainFetch(address + path, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(timeoutMs),
      bypassProxy: true,
      // The certificate is for the public address, not this one. The request contains no secrets.
      tls: { rejectUnauthorized: false },
    });
    const body: unknown = await limited(response, { mostBytes, idleMs: timeoutMs }).json();
    if (!response.ok || fieldErrors(schema, body).length > 0) return undefined;
    // Checked on the line above.
    return body as T;
  } catch {
    return undefined;
  }
}
