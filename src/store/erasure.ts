// Removes deleted and replaced values from the files. `secure_delete` overwrites deleted rows, but their earlier versions
// are still in the write-ahead log, and rows that SQLite has moved between pages leave copies in the free space of the page
// that they came from. So the log is truncated soon after a commit, and after a deletion that matters the file is rewritten.
import { Database } from "bun:sqlite";
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isBusy, prepared } from "./sqlite-steps";

/** `user_version` of a file that contains no rests: nothing was deleted by `erase` since it was made or rewritten. */
const CLEAN = 1;
const SET_CLEAN = "PRAGMA user_version = 1";
/** Set during a rewrite. A deletion meanwhile replaces it, so that its rests are removed by another rewrite. */
const SET_REWRITING = "PRAGMA user_version = 2";
const REWRITING = 2;

/** A rewrite blocks the event loop for about 10 ms for each MiB. Larger files are left to the operator. */
const MOST_REWRITTEN_BYTES = 16 * 1024 * 1024;
/** A rewrite needs room for another copy in the log, and leaves at least this much to others. */
const FREE_BYTES = 64 * 1024 * 1024;
/** A rewrite has this pause before it, in sweeps. */
const SWEEPS_PER_REWRITE = 12;
/** How long a process that ends waits for other processes that use the file, and how often it tries. */
const FINISH_MS = 1000;
const FINISH_EVERY_MS = 20;

/** A new file has nothing to remove. Files of earlier versions have the value 0. */
export function markClean(database: Database): void {
  database.run(SET_CLEAN);
}

/** Whether rests of deleted values may be in a file that is too large to be rewritten here. Does not change it. */
export function keepsRests(file: string): boolean {
  if (statSync(file).size <= MOST_REWRITTEN_BYTES) return false;
  using database = new Database(file, { readonly: true, strict: true });
  database.run("PRAGMA busy_timeout=5000");
  return database.query<UserVersion, []>("PRAGMA user_version").get()?.user_version !== CLEAN;
}

export interface ErasureOptions {
  file: string;
  writer: Database;
  /** Ends the read transaction of this process, which would keep the log. */
  endReads: () => void;
  everyMs: number;
  /** Larger files are not rewritten. Default: 16 MiB. */
  mostRewrittenBytes?: number | undefined;
}

interface UserVersion {
  user_version: number;
}

export class Erasure {
  readonly #file: string;
  readonly #writer: Database;
  readonly #endReads: () => void;
  readonly #mostRewrittenBytes: number;
  readonly #rewriteEveryMs: number;
  readonly #timer: NodeJS.Timeout;
  #rewrittenAt = -Infinity;

  constructor({ file, writer, endReads, everyMs, mostRewrittenBytes }: ErasureOptions) {
    this.#mostRewrittenBytes = mostRewrittenBytes ?? MOST_REWRITTEN_BYTES;
    this.#file = file;
    this.#writer = writer;
    this.#endReads = endReads;
    this.#rewriteEveryMs = SWEEPS_PER_REWRITE * everyMs;
    this.#timer = setInterval(() => this.#sweep(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /**
   * What this process has deleted is gone when it ends, unless another process reads for longer than a second. The next
   * process then removes it.
   */
  async finish(): Promise<void> {
    this.#rewrittenAt = -Infinity;
    const until = performance.now() + FINISH_MS;
    while (!this.#sweep() && performance.now() < until) await Bun.sleep(FINISH_EVERY_MS);
  }

  /** Returns false if another process uses the file. Errors, such as a full disk, are left to the next sweep. */
  #sweep(): boolean {
    this.#endReads();
    const rewritten = withoutErrors(() => this.#rewrite(performance.now()));
    return withoutErrors(() => this.#truncateLog()) && rewritten;
  }

  /** The log of any process, also of one that was killed. An empty log costs one system call. */
  #truncateLog(): boolean {
    if ((statSync(`${this.#file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return true;
    const result = prepared<{ busy: number }>(this.#writer, "PRAGMA wal_checkpoint(TRUNCATE)").get();
    return result?.busy === 0;
  }

  #rewrite(now: number): boolean {
    if (now - this.#rewrittenAt < this.#rewriteEveryMs || versionOf(this.#writer) === CLEAN) return true;
    if (!this.#mayRewrite()) return true;
    try {
      prepared(this.#writer, SET_REWRITING).run();
      prepared(this.#writer, "VACUUM").run();
      prepared(this.#writer, "BEGIN IMMEDIATE").run();
      if (versionOf(this.#writer) === REWRITING) prepared(this.#writer, SET_CLEAN).run();
      prepared(this.#writer, "COMMIT").run();
    } catch (error) {
      if (this.#writer.inTransaction) prepared(this.#writer, "ROLLBACK").run();
      if (isBusy(error)) return false;
      throw error;
    }
    this.#rewrittenAt = now;
    return true;
  }

  #mayRewrite(): boolean {
    const { size } = statSync(this.#file);
    const { bavail, bsize } = statfsSync(dirname(this.#file));
    return size <= this.#mostRewrittenBytes && bavail * bsize > 2 * size + FREE_BYTES;
  }
}

function withoutErrors(work: () => boolean): boolean {
  try {
    return work();
  } catch {
    return true;
  }
}

function versionOf(database: Database): number {
  return prepared<UserVersion>(database, "PRAGMA user_version").get()?.user_version ?? 0;
}
