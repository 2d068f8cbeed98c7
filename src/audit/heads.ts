// Signed ends of chains: what a copy outside of the database has to contain to find rows that were removed or rewritten.
import { isObject } from "../base";
import { malformedRequest } from "../errors";
import type { Store } from "../store";
import { type CheckpointRow, listHeads } from "./repository";
import type { Signed, SigningKey, Verifier } from "./signing";

/** The end of a chain at a time. */
export interface ChainHead {
  /** The id of the project; empty: the installation. */
  chain: string;
  /** The number of the newest row. */
  number: number;
  hash: string;
}

export interface SignedHead extends ChainHead, Signed {
  signed_at: string;
}

export function signHead(key: SigningKey, head: ChainHead, now: number): SignedHead {
  const { chain, number, hash } = head;
  const signed = { chain, number, hash, signed_at: new Date(now).toISOString() };
  return { ...signed, ...key.sign(headFields(signed)) };
}

/** The ends of all chains, signed. */
export async function signedHeads(store: Store, key: SigningKey, now: number): Promise<SignedHead[]> {
  const rows = await listHeads(store);
  return rows.map(({ project_id, number, hash }) => signHead(key, { chain: project_id, number, hash }, now));
}

export function isSignedHead(key: Verifier, head: SignedHead): boolean {
  return key.verify(headFields(head), head);
}

function headFields({ chain, number, hash, signed_at }: Omit<SignedHead, keyof Signed>): string[] {
  return ["runtime audit head 1", chain, String(number), hash, signed_at];
}

export function isSignedCheckpoint(key: Verifier, row: CheckpointRow): boolean {
  return key.verify(checkpointFields(row), row);
}

/** The encoding of a checkpoint for its signature. */
export function checkpointFields({
  project_id,
  number,
  hash,
  created_at,
}: Omit<CheckpointRow, keyof Signed>): string[] {
  return ["runtime audit checkpoint 1", project_id, String(number), hash, String(created_at)];
}

/** Reads heads that were kept: a JSON object in each line, as the log, the file and the command print them. */
export function parseHeads(text: string): SignedHead[] {
  const heads = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line, index) => headsOf(line, index + 1));
  if (heads.length === 0) throw malformedRequest("The file of heads contains no head.");
  return heads;
}

function headsOf(line: string, number: number): SignedHead[] {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw malformedRequest(
      `Line ${number} of the file of heads is not JSON. Keep one JSON object in each line.`,
    );
  }
  // Other lines of a log.
  return isHead(value) ? [value] : [];
}

function isHead(value: unknown): value is SignedHead {
  if (!isObject(value)) return false;
  const texts = ["chain", "hash", "signed_at", "key_id", "signature"];
  return Number.isSafeInteger(value["number"]) && texts.every((name) => typeof value[name] === "string");
}
