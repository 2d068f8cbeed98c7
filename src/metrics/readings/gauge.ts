// Values that are read when the page is made.
import type { Description, Family, Sample } from "../families";

/** Without labels, one number; undefined: unknown here. */
type Value =
  number | undefined | readonly (readonly [labels: readonly string[], value: number | undefined])[];

export class Reading implements Family {
  readonly type: Family["type"];
  readonly description: Description;
  readonly owned = [];
  readonly #read: () => Value | Promise<Value>;

  constructor(type: Family["type"], description: Description, read: () => Value | Promise<Value>) {
    this.type = type;
    this.description = description;
    this.#read = read;
  }

  async samples(): Promise<readonly Sample[]> {
    const value = await this.#read();
    const rows = typeof value === "object" ? value : [[[], value] as const];
    return rows.flatMap(([labels, each]) => (each === undefined ? [] : [{ labels, value: each }]));
  }
}

type Labelled = Omit<Description, "labels"> & { labels?: readonly string[] };

export function gauge({ labels = [], ...description }: Labelled, read: () => Value | Promise<Value>): Family {
  return new Reading("gauge", { ...description, labels }, read);
}

/** A count that something else keeps; it never falls. */
export function counted({ labels = [], ...description }: Labelled, read: () => Value): Family {
  return new Reading("counter", { ...description, labels }, read);
}
