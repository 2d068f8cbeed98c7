// A span of work that goes on.
import type { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../../base";
import type { End, Events, Kind, Start } from "../activities";
import type { Content, Span } from "../telemetry";
import { contentAttributes } from "./content";
import { describe, type Inner, toolOf } from "./kinds";
import type { Propagation } from "./propagation";
import type { Attributes, FinishedSpan, SpanContext, SpanEvent } from "./span";

/** A span of any kind, as its children see it. */
export type AnySpan = Pick<
  LiveSpan<Kind>,
  "context" | "anchorMs" | "run" | "isOver" | "happened" | "ranTool" | "withhold"
>;

export interface SpanParts {
  clock: Pick<Clock, "monotonic">;
  storage: AsyncLocalStorage<AnySpan>;
  /** Projects whose spans have arguments and results. */
  content: ReadonlySet<string>;
  propagation: Propagation;
  ended(span: FinishedSpan): void;
}

export interface Place {
  context: SpanContext;
  parentSpanId: string | undefined;
  /** Whether the parent is in another system. */
  isRemote: boolean;
  /** The span in which it begins; its parent, unless that is remote. */
  around: AnySpan | undefined;
  /** What monotonic time lacks to be time since the epoch: one for a trace, so that setting the clock has no effect. */
  anchorMs: number;
}

/** A run of a tool whose arguments and results are in its span. */
interface Run {
  readonly secrets: Set<string>;
}

const NO_EVENTS: readonly SpanEvent[] = [];
const MAX_EVENTS = 32;
/** With more, arguments and results are left out. */
const MAX_SECRETS = 1000;

export class LiveSpan<K extends Kind> implements Span<K> {
  readonly context: SpanContext;
  readonly anchorMs: number;
  /** The run that it belongs to; undefined: without arguments and results. */
  readonly run: Run | undefined;
  readonly #parts: SpanParts;
  readonly #kind: K;
  readonly #start: Start<K>;
  readonly #place: Place;
  readonly #from: number;
  #endedAt = Infinity;
  #events: SpanEvent[] | undefined;
  #content: Attributes | undefined;
  #inner: Inner | undefined;

  constructor(parts: SpanParts, kind: K, start: Start<K>, place: Place) {
    this.#parts = parts;
    this.#kind = kind;
    this.#start = start;
    this.#place = place;
    this.context = place.context;
    this.anchorMs = place.anchorMs;
    const tool = toolOf(start);
    if (tool === undefined) this.run = place.around?.run;
    else
      this.run =
        this.context.isSampled && parts.content.has(tool.project) ? { secrets: new Set() } : undefined;
    this.#from = parts.clock.monotonic();
  }

  within<T>(work: () => T): T {
    // Nothing begins within a request that we send, and unless it is told of, nothing asks for it.
    const isAsked = this.#kind !== "egress" || this.run !== undefined || !this.#parts.propagation.isEmpty;
    return isAsked ? this.#parts.storage.run(this, work) : work();
  }

  end(fields: End<K>): void {
    this.#endedAt = this.#parts.clock.monotonic();
    if (!this.context.isSampled) return;
    const { context, parentSpanId, isRemote, around, anchorMs } = this.#place;
    const { name, kind, attributes, error } = describe(this.#kind, this.#start, fields, this.#inner);
    const tool = toolOf(this.#start);
    if (tool !== undefined) around?.ranTool({ tool: tool.name, hasFailed: error !== undefined });
    this.#parts.ended({
      context,
      parentSpanId,
      hasRemoteParent: isRemote,
      name,
      kind,
      startMs: anchorMs + this.#from,
      endMs: anchorMs + this.#endedAt,
      attributes: this.#content === undefined ? attributes : { ...attributes, ...this.#content },
      events: this.#events ?? NO_EVENTS,
      link: isRemote ? around?.context : undefined,
      error,
    });
  }

  content(content: () => Content): void {
    if (this.run === undefined || this.run.secrets.size > MAX_SECRETS) return;
    this.#content = contentAttributes(content(), [...this.run.secrets]);
  }

  happened<E extends keyof Events>(event: E, labels: Events[E]): void {
    const events = (this.#events ??= []);
    const atMs = this.anchorMs + this.#parts.clock.monotonic();
    if (events.length < MAX_EVENTS) events.push({ name: event, atMs, attributes: eventAttributes(labels) });
  }

  /** Keeps these texts out of arguments and results of the run. */
  withhold(secrets: () => readonly string[]): void {
    if (this.run === undefined) return;
    for (const secret of secrets()) if (this.run.secrets.size <= MAX_SECRETS) this.run.secrets.add(secret);
  }

  ranTool(inner: Inner): void {
    this.#inner = inner;
  }

  /** Whether it ended so long ago. */
  isOver(ms: number): boolean {
    return this.#parts.clock.monotonic() - this.#endedAt > ms;
  }
}

function eventAttributes(labels: object): Attributes {
  return Object.fromEntries(
    Object.entries(labels).map(([name, value]) => [`runtime.${name}`, String(value)]),
  );
}
