// Asks the running servers of a data folder for their log level, or for another one.
import { fieldErrors, type LogLevel } from "../src/base";
import { configurationError } from "../src/errors";
import { levelProof, type LogLevelRequest, LogLevelResponse } from "../src/log-level";
import type { Runtime } from "../src/runtime";
import { announcedServers } from "../src/serving";
import { limited } from "./client/body";
import { plainFetch } from "./plain-fetch";

const TIMEOUT_MS = 2000;
const MOST_BYTES = 4096;

export interface ServerLevel extends LogLevelResponse {
  server: string;
}

/**
 * The levels of all running servers; with a `level`, after it was set until a time (ms) or a restart. Throws `configuration`
 * if no server answers.
 */
export async function levelsOfServers(
  { core }: Runtime,
  level: LogLevel | undefined,
  until: number | undefined,
): Promise<ServerLevel[]> {
  const announced = await announcedServers(core);
  const answers = announced.map(({ id, address }) => levelOf(core, address, { server: id, level, until }));
  const found = (await Promise.all(answers)).filter((one) => one !== undefined);
  if (found.length > 0) return found;
  throw configurationError(
    "No server is running on this data folder. Start one with runtime serve --log-level debug, or use --data-dir.",
  );
}

/** Undefined for an announcement that a killed server has left behind, at which anything may listen. */
async function levelOf(
  core: Runtime["core"],
  address: string,
  wanted: { server: string; level: LogLevel | undefined; until: number | undefined },
): Promise<ServerLevel | undefined> {
  // Twice, because the root key may be rotated in between.
  for (let tries = 1; tries <= 2; tries++) {
    const { level, until, server } = wanted;
    const request: Omit<LogLevelRequest, "proof"> = {
      server,
      at: core.clock.now(),
      ...(level === undefined ? {} : { level }),
      ...(until === undefined ? {} : { until }),
    };
    const answer = await sent(address, { ...request, proof: await levelProof(core, request) });
    if (answer !== undefined) return { server: address, ...answer };
  }
  return undefined;
}

async function sent(address: string, request: LogLevelRequest): Promise<LogLevelResponse | undefined> {
  try {
    const response = await plainFetch(`${address}/v1/log_level`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      bypassProxy: true,
      // The certificate is for the public address, not this one. The request contains no secrets.
      tls: { rejectUnauthorized: false },
    });
    const body: unknown = await limited(response, { mostBytes: MOST_BYTES, idleMs: TIMEOUT_MS }).json();
    if (!response.ok || fieldErrors(LogLevelResponse, body).length > 0) return undefined;
    // Checked on the line above.
    return body as LogLevelResponse;
  } catch {
    return undefined;
  }
}
