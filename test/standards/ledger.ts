// The ledger of the standards: one row for each statement that applies to us, with the exchange that proves it.
import type { World } from "./world";

export type Level = "MUST" | "MUST NOT" | "SHOULD" | "SHOULD NOT";

/** Makes the exchange and checks it. */
export type Proof = (world: World) => Promise<unknown> | unknown;

export interface Row {
  section: string;
  level: Level;
  /** The statement, in our own words. */
  says: string;
  proof: Proof;
  /** We differ on purpose, for this reason; the proof shows what we do. */
  differs?: string;
}

export interface Chapter {
  /** Short, for example `RFC 6750`. */
  id: string;
  title: string;
  url: string;
  rows: readonly Row[];
}

const level =
  (name: Level) =>
  (section: string, says: string, proof: Proof, differs?: string): Row => ({
    section,
    level: name,
    says,
    proof,
    ...(differs === undefined ? {} : { differs }),
  });

export const must = level("MUST");
export const mustNot = level("MUST NOT");
export const should = level("SHOULD");
export const shouldNot = level("SHOULD NOT");
