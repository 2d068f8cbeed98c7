// Removes deleted and replaced values from the files. `secure_delete` overwrites deleted rows, but their earlier versions
// are still in the write-ahead log, and rows that SQLite has moved between pages leave copies in the free space of the page
// that they came from. So the log is truncated soon after a commit, and after a deletion that matters the file is rewritten.
import { Database } from "bun:sqlite";
import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Log } from "../base";
import { isBusy, prepared } from "./sqlite-steps";
import type { WriteHealth } from "./write-health";

/** `user_version` of a file that contains no rests: nothing was deleted by `erase` since it was made or rewritten. */
const CLEAN = 1;
const SET_CLEAN = "PRAGMA user_version = 1";
/** Set during a rewrite. A deletion meanwhile replaces it, so that its rests are removed by another rewrite. */
const SET_REWRITING = "PRAGMA user_version = 2";
const REWRITING = 2;

const SWEEP_EVERY_MS = 5000;
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
  /** How often rests of deleted values are removed, ms. Default 5 s. */
  eraseEveryMs?: number;
  /** Files larger than this are not rewritten after a deletion. Default 16 MiB. */
  mostRewrittenBytes?: number;
  /** Gets the errors of the removal. */
  log?: Log;
}

interface ErasureParts {
  file: string;
  writer: Database;
  writeHealth: WriteHealth;
  /** Ends the read transaction of this process, which would keep the log. */
  endReads: () => void;
}

interface UserVersion {
  user_version: number;
}

export class Erasure {
  readonly #parts: ErasureParts;
  readonly #log: Log | undefined;
  readonly #mostRewrittenBytes: number;
  readonly #rewriteEveryMs: number;
  readonly #timer: NodeJS.Timeout;
  /** Of the last rewrite that did not have to wait for another process. */
  #rewrittenAt = -Infinity;
  /** The failure that was logged last; undefined after a success. */
  #logged: string | undefined;

  constructor(parts: ErasureParts, { eraseEveryMs, mostRewrittenBytes, log }: ErasureOptions) {
    this.#parts = parts;
    this.#log = log;
    this.#mostRewrittenBytes = mostRewrittenBytes ?? MOST_REWRITTEN_BYTES;
    const everyMs = eraseEveryMs ?? SWEEP_EVERY_MS;
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

  /** Returns false if another process uses the file. What fails, as on a full disk, is tried again later. */
  #sweep(): boolean {
    this.#parts.endReads();
    const rewritten = this.#tried(() => this.#rewrite(performance.now()));
    return this.#tried(() => this.#truncateLog()) && rewritten;
  }

  #tried(work: () => boolean): boolean {
    try {
      return work();
    } catch (error) {
      // The disk may refuse every write, and perhaps no other write is tried.
      this.#parts.writeHealth.failed(error);
      const cause = String(error);
      if (cause !== this.#logged) this.#log?.warn("deleted values not removed from the files", { error });
      this.#logged = cause;
      return true;
    }
  }

  /** The log of any process, also of one that was killed. An empty log costs one system call. */
  #truncateLog(): boolean {
    const { file, writer } = this.#parts;
    if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return true;
    const result = prepared<{ busy: number }>(writer, "PRAGMA wal_checkpoint(TRUNCATE)").get();
    if (result?.busy !== 0) return false;
    if (versionOf(writer) === CLEAN) this.#logged = undefined;
    return true;
  }

  #rewrite(now: number): boolean {
    const { writer, writeHealth } = this.#parts;
    if (now - this.#rewrittenAt < this.#rewriteEveryMs || versionOf(writer) === CLEAN) return true;
    if (!this.#mayRewrite()) return true;
    try {
      prepared(writer, SET_REWRITING).run();
      prepared(writer, "VACUUM").run();
      prepared(writer, "BEGIN IMMEDIATE").run();
      if (versionOf(writer) === REWRITING) prepared(writer, SET_CLEAN).run();
      prepared(writer, "COMMIT").run();
    } catch (error) {
      if (writer.inTransaction) prepared(writer, "ROLLBACK").run();
      if (isBusy(error)) {
        writeHealth.waits(performance.now());
        return false;
      }
      this.#rewrittenAt = now;
      throw error;
    }
    writeHealth.succeeded();
    this.#rewrittenAt = now;
    this.#logged = undefined;
    return true;
  }

  #mayRewrite(): boolean {
    const { file } = this.#parts;
    const { size } = statSync(file);
    const { bavail, bsize } = statfsSync(dirname(file));
    return size <= this.#mostRewrittenBytes && bavail * bsize > 2 * size + FREE_BYTES;
  }
}

function versionOf(database: Database): number {
  return prepared<UserVersion>(database, "PRAGMA user_version").get()?.user_version ?? 0;
}
