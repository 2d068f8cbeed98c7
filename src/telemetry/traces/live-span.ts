// An activity that is a span.
import type { AsyncLocalStorage } from "node:async_hooks";
import type { End, Events, Kind, Start } from "../activities";
import { Activity, type Content, type Observers } from "../activity";
import { contentAttributes } from "./content";
import type { Ids } from "./ids";
import { describe, ownAttributes, toolOf } from "./kinds";
import type { Propagation } from "./propagation";
import { type Attributes, type Description, type FinishedSpan, SPAN_KIND } from "./span";
import type { SpanContext, SpanEvent, Trace } from "./span";

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
  storage: AsyncLocalStorage<AnySpan>;
  ids: Ids;
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

const NO_EVENTS: SpanEvent[] = [];
/** Until the end. */
const UNKNOWN: Description = { name: "", kind: SPAN_KIND.internal, attributes: {}, error: undefined };
const MAX_EVENTS = 32;
/** With more, arguments and results are left out. */
const MAX_SECRETS = 1000;

/** When it has ended, it is what is exported. */
export class LiveSpan<K extends Kind> extends Activity<K> implements FinishedSpan, SpanContext {
  readonly trace: LiveTrace;
  readonly high: number;
  readonly low: number;
  /** The run that it belongs to; undefined: without arguments and results. */
  readonly run: Run | undefined;
  description: Description = UNKNOWN;
  own: Attributes | undefined = undefined;
  events: SpanEvent[] = NO_EVENTS;
  readonly #parts: SpanParts;
  readonly #remote: SpanContext | undefined;
  readonly #around: AnySpan | undefined;
  #endedAt = Infinity;
  #content: Attributes | undefined = undefined;
  #inner: Description | undefined = undefined;

  /** `from`: monotonic, ms. */
  constructor(
    parts: SpanParts,
    observers: Observers,
    kind: K,
    start: Start<K>,
    from: number,
    { trace, remote, around }: Place,
  ) {
    super(observers, kind, start, from);
    this.#parts = parts;
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

  get context(): SpanContext {
    return this;
  }

  get parent(): SpanContext | undefined {
    return this.#remote ?? this.#around;
  }

  get hasRemoteParent(): boolean {
    return this.#remote !== undefined;
  }

  get link(): SpanContext | undefined {
    return this.#remote === undefined ? undefined : this.#around;
  }

  get startMs(): number {
    return this.trace.anchorMs + this.from;
  }

  get endMs(): number {
    return this.trace.anchorMs + this.#endedAt;
  }

  override within<T>(work: () => T): T {
    // Nothing begins within a request that we send, and unless it is told of, nothing asks for it.
    const isAsked = this.kind !== "egress" || this.run !== undefined || !this.#parts.propagation.isEmpty;
    return isAsked ? this.#parts.storage.run(this, work) : work();
  }

  override content(content: () => Content): void {
    if (this.run === undefined || this.run.secrets.size > MAX_SECRETS) return;
    this.#content = contentAttributes(content(), [...this.run.secrets]);
  }

  protected override ended(fields: End<K>, atMs: number, ms: number): void {
    this.#endedAt = atMs;
    const { kind, start, observers } = this;
    const { meter, endings } = observers;
    const ending = endings.of(kind, start, fields, this.#inner);
    if (meter !== undefined) (ending.series ??= meter.seriesOf(kind, start, fields)).add(ms, fields);
    if (!this.trace.isSampled) return;
    this.description = ending.description ??= describe(kind, start, fields, this.#inner);
    if (kind === "tool") this.#around?.ranTool(this.description);
    const own = ownAttributes(start, fields);
    this.own = this.#content === undefined ? own : { ...own, ...this.#content };
    this.#parts.ended(this);
  }

  happened<E extends keyof Events>(event: E, labels: Events[E]): void {
    if (this.events === NO_EVENTS) this.events = [];
    if (this.events.length >= MAX_EVENTS) return;
    const atMs = this.trace.anchorMs + this.observers.clock.monotonic();
    this.events.push({ name: event, atMs, attributes: eventAttributes(labels) });
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
