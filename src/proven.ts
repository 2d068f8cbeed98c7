// Requests of a command on the data folder to a server that runs on it: not a key of a project may make them, because they
// are about the whole installation. The command proves, like a server does, that it has the root key (`serving.ts`).
import { Type } from "typebox";
import type { Core } from "./core";
import { sameSecret } from "./crypto";
import { notFound } from "./errors";
import { ownsAnnouncement } from "./serving";

/** What is proven: a proof for one purpose is of no use for another. */
export type Purpose = "log level" | "access log" | "server state";

/** Members of every such request. Times are milliseconds since the epoch. */
export const provenMembers = {
  /** The id of the server's announcement. */
  server: Type.String({ pattern: "^[A-Za-z0-9_-]{1,100}$" }),
  at: Type.Integer({ minimum: 0 }),
  proof: Type.String({ pattern: "^[A-Za-z0-9_-]{1,200}$" }),
};

export interface Proven {
  server: string;
  at: number;
  proof: string;
}

/** A request that somebody has recorded is of no use later. Both clocks are that of this machine. */
const MAX_AGE_MS = 30_000;

/** Throws `not_found` for another server's announcement, and for a caller that does not have the root key of the data folder. */
export async function requireProof(core: Core, purpose: Purpose, request: Proven): Promise<void> {
  if (!(await ownsAnnouncement(core, request.server)))
    throw notFound("This server has no announcement of this id.");
  const { proof, ...signed } = request;
  const isRecent = Math.abs(core.clock.now() - request.at) <= MAX_AGE_MS;
  if (isRecent && sameSecret(proof, await proofFor(core, purpose, signed))) return;
  const reason = "Only a command on the data folder of this server may ask for this.";
  core.log.refused(purpose, { error: "not_found", reason });
  throw notFound(reason);
}

/** What only a process with the root key can make for a request. */
export function proofFor(
  { keyring }: Core,
  purpose: Purpose,
  request: Omit<Proven, "proof">,
): Promise<string> {
  const members = Object.entries(request).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return keyring.prove(JSON.stringify([purpose, members]));
}
