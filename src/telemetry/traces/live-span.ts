// A span of work that goes on.
import type { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../base";
import type { End, Events, Kind, Start } from "../activities";
import type { Content, Span } from "../telemetry";
import { contentAttributes } from "./content";
import type { Descriptions } from "./descriptions";
import type { Ids } from "./ids";
import { ownAttributes, toolOf } from "./kinds";
import type { Propagation } from "./propagation";
import type { Attributes, Description, FinishedSpan, SpanContext, SpanEvent, Trace } from "./span";

/** A span of any kind, as its children see it. */
export type AnySpan = Pick<
  LiveSpan<Kind>,
  "trace" | "high" | "low" | "run" | "isOver" | "happened" | "ranTool" | "withhold"
>;

export interface LiveTrace extends Trace {
  /** What monotonic time lacks to be time since the epoch: one for a trace, so that setting the clock has no effect. */
  readonly anchorMs: number;
}

export interface SpanParts {
  clock: Pick<Clock, "monotonic">;
  storage: AsyncLocalStorage<AnySpan>;
  ids: Ids;
  descriptions: Descriptions;
  /** Projects whose spans have arguments and results. */
  content: ReadonlySet<string>;
  propagation: Propagation;
  ended(span: FinishedSpan): void;
}

export interface Place {
  trace: LiveTrace;
  /** The parent, if it is in another system. */
  remote: SpanContext | undefined;
  /** The span in which it begins; its parent, unless that is remote. */
  around: AnySpan | undefined;
}

/** A run of a tool whose arguments and results are in its span. */
interface Run {
  readonly secrets: Set<string>;
}

const NO_EVENTS: readonly SpanEvent[] = [];
const MAX_EVENTS = 32;
/** With more, arguments and results are left out. */
const MAX_SECRETS = 1000;

export class LiveSpan<K extends Kind> implements Span<K>, SpanContext {
  readonly trace: LiveTrace;
  readonly high: number;
  readonly low: number;
  /** The run that it belongs to; undefined: without arguments and results. */
  readonly run: Run | undefined;
  readonly #parts: SpanParts;
  readonly #kind: K;
  readonly #start: Start<K>;
  readonly #remote: SpanContext | undefined;
  readonly #around: AnySpan | undefined;
  readonly #from: number;
  #endedAt = Infinity;
  #events: SpanEvent[] | undefined;
  #content: Attributes | undefined;
  #inner: Description | undefined;

  /** `from`: monotonic, ms. */
  constructor(parts: SpanParts, kind: K, start: Start<K>, from: number, { trace, remote, around }: Place) {
    this.#parts = parts;
    this.#kind = kind;
    this.#start = start;
    this.#from = from;
    this.#remote = remote;
    this.#around = around;
    this.trace = trace;
    this.high = parts.ids.number();
    // An id of zeros is invalid.
    this.low = parts.ids.number() || 1;
    const tool = toolOf(start);
    if (tool === undefined) this.run = around?.run;
    else this.run = trace.isSampled && parts.content.has(tool.project) ? { secrets: new Set() } : undefined;
  }

  within<T>(work: () => T): T {
    // Nothing begins within a request that we send, and unless it is told of, nothing asks for it.
    const isAsked = this.#kind !== "egress" || this.run !== undefined || !this.#parts.propagation.isEmpty;
    return isAsked ? this.#parts.storage.run(this, work) : work();
  }

  end(fields: End<K>, atMs: number): void {
    this.#endedAt = atMs;
    if (!this.trace.isSampled) return;
    const start = this.#start;
    const { anchorMs } = this.trace;
    const description = this.#parts.descriptions.of(this.#kind, start, fields, this.#inner);
    if (this.#kind === "tool") this.#around?.ranTool(description);
    const own = ownAttributes(start, fields);
    this.#parts.ended({
      context: this,
      parent: this.#remote ?? this.#around,
      hasRemoteParent: this.#remote !== undefined,
      description,
      own: this.#content === undefined ? own : { ...own, ...this.#content },
      startMs: anchorMs + this.#from,
      endMs: anchorMs + atMs,
      events: this.#events ?? NO_EVENTS,
      link: this.#remote === undefined ? undefined : this.#around,
    });
  }

  content(content: () => Content): void {
    if (this.run === undefined || this.run.secrets.size > MAX_SECRETS) return;
    this.#content = contentAttributes(content(), [...this.run.secrets]);
  }

  happened<E extends keyof Events>(event: E, labels: Events[E]): void {
    const events = (this.#events ??= []);
    const atMs = this.trace.anchorMs + this.#parts.clock.monotonic();
    if (events.length < MAX_EVENTS) events.push({ name: event, atMs, attributes: eventAttributes(labels) });
  }

  /** Keeps these texts out of arguments and results of the run. */
  withhold(secrets: () => readonly string[]): void {
    if (this.run === undefined) return;
    for (const secret of secrets()) if (this.run.secrets.size <= MAX_SECRETS) this.run.secrets.add(secret);
  }

  ranTool(tool: Description): void {
    this.#inner = tool;
  }

  /** Whether it ended so long before. */
  isOver(ms: number, atMs: number): boolean {
    return atMs - this.#endedAt > ms;
  }
}

function eventAttributes(labels: object): Attributes {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [`runtime.${name}`, String(value)]),
  );
}
