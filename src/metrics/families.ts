// Families of metrics, and the counters and histograms that requests update. An update is one lookup by a text and an
// addition: the well-known library takes several times as long (docs/metrics.md).

/** What a family is. The name has its unit at its end, and a counter no `_total`. */
export interface Description {
  name: string;
  help: string;
  unit?: "seconds" | "bytes";
  labels: readonly string[];
}

/** A series as it is written: values in the order of the labels of its family. */
export interface Sample {
  labels: readonly string[];
  value: number | Distribution;
  /** The project that has chosen the names among the labels; undefined: none of them is of a project. */
  owner?: string | undefined;
}

export interface Distribution {
  /** Upper limits of the buckets, without the infinite one. */
  limits: readonly number[];
  /** By bucket, not added up; the last one is the infinite one. */
  counts: ArrayLike<number>;
  sum: number;
}

export interface Family {
  readonly description: Description;
  readonly type: "counter" | "gauge" | "histogram" | "info";
  /** Which labels have names that a project has chosen. */
  readonly owned: readonly string[];
  samples(): readonly Sample[] | Promise<readonly Sample[]>;
}

/** In place of names that are not shown, or not counted one by one. */
export const OTHER = "other";

/** Series with names of one project, and of all projects. Those beyond are counted as `other`. */
const MOST_OF_PROJECT = 250;
const MOST_OWNED = 1000;

interface Series<Value> {
  labels: readonly string[];
  owner: string | undefined;
  value: Value;
}

/** A place in a tree of labels. */
interface Place<Value> {
  series: Series<Value> | undefined;
  readonly next: Map<string, Place<Value>>;
}

/** The series of a family by their labels. Their number is bounded, whatever names projects choose. */
class SeriesMap<Value> {
  readonly #series: Series<Value>[] = [];
  /** By owner. A tree, because one key of all labels would be a new text for each look-up. */
  readonly #places = new Map<string | undefined, Place<Value>>();
  readonly #owned = new Map<string, number>();
  readonly #isOwned: readonly boolean[];
  readonly #make: () => Value;
  #allOwned = 0;

  constructor({ labels }: Description, owned: readonly string[], make: () => Value) {
    this.#isOwned = labels.map((label) => owned.includes(label));
    this.#make = make;
  }

  of(labels: readonly string[], owner: string | undefined): Value {
    return this.#known(labels, owner)?.value ?? this.#add(labels, owner);
  }

  values(): Iterable<Series<Value>> {
    return this.#series;
  }

  #known(labels: readonly string[], owner: string | undefined): Series<Value> | undefined {
    let place = this.#places.get(owner);
    for (let at = 0; at < labels.length; at++) place = place?.next.get(labels[at] ?? "");
    return place?.series;
  }

  #add(labels: readonly string[], owner: string | undefined): Value {
    if (owner === undefined) return this.#put(labels, undefined);
    const ofProject = this.#owned.get(owner) ?? 0;
    if (ofProject >= MOST_OF_PROJECT || this.#allOwned >= MOST_OWNED) {
      const others = labels.map((label, at) => (this.#isOwned[at] === true ? OTHER : label));
      return this.#known(others, undefined)?.value ?? this.#put(others, undefined);
    }
    this.#owned.set(owner, ofProject + 1);
    this.#allOwned++;
    return this.#put(labels, owner);
  }

  #put(labels: readonly string[], owner: string | undefined): Value {
    const value = this.#make();
    const series = { labels: [...labels], owner, value };
    this.#series.push(series);
    let place = childOf(this.#places, owner);
    for (const label of labels) place = childOf(place.next, label);
    place.series = series;
    return value;
  }
}

function childOf<Key, Value>(places: Map<Key, Place<Value>>, key: Key): Place<Value> {
  const known = places.get(key);
  if (known !== undefined) return known;
  const place: Place<Value> = { series: undefined, next: new Map() };
  places.set(key, place);
  return place;
}

export interface Options {
  /** Labels with names that a project has chosen. */
  owned?: readonly string[];
}

/** A series of a counter. */
export interface Count {
  count: number;
}

export class Counter implements Family {
  readonly type = "counter";
  readonly description: Description;
  readonly owned: readonly string[];
  readonly #series: SeriesMap<Count>;

  constructor(description: Description, { owned = [] }: Options = {}) {
    this.description = description;
    this.owned = owned;
    this.#series = new SeriesMap(description, owned, () => ({ count: 0 }));
    // A family without labels has a value before anything is counted.
    if (description.labels.length === 0) this.add([], 0);
  }

  /** `owner`: the project that has chosen the names among them. */
  add(labels: readonly string[], by = 1, owner?: string): void {
    this.series(labels, owner).count += by;
  }

  /** What adds to the same series as `add`, without a look-up. */
  series(labels: readonly string[], owner?: string): Count {
    return this.#series.of(labels, owner);
  }

  samples(): readonly Sample[] {
    return Array.from(this.#series.values(), ({ labels, owner, value }) => ({
      labels,
      owner,
      value: value.count,
    }));
  }
}

/** A series of a histogram. */
export class Times {
  readonly counts: Float64Array;
  sum = 0;
  readonly #limits: readonly number[];

  constructor(limits: readonly number[]) {
    this.counts = new Float64Array(limits.length + 1);
    this.#limits = limits;
  }

  /** Takes milliseconds, and counts seconds. */
  add(ms: number): void {
    const seconds = ms < 0 ? 0 : ms / 1000;
    let bucket = 0;
    while (bucket < this.#limits.length && seconds > (this.#limits[bucket] ?? 0)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

export class Histogram implements Family {
  readonly type = "histogram";
  readonly description: Description;
  readonly owned: readonly string[];
  readonly #limits: readonly number[];
  readonly #series: SeriesMap<Times>;

  constructor(description: Description, limits: readonly number[], { owned = [] }: Options = {}) {
    this.description = description;
    this.owned = owned;
    this.#limits = limits;
    this.#series = new SeriesMap(description, owned, () => new Times(limits));
    if (description.labels.length === 0) this.#series.of([], undefined);
  }

  /** Takes milliseconds, and counts seconds. */
  observe(labels: readonly string[], ms: number, owner?: string): void {
    this.series(labels, owner).add(ms);
  }

  /** What adds to the same series as `observe`, without a look-up. */
  series(labels: readonly string[], owner?: string): Times {
    return this.#series.of(labels, owner);
  }

  samples(): readonly Sample[] {
    return Array.from(this.#series.values(), ({ labels, owner, value }) => ({
      labels,
      owner,
      value: { limits: this.#limits, counts: value.counts, sum: value.sum },
    }));
  }
}
