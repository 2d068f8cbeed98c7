// Room on the disk that is kept for answers from outside, such as a new token pair: they exist nowhere else until they are
// stored. A file with real blocks lies next to the database. It is deleted when the disk is full, and made again before the
// next request whose answer must be stored.
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { unavailable } from "../errors";

const BYTES = 1024 * 1024;
/** The most that `getRandomValues` returns at once. */
const PART_BYTES = 65_536;
/** `blocks` of a file are counted in this unit. */
const BLOCK_BYTES = 512;

export class Reserve {
  readonly #file: string;

  constructor(database: string) {
    this.#file = `${database}-reserve`;
  }

  /** Makes the file unless it exists. Throws `unavailable` if there is no room. */
  fill(): void {
    if (this.#isFull()) return;
    try {
      this.#write();
    } catch (cause) {
      rmSync(this.#file, { force: true });
      throw unavailable("There is no room on the disk of the database.", { cause });
    }
  }

  /** Frees the room. Returns false if there was none. */
  giveUp(): boolean {
    const had = this.#isFull();
    rmSync(this.#file, { force: true });
    return had;
  }

  #isFull(): boolean {
    const stat = statSync(this.#file, { throwIfNoEntry: false });
    return stat !== undefined && stat.size >= BYTES && stat.blocks * BLOCK_BYTES >= BYTES;
  }

  // Random bytes, because a file system may store zeros without blocks. Two processes may write at the same time: each
  // writes the whole file.
  #write(): void {
    const descriptor = openSync(this.#file, "w", 0o600);
    try {
      for (let at = 0; at < BYTES;) {
        const part = crypto.getRandomValues(new Uint8Array(Math.min(PART_BYTES, BYTES - at)));
        at += writeSync(descriptor, part, 0, part.length, at);
      }
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}
