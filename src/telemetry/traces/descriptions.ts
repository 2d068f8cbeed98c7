// Descriptions of spans that have been made before: most spans are like one of a few, and describing and writing each would
// take most of the time that traces cost.
import type { End, Kind, Start } from "../activities";
import { describe, knownMcpMethod, knownMethod } from "./kinds";
import type { Description } from "./span";

/** Values that are remembered. After so many all are forgotten: what repeats is soon there again. */
const MOST = 4096;
/** Longer texts are not remembered. */
const LONGEST = 256;

type Key = string | number | boolean | object | undefined;
type Path<K extends Kind> = (
  from: Place,
  start: Start<K>,
  end: End<K>,
  inner: Description | undefined,
) => Place;

/** What spans of a kind are equal by: everything that `describe` reads. */
const PATHS: { readonly [K in Kind]: Path<K> } = {
  request: (from, { method, route }, { status }) => from.to(knownMethod(method)).to(route).to(status),
  tool: (from, { toolkit, tool, entry, project }, { outcome }) =>
    from.to(tool).to(toolkit).to(entry).to(project).to(outcome),
  hook: (from, { hook, point }, { outcome }) => from.to(hook).to(point).to(outcome),
  egress: (from, { group, method, url, project }, { status, outcome }) =>
    from
      .to(serverOf(url()))
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

export class Descriptions {
  #memory = new Memory();

  /** The description of an activity that has ended. Equal ones are the same object, as a rule. */
  of<K extends Kind>(kind: K, start: Start<K>, end: End<K>, inner: Description | undefined): Description {
    if (this.#memory.size >= MOST) this.#memory = new Memory();
    const place = PATHS[kind](this.#memory.root.to(kind), start, end, inner);
    return (place.description ??= describe(kind, start, end, inner));
  }
}

class Memory {
  readonly root: Place = new Place(this);
  size = 0;
}

/** A place in a tree of values. */
class Place {
  description: Description | undefined;
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
