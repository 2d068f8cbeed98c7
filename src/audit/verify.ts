// Verifies the chains of the audit trail: every row against its hash and the row before it, the end of each chain against its
// stored head and against heads that were kept elsewhere.
import { nextTurn } from "../base";
import type { Reader } from "../store";
import { type ChainedRow, NO_HASH, rowHash } from "./chain";
import { isSignedCheckpoint, isSignedHead, type SignedHead } from "./heads";
import * as repository from "./repository";
import type { CheckpointRow } from "./repository";
import type { Verifier } from "./signing";

/** What is wrong, and where. */
export interface Problem {
  chain: string;
  /** The number of the row, or of the first one; 0: it concerns the whole chain. */
  number: number;
  /** The id of the row that was read; empty: none. */
  id: string;
  problem: string;
}

export interface VerifiedChain {
  chain: string;
  /** How many rows were read. */
  rows: number;
  /** The number of the last row before the first one: 0, or that of the checkpoint. */
  begins_after: number;
  /** The newest row. */
  number: number;
  hash: string;
}

export interface Verification {
  chains: VerifiedChain[];
  /** The first ones. */
  problems: Problem[];
  /** All of them. */
  problem_count: number;
}

const PAGE = 500;
/** Problems that are listed; the others are counted. */
const MOST_PROBLEMS = 100;

/** Reads each chain once, page by page, in the order of its rows. Other processes may write meanwhile. */
export async function verifyChains(
  store: Reader,
  key: Verifier,
  kept: readonly SignedHead[] = [],
): Promise<Verification> {
  const found = new Problems();
  const [stored, rows, checkpoints] = await Promise.all([
    repository.listHeads(store),
    repository.chainsWithRows(store),
    repository.listCheckpoints(store),
  ]);
  const named = [
    ...stored.map((head) => head.project_id),
    ...rows,
    ...checkpoints.map((checkpoint) => checkpoint.project_id),
    ...kept.map((head) => head.chain),
  ];
  const chains: VerifiedChain[] = [];
  for (const chain of [...new Set(named)].toSorted()) {
    const heads = kept.filter((head) => head.chain === chain);
    chains.push(await new ChainCheck(store, key, chain, heads, found).run());
  }
  return { chains, problems: found.first, problem_count: found.count };
}

/** As `verifyChains`, without the signatures of checkpoints, which need the key of the installation. */
export function verifyUnsigned(store: Reader): Promise<Verification> {
  return verifyChains(store, { verify: () => true });
}

class Problems {
  readonly first: Problem[] = [];
  count = 0;

  add(problem: Problem): void {
    this.count++;
    if (this.first.length < MOST_PROBLEMS) this.first.push(problem);
  }
}

class ChainCheck {
  readonly #store: Reader;
  readonly #key: Verifier;
  readonly #chain: string;
  readonly #problems: Problems;
  /** Kept heads by the number of their row, which are still to be met. */
  readonly #kept = new Map<number, SignedHead[]>();
  #rows = 0;
  #beginsAfter = 0;
  /** The newest row that was read. */
  #number = 0;
  #hash = NO_HASH;
  #id = "";

  constructor(store: Reader, key: Verifier, chain: string, kept: readonly SignedHead[], problems: Problems) {
    this.#store = store;
    this.#key = key;
    this.#chain = chain;
    this.#problems = problems;
    for (const head of kept) {
      if (isSignedHead(key, head))
        this.#kept.set(head.number, [...(this.#kept.get(head.number) ?? []), head]);
      else this.#report(head.number, "", "a kept head is not signed with the key of this installation");
    }
  }

  async run(): Promise<VerifiedChain> {
    // The first page and the checkpoint are of one moment: retention may remove rows meanwhile.
    const [checkpoint, first] = await Promise.all([
      repository.findCheckpoint(this.#store, this.#chain),
      this.#page(),
    ]);
    this.#begin(checkpoint);
    for (let { rows, head } = first; ; { rows, head } = await this.#page()) {
      for (const row of rows) this.#check(row);
      if (rows.length === PAGE) {
        // Also ends the read transaction: an open one keeps the log of the database from shrinking.
        await nextTurn();
        continue;
      }
      this.#end(head);
      break;
    }
    return {
      chain: this.#chain,
      rows: this.#rows,
      begins_after: this.#beginsAfter,
      number: this.#number,
      hash: this.#hash,
    };
  }

  /** The next rows, and the stored head of the same moment. */
  async #page(): Promise<{ rows: ChainedRow[]; head: repository.Head | undefined }> {
    const [rows, head] = await Promise.all([
      repository.chainRows(this.#store, this.#chain, this.#id, PAGE),
      repository.findHead(this.#store, this.#chain),
    ]);
    return { rows, head };
  }

  #begin(checkpoint: CheckpointRow | undefined): void {
    if (checkpoint === undefined) return;
    const { number, hash } = checkpoint;
    if (!isSignedCheckpoint(this.#key, checkpoint)) {
      this.#report(number, "", "the checkpoint is not signed with the key of this installation");
      return;
    }
    this.#beginsAfter = number;
    this.#number = number;
    this.#hash = hash;
    this.#meet();
    // What is older than the checkpoint was removed by retention.
    for (const at of this.#kept.keys()) if (at < number) this.#kept.delete(at);
  }

  #check(row: ChainedRow): void {
    const expected = this.#number + 1;
    this.#rows++;
    this.#id = row.id;
    if (row.number !== expected) {
      if (row.number > expected)
        this.#report(expected, row.id, `rows ${expected} to ${row.number - 1} are missing`);
      else this.#report(row.number, row.id, `row ${row.number} follows row ${this.#number}: wrong order`);
    } else if (rowHash(this.#hash, row) !== row.hash) {
      this.#report(
        row.number,
        row.id,
        this.#number === 0
          ? "the row was changed, or is not the first one"
          : `the row was changed, or the hash of row ${this.#number} was`,
      );
    }
    this.#number = row.number;
    this.#hash = row.hash;
    this.#meet();
  }

  /** Compares the newest row with the heads that were kept of it. */
  #meet(): void {
    for (const head of this.#kept.get(this.#number) ?? []) {
      if (head.hash !== this.#hash)
        this.#report(
          this.#number,
          this.#id,
          `the trail up to here is not the one that was signed at ${head.signed_at}`,
        );
    }
    this.#kept.delete(this.#number);
  }

  #end(head: repository.Head | undefined): void {
    if (head === undefined) {
      if (this.#number > 0) this.#report(this.#number, this.#id, "the head of the chain is missing");
    } else if (head.number > this.#number) {
      this.#report(this.#number + 1, "", `rows ${this.#number + 1} to ${head.number} are missing at the end`);
    } else if (head.number < this.#number || head.hash !== this.#hash) {
      this.#report(
        this.#number,
        this.#id,
        `the head of the chain is that of row ${head.number}, not the last row`,
      );
    } else if (head.newest_id !== this.#id && this.#rows > 0) {
      this.#report(this.#number, this.#id, "the head of the chain names another row");
    }
    for (const [number, [kept]] of this.#kept) {
      const signed = kept === undefined ? "" : ` (signed at ${kept.signed_at})`;
      this.#report(number, "", `row ${number} of a kept head${signed} is missing`);
    }
  }

  #report(number: number, id: string, problem: string): void {
    this.#problems.add({ chain: this.#chain, number, id, problem });
  }
}
