// The recorded requests of agents to a gateway: from the start of the session to the calls of two tools.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Recorded } from "./recorder";

const FOLDER = join(import.meta.dir, "handshakes");

export const fileOf = (agent: string): string => join(FOLDER, `${agent}.json`);

/** Names of the agents. */
export const recordedAgents = (): string[] =>
  readdirSync(FOLDER).map((file) => file.slice(0, -".json".length));

export function handshake(agent: string): Recorded[] {
  return JSON.parse(readFileSync(fileOf(agent), "utf8"));
}
