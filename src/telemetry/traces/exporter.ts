// Sends spans to the collector: in batches, from a queue with a limit. A collector that is slow, dead or hostile costs memory
// up to the limit, a counter, and one line in the log when its state changes.
import type { Clock, Log } from "../../base";
import type { DropReason } from "../activities";
import type { FinishedSpan } from "./span";
import type { Outcome } from "./send";

/** Spans that wait. The queue is as long as a second of heavy load. */
export const MAX_QUEUE = 8192;
const MAX_QUEUE_BYTES = 16 * 1024 * 1024;
export const MAX_BATCH = 512;
/** Collectors accept 4 MB at least. */
const MAX_BATCH_BYTES = 1024 * 1024;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
export const MAX_ATTEMPTS = 5;
const STOP_MS = 5000;
const STOP_UNKNOWN_MS = 1000;
/** Between two lines about the state of the collector. */
const LINES_MS = 60_000;

export interface ExporterParts {
  clock: Pick<Clock, "sleep" | "monotonic">;
  log: Log;
  /** 0 to 1, for pauses that differ between processes. */
  vary: () => number;
  /** How long a span waits for others. */
  delayMs: number;
  /** The origin of the collector, for the log. */
  collector: string;
  encode(span: FinishedSpan): Uint8Array;
  /** Never rejects. */
  send(spans: readonly Uint8Array[], signal: AbortSignal): Promise<Outcome>;
  dropped(spans: number, reason: DropReason): void;
}

export class SpanExporter {
  readonly #parts: ExporterParts;
  readonly #stopping = new AbortController();
  /** Ends the requests that are left when the time of `stop` is over. */
  readonly #ending = new AbortController();
  #queue: Uint8Array[] = [];
  #bytes = 0;
  #loop: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  /** What the log said last. */
  #saidFailing = false;
  #saidAt = -Infinity;
  #lost = 0;
  /** Whether the last request was successful. */
  #hasTaken = false;

  constructor(parts: ExporterParts) {
    this.#parts = parts;
  }

  /** Takes a span, or drops it if too many wait. Never waits and never throws. */
  add(span: FinishedSpan): void {
    if (this.#stopping.signal.aborted) return this.#drop(1, "stopped");
    if (this.#queue.length >= MAX_QUEUE || this.#bytes >= MAX_QUEUE_BYTES) return this.#drop(1, "queue_full");
    const bytes = this.#encoded(span);
    if (bytes === undefined) return this.#drop(1, "refused");
    this.#queue.push(bytes);
    this.#bytes += bytes.length;
    // Without spans there is no timer.
    this.#loop ??= this.#work();
    if (this.#queue.length >= MAX_BATCH) this.#wake?.();
  }

  // The work that has made the span goes on, whatever is wrong with it.
  #encoded(span: FinishedSpan): Uint8Array | undefined {
    try {
      return this.#parts.encode(span);
    } catch (error) {
      this.#parts.log.debug("span not encoded", { error });
      return undefined;
    }
  }

  /** Sends what waits, for a few seconds; what is left then is dropped. A collector that has not answered gets less time. */
  async stop(): Promise<void> {
    const { clock } = this.#parts;
    const ms = this.#hasTaken ? STOP_MS : STOP_UNKNOWN_MS;
    this.#stopping.abort();
    this.#wake?.();
    const done = new AbortController();
    const work = (this.#loop ?? Promise.resolve()).finally(() => done.abort());
    await Promise.race([work, clock.sleep(ms, done.signal)]);
    this.#ending.abort();
    await work;
    this.#drop(this.#queue.length, "stopped");
    this.#queue = [];
  }

  async #work(): Promise<void> {
    while (this.#queue.length > 0 && !this.#ending.signal.aborted) {
      if (this.#queue.length < MAX_BATCH) await this.#pause(this.#parts.delayMs);
      await this.#export(this.#take());
    }
    this.#loop = undefined;
  }

  /** Waits for this time, until a batch is full, or until the end. */
  async #pause(ms: number): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await this.#parts.clock.sleep(ms, woken.signal);
    this.#wake = undefined;
  }

  #take(): Uint8Array[] {
    let bytes = 0;
    let count = 0;
    for (const span of this.#queue) {
      if (count === MAX_BATCH || (count > 0 && bytes + span.length > MAX_BATCH_BYTES)) break;
      bytes += span.length;
      count++;
    }
    this.#bytes -= bytes;
    return this.#queue.splice(0, count);
  }

  async #export(batch: readonly Uint8Array[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#parts.send(batch, this.#ending.signal);
      this.#hasTaken = outcome.is === "taken";
      if (outcome.is === "taken") {
        this.#drop(outcome.rejected, "rejected");
        return this.#say(outcome.rejected > 0, "spans rejected");
      }
      if (this.#ending.signal.aborted) return this.#drop(batch.length, "stopped");
      this.#say(true, outcome.reason);
      if (outcome.is === "refused") return this.#drop(batch.length, "refused");
      const isLast = attempt === MAX_ATTEMPTS || this.#stopping.signal.aborted;
      if (isLast) return this.#drop(batch.length, "unreachable");
      await this.#beforeNext(attempt, outcome.afterMs);
    }
  }

  /** Only `stop` ends this pause early. */
  async #beforeNext(attempt: number, askedMs: number | undefined): Promise<void> {
    const { clock, vary } = this.#parts;
    const backoff = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS) * (0.5 + vary());
    await clock.sleep(askedMs ?? backoff, this.#stopping.signal);
  }

  #drop(spans: number, reason: DropReason): void {
    if (spans === 0) return;
    this.#lost += spans;
    this.#parts.dropped(spans, reason);
  }

  /** One line for each change, but at most one per minute: a collector may change its mind at every request. */
  #say(isFailing: boolean, reason: string): void {
    const { log, clock, collector } = this.#parts;
    if (isFailing === this.#saidFailing || clock.monotonic() - this.#saidAt < LINES_MS) return;
    this.#saidFailing = isFailing;
    this.#saidAt = clock.monotonic();
    if (isFailing) log.warn("traces not exported", { collector, reason });
    else log.info("traces exported again", { collector, dropped_spans: this.#lost });
    this.#lost = 0;
  }
}
