// What a running server does for the audit trail: it publishes the signed heads of the chains, and removes old rows.
import type { Core } from "../core";
import { DeletionTime, type Transaction } from "../store";
import { checkpointFields, type SignedHead, signHead } from "./heads";
import { HeadCopies } from "./head-copies";
import { chainRowsInTransaction, listHeads, removePrefix } from "./repository";
import type { SigningKey } from "./signing";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 3600_000;
/** Rows that one transaction removes. */
const BATCH = 500;
/** Heads that are signed before other work gets a turn. */
const SIGNED_AT_ONCE = 100;

export class Keeper {
  readonly #core: Core;
  readonly #key: SigningKey;
  readonly #copies: HeadCopies;
  readonly #deletionTime: DeletionTime;

  /** `headsFile`: the path of `audit.heads_file`. */
  constructor(core: Core, key: SigningKey, headsFile: string | undefined) {
    this.#core = core;
    this.#key = key;
    this.#copies = new HeadCopies(core, headsFile);
    this.#deletionTime = new DeletionTime(core.clock);
  }

  /** Works now and every `audit.heads_minutes`, until the returned function is called, which publishes once more. */
  start(): () => Promise<void> {
    const stop = new AbortController();
    const running = this.#run(stop.signal);
    return async () => {
      stop.abort();
      await running;
      await this.#unlessFailed("audit heads not published", () => this.publish());
    };
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, settings } = this.#core;
    while (!signal.aborted) {
      await this.#unlessFailed("audit heads not published", () => this.publish());
      await this.#unlessFailed("old audit entries not removed", () => this.prune(signal));
      await clock.sleep(settings["audit.heads_minutes"] * MINUTE_MS, signal);
    }
  }

  async #unlessFailed(message: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#core.log.warn(message, { error }));
  }

  /** Sends the heads that have changed to the log, the file and the address. */
  async publish(): Promise<void> {
    const heads: SignedHead[] = [];
    for (const { project_id, number, hash } of await listHeads(this.#core.store)) {
      if (this.#copies.has(project_id, number)) continue;
      heads.push(signHead(this.#key, { chain: project_id, number, hash }, this.#core.clock.now()));
      if (heads.length % SIGNED_AT_ONCE === 0) await this.#core.clock.sleep(0);
    }
    await this.#copies.keep(heads);
  }

  /** Removes rows that are older than `audit.keep_days`, from the beginning of each chain. */
  async prune(signal?: AbortSignal): Promise<void> {
    const { store, settings } = this.#core;
    const keepMs = settings["audit.keep_days"] * DAY_MS;
    if (keepMs === 0) return;
    for (const { project_id } of await listHeads(store)) {
      let removed = BATCH;
      while (removed === BATCH && signal?.aborted !== true)
        removed = await store.write(() => this.#pruneSome(project_id, keepMs));
    }
  }

  /** Returns how many rows were removed. The chain begins at a signed checkpoint then. */
  *#pruneSome(chain: string, keepMs: number): Transaction<number> {
    // A clock that jumped ahead must not remove young rows.
    const now = yield* this.#deletionTime.now();
    if (now === undefined) return 0;
    const rows = yield* chainRowsInTransaction(chain, BATCH);
    const kept = rows.findIndex(({ created_at }) => created_at >= now - keepMs);
    const old = kept === -1 ? rows : rows.slice(0, kept);
    const last = old.at(-1);
    if (last === undefined) return 0;
    const { number, hash } = last;
    const checkpoint = { project_id: chain, number, hash, created_at: now };
    const signed = this.#key.sign(checkpointFields(checkpoint));
    yield* removePrefix(last.id, { ...checkpoint, ...signed });
    return old.length;
  }
}
