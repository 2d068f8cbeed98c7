// `Idempotency-Key`: the row is committed before the run; a repeated request waits for the first one and gets its answer. A
// run whose process died is never started again, and neither is one that failed after it may have had its effect: their
// outcome is unknown.
import { TrustedTime } from "../base";
import type { Core } from "../core";
import { hashOf, newToken } from "../crypto";
import { invalidParameter, RuntimeError } from "../errors";
import { Ages, DeletionTime, HEARTBEAT_MS, untilStored, Witness } from "../store";
import {
  answerPlace,
  begin,
  findRow,
  forget,
  giveUp,
  hasEnded,
  keep,
  KEPT_MS,
  otherRequest,
  remember,
  type Repeatable,
  stateOf,
} from "./idempotency-repository";

/** How often a repeated request looks at the row of a run in another process. */
const LOOK_MS = 250;
/** How long a stop waits for answers that are not stored yet. */
const STOP_MS = 5000;

/** How a run ended. After `forgotten` its key is free. */
type Outcome = { kind: "answer"; text: string } | { kind: "lost" } | { kind: "forgotten" };

export class Idempotency {
  readonly #core: Core;
  readonly #witness: Witness;
  readonly #time: TrustedTime;
  readonly #deletionTime: DeletionTime;
  readonly #ages: Ages;
  /** The runs of this process until their end is stored, by key. */
  readonly #running = new Map<string, { requestHash: string; outcome: Promise<Outcome> }>();
  readonly #stopping = new AbortController();
  readonly #ends = new Set<Promise<void>>();

  constructor(core: Core) {
    this.#core = core;
    this.#witness = new Witness(core.clock);
    this.#time = new TrustedTime(core.clock, KEPT_MS);
    this.#deletionTime = new DeletionTime(core.clock);
    this.#ages = new Ages(core.store, core.clock, "idempotency", KEPT_MS);
  }

  /** Waits a few seconds until the ends of all runs are stored. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#ages.stop();
    const late = new AbortController();
    await Promise.race([Promise.all(this.#ends), this.#core.clock.sleep(STOP_MS, late.signal)]);
    late.abort();
  }

  /**
   * Runs `work` once per key and stores its answer. `work` calls `begins` before it may have an effect. An error before that
   * is not stored, if it is a `RuntimeError`, and neither is an answer that `counts` rejects; after any other error the
   * outcome is unknown. `lost` returns the answer for an unknown outcome. Throws `idempotency_mismatch` for another request
   * with the same key.
   */
  async once<T>(
    repeatable: Repeatable,
    work: (begins: () => void) => Promise<T>,
    lost: () => T,
    signal?: AbortSignal,
    counts: (answer: T, hasBegun: boolean) => boolean = () => true,
  ): Promise<T> {
    checkIdempotencyKey(repeatable.key);
    const holder = newToken(this.#core.random);
    const name = nameOf(repeatable);
    const { clock } = this.#core;
    let dead: string | undefined;
    while (true) {
      const here = this.#running.get(name);
      if (here !== undefined) {
        if (here.requestHash !== hashOf(repeatable.request)) throw otherRequest();
        const outcome = await unlessAborted(here.outcome, signal);
        if (outcome?.kind === "answer") return JSON.parse(outcome.text);
        if (outcome?.kind !== "forgotten") return lost();
      }
      const begun = await this.#core.store.write(() =>
        begin(repeatable, {
          holder,
          now: clock.now(),
          trustedNow: this.#time.now(),
          deletionTime: this.#deletionTime.now(),
          old: this.#ages.old(),
          dead: this.#witness.isCurrent(name) ? dead : undefined,
        }),
      );
      await this.#ages.look();
      if (begun.kind === "mine") return this.#work(repeatable, holder, work, counts);
      if (begun.kind === "answer") return this.#open(repeatable, begun.sealed);
      if (begun.kind === "lost" || signal?.aborted) return lost();
      if (!this.#running.has(name)) dead = await this.#watch(repeatable, signal);
    }
  }

  /** Waits for the end of a run in another process. Returns the state of the row if its holder is dead. */
  async #watch(repeatable: Repeatable, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { store } = this.#core;
    const name = nameOf(repeatable);
    while (signal?.aborted !== true) {
      const generation = await store.generation("idempotency");
      const row = await findRow(store, repeatable);
      if (row === undefined || hasEnded(row)) return undefined;
      if (this.#witness.isDead(name, stateOf(row))) return stateOf(row);
      const wait = { timeoutMs: LOOK_MS, ...(signal === undefined ? {} : { signal }) };
      await store.changed("idempotency", generation, wait);
    }
    return undefined;
  }

  async #work<T>(
    repeatable: Repeatable,
    holder: string,
    work: (begins: () => void) => Promise<T>,
    counts: (answer: T, hasBegun: boolean) => boolean,
  ): Promise<T> {
    const { store, clock } = this.#core;
    const name = nameOf(repeatable);
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
    this.#running.set(name, { requestHash: hashOf(repeatable.request), outcome });
    const beat = (): void => {
      store.write(() => keep(repeatable, holder, clock.now())).catch(() => undefined);
    };
    const heart = setInterval(beat, HEARTBEAT_MS);
    const end = (ended: Outcome): Promise<void> => {
      // What was done counts before it is stored. A key is free only after its row is deleted.
      if (ended.kind !== "forgotten") resolve(ended);
      return this.#end(repeatable, holder, ended, () => {
        clearInterval(heart);
        this.#running.delete(name);
        resolve(ended);
      });
    };
    let hasBegun = false;
    let answer: T;
    try {
      answer = await work(() => void (hasBegun = true));
    } catch (error) {
      await end({ kind: hasBegun || !(error instanceof RuntimeError) ? "lost" : "forgotten" });
      throw error;
    }
    const isStored = counts(answer, hasBegun);
    await end(isStored ? { kind: "answer", text: JSON.stringify(answer) } : { kind: "forgotten" });
    return answer;
  }

  /** Resolves after the first attempt to store the end. More follow until one succeeds; `after` is called then. */
  async #end(repeatable: Repeatable, holder: string, ended: Outcome, after: () => void): Promise<void> {
    const { store, clock, log } = this.#core;
    const { promise: hasFailed, resolve: failedOnce } = Promise.withResolvers<void>();
    const failed = (error: unknown, before: number): void => {
      if (before === 0) log.error("answer not remembered", { operation: repeatable.operation, error });
      failedOnce();
    };
    const write = async (): Promise<void> => {
      const sealed = ended.kind === "answer" ? await this.#seal(repeatable, ended.text) : undefined;
      await store.write(() => {
        if (sealed !== undefined) return remember(repeatable, holder, sealed, clock.now() + KEPT_MS);
        return ended.kind === "forgotten"
          ? forget(repeatable, holder)
          : giveUp(repeatable, holder, clock.now());
      });
    };
    const stored = untilStored(write, { clock, stopping: this.#stopping.signal, failed })
      .catch((error: unknown) =>
        log.error("answer lost at the stop", { operation: repeatable.operation, error }),
      )
      .finally(() => {
        after();
        this.#ends.delete(stored);
      });
    this.#ends.add(stored);
    await Promise.race([stored, hasFailed]);
  }

  /** Undefined if the answer cannot be sealed: only the first caller gets it, and to others the outcome is unknown. */
  async #seal(repeatable: Repeatable, text: string): Promise<string | undefined> {
    try {
      return await this.#core.keyring.seal(repeatable.projectId, answerPlace(repeatable), text);
    } catch (error) {
      this.#core.log.error("answer not remembered", { operation: repeatable.operation, error });
      return undefined;
    }
  }

  async #open<T>(repeatable: Repeatable, sealed: string): Promise<T> {
    return JSON.parse(await this.#core.keyring.open(repeatable.projectId, answerPlace(repeatable), sealed));
  }
}

/** Throws `invalid_parameter` for an invalid key. */
export function checkIdempotencyKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw invalidParameter("Idempotency-Key must be 1 to 255 printable characters without spaces.");
}

// A project that was created again under its id does not share the runs of the earlier one.
function nameOf(repeatable: Repeatable): string {
  return `${repeatable.incarnation ?? ""} ${answerPlace(repeatable).row}`;
}

/** Undefined when the signal aborts first. */
async function unlessAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  if (signal === undefined) return promise;
  if (signal.aborted) return undefined;
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
