// What ends of activities have in common. Most are like one of a few, so what an end adds to metrics and how its span is
// described are found once for all that are equal: finding both for each would take most of the time that they cost.
import type { End, Kind, Start } from "./activities";
import { knownMcpMethod, knownMethod } from "./methods";
import type { Description } from "./traces/span";

/** Endings that are remembered. After so many all are forgotten: what repeats is soon there again. */
const MOST = 4096;
/** Longer texts are not remembered. */
const LONGEST = 256;

/** Counts an end. */
export interface Series {
  /** `ms`: how long the work took. */
  add(ms: number, end: End<Kind>): void;
}

/** Ends that are equal. What an observer needs for each of them, it finds once and keeps here. */
export interface Ending {
  /** Of the meter. */
  series: Series | undefined;
  /** Of the spans. */
  description: Description | undefined;
}

type Key = string | number | boolean | object | undefined;
type Path<K extends Kind> = (
  from: Place,
  start: Start<K>,
  end: End<K>,
  inner: Description | undefined,
) => Place;

/** What ends of a kind are equal by: everything that labels of metrics and descriptions of spans are made of. */
const PATHS: { readonly [K in Kind]: Path<K> } = {
  request: (from, { method, route }, { status }) => from.to(knownMethod(method)).to(route).to(status),
  tool: (from, { toolkit, tool, entry, project }, { outcome }) =>
    from.to(tool).to(toolkit).to(entry).to(project).to(outcome),
  hook: (from, { hook, point }, { outcome }) => from.to(hook).to(point).to(outcome),
  egress: (from, { group, method, url, project }, { status, outcome }) =>
    from
      .to(serverOf(url))
      .to(method)
      .to(group)
      .to(project)
      .to(status ?? outcome),
  mcp: (from, { method, gateway }, { outcome, code }, inner) =>
    from.to(knownMcpMethod(method)).to(gateway).to(inner).to(outcome).to(code),
  model: (from, { entry, provider, model, operation, streams, project }, { outcome }) =>
    from.to(entry).to(model).to(operation).to(streams).to(project).to(provider).to(outcome),
  refresh: (from, { provider, project }, { outcome }) => from.to(provider).to(project).to(outcome),
};

/** Scheme, host and port. Addresses that are neither http nor https, which are refused later, have no origin. */
function serverOf(url: URL | undefined): string | undefined {
  const origin = url?.origin;
  return url === undefined || origin !== "null" ? origin : `${url.protocol}//${url.host}`;
}

export class Endings {
  #memory = new Memory();

  /** Equal ends have the same one, as a rule. `inner`: that of the tool that was run within the activity. */
  of<K extends Kind>(kind: K, start: Start<K>, end: End<K>, inner: Description | undefined): Ending {
    if (this.#memory.size >= MOST) this.#memory = new Memory();
    return PATHS[kind](this.#memory.root.to(kind), start, end, inner);
  }
}

class Memory {
  readonly root: Place = new Place(this);
  size = 0;
}

/** A place in a tree of values. */
class Place implements Ending {
  series: Series | undefined = undefined;
  description: Description | undefined = undefined;
  readonly #memory: Memory;
  readonly #next = new Map<Key, Place>();
  /** The way that was taken last, which is often taken again: comparing costs less than a look-up. */
  #lastKey: Key;
  #last: Place | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  to(key: Key): Place {
    if (key === this.#lastKey && this.#last !== undefined) return this.#last;
    if (typeof key === "string" && key.length > LONGEST) return new Place(this.#memory);
    this.#last = this.#next.get(key) ?? this.#added(key);
    this.#lastKey = key;
    return this.#last;
  }

  #added(key: Key): Place {
    const place = new Place(this.#memory);
    this.#next.set(key, place);
    this.#memory.size++;
    return place;
  }
}
