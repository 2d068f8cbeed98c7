// Sends spans to the collector: in batches, from a queue with a limit. A collector that is slow, dead or hostile costs memory
// up to the limit, a counter, and one line in the log when its state changes.
import type { Clock, Log } from "../../base";
import type { DropReason } from "../activities";
import type { SpanBatch } from "./encoding";
import type { Outcome } from "./send";
import type { FinishedSpan } from "./span";

/** Spans that wait. The queue is as long as a second of heavy load. */
export const MAX_QUEUE = 8192;
const MAX_QUEUE_MEMORY = 16 * 1024 * 1024;
export const MAX_BATCH = 2048;
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
  /** A batch without spans. */
  batch(): SpanBatch;
  /** Never rejects. */
  send(batch: SpanBatch, signal: AbortSignal): Promise<Outcome>;
  dropped(spans: number, reason: DropReason): void;
}

export class SpanExporter {
  readonly #parts: ExporterParts;
  readonly #stopping = new AbortController();
  /** Ends the requests that are left when the time of `stop` is over. */
  readonly #ending = new AbortController();
  /** Spans are added to the last one; those before it are full. */
  #queue: SpanBatch[] = [];
  /** In the queue. */
  #spans = 0;
  #memory = 0;
  #isStopping = false;
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
    if (this.#isStopping) return this.#drop(1, "stopped");
    if (this.#spans >= MAX_QUEUE || this.#memory >= MAX_QUEUE_MEMORY) return this.#drop(1, "queue_full");
    const last = this.#queue.at(-1);
    const batch = last === undefined || isFull(last) ? this.#parts.batch() : last;
    const before = batch === last ? batch.memory : 0;
    if (!this.#isWritten(batch, span)) return this.#drop(1, "refused");
    if (batch !== last) this.#queue.push(batch);
    this.#spans++;
    this.#memory += batch.memory - before;
    // Without spans there is no timer.
    this.#loop ??= this.#work();
    if (isFull(batch)) this.#wake?.();
  }

  // The work that has made the span goes on, whatever is wrong with it.
  #isWritten(batch: SpanBatch, span: FinishedSpan): boolean {
    try {
      batch.add(span);
      return true;
    } catch (error) {
      this.#parts.log.debug("span not encoded", { error });
      return false;
    }
  }

  /** Sends what waits, for a few seconds; what is left then is dropped. A collector that has not answered gets less time. */
  async stop(): Promise<void> {
    const { clock } = this.#parts;
    const ms = this.#hasTaken ? STOP_MS : STOP_UNKNOWN_MS;
    this.#isStopping = true;
    this.#stopping.abort();
    this.#wake?.();
    const done = new AbortController();
    const work = (this.#loop ?? Promise.resolve()).finally(() => done.abort());
    await Promise.race([work, clock.sleep(ms, done.signal)]);
    this.#ending.abort();
    await work;
    this.#drop(this.#spans, "stopped");
    this.#spans = 0;
    this.#queue = [];
  }

  async #work(): Promise<void> {
    for (let [first] = this.#queue; first !== undefined; [first] = this.#queue) {
      if (this.#ending.signal.aborted) break;
      if (!isFull(first)) await this.#pause(this.#parts.delayMs);
      this.#queue.shift();
      this.#spans -= first.spans;
      this.#memory -= first.memory;
      await this.#export(first);
      first.release();
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

  async #export(batch: SpanBatch): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#parts.send(batch, this.#ending.signal);
      this.#hasTaken = outcome.is === "taken";
      if (outcome.is === "taken") {
        this.#drop(outcome.rejected, "rejected");
        return this.#say(outcome.rejected > 0, "spans rejected");
      }
      if (this.#ending.signal.aborted) return this.#drop(batch.spans, "stopped");
      this.#say(true, outcome.reason);
      if (outcome.is === "refused") return this.#drop(batch.spans, "refused");
      const isLast = attempt === MAX_ATTEMPTS || this.#stopping.signal.aborted;
      if (isLast) return this.#drop(batch.spans, "unreachable");
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

function isFull({ spans, bytes }: SpanBatch): boolean {
  return spans >= MAX_BATCH || bytes >= MAX_BATCH_BYTES;
}
