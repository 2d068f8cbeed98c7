// The hash chain of the audit trail (docs/audit.md): the hash of a row covers its fields and the hash of the row before it.
import { netstrings } from "../base";
import { hashOf } from "../crypto";

/** A row without its hash. Every field is covered by the hash. An empty text means "none". */
export interface ChainedFields {
  /** The chain: the id of a project; empty: of the installation. */
  project_id: string;
  /** 1, 2, 3 … without a gap. */
  number: number;
  id: string;
  created_at: number;
  /** Of the project; empty for the installation. */
  incarnation: string;
  actor: string;
  action: string;
  target: string;
  result: string;
  address: string;
  /** JSON. */
  details: string;
}

export interface ChainedRow extends ChainedFields {
  hash: string;
}

/** Instead of a hash, before the first row of a chain. */
export const NO_HASH = "0".repeat(64);

/** The hash of a row after a row with the hash `former`, as hex. The encoding must never change: hashes are stored. */
export function rowHash(former: string, row: ChainedFields): string {
  return hashOf(
    netstrings([
      "runtime audit row 1",
      former,
      row.project_id,
      String(row.number),
      row.id,
      String(row.created_at),
      row.incarnation,
      row.actor,
      row.action,
      row.target,
      row.result,
      row.address,
      row.details,
    ]),
  );
}
