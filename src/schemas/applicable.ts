// Which schemas apply to the parts of a value. A walk through a long list asks for each entry, so all of this is found once for
// each place of the schema.
import { schemasInPlace, schemasInside } from "./places";
import type { Node } from "./references";
import type { Steps } from "./steps";
import { oneOfThese, typesOf } from "./types";

type Types = ReadonlySet<unknown>;

interface Known {
  any: Types | undefined;
  isInteger: boolean;
}

/** For each walk through a value, one that begins with the root. */
export class Applicable {
  readonly #root: Node;
  readonly #given: readonly unknown[];
  readonly #steps: Steps;
  readonly #inside = new Map<string | number, Applicable>();
  #inPlace: readonly Node[] | undefined;
  #found: Known | undefined;
  #names: ReadonlySet<string> | undefined;
  #longest: number | undefined;

  /** `steps`: what finding out may cost. Methods throw `TooComplex` if it costs more. */
  constructor(root: Node, steps: Steps, given: readonly unknown[] = [root]) {
    this.#root = root;
    this.#steps = steps;
    this.#given = given;
  }

  /** Of which types a value may be that one of the schemas takes. Undefined: of any type. */
  get types(): Types | undefined {
    return this.#given.length === 0 ? undefined : this.#known.any;
  }

  /** Whether no schema takes a text, and some take a number. */
  get isInteger(): boolean {
    return this.#known.isInteger;
  }

  get #known(): Known {
    if (this.#found === undefined) {
      const all = this.#given.map((schema) => typesOf(this.#root, schema, () => this.#steps.spend(1)));
      const limits = all.filter((types) => types !== undefined);
      const isInteger = limits.every((types) => types.has("integer") && !types.has("string"));
      this.#found = { any: oneOfThese(all), isInteger: limits.length > 0 && isInteger };
    }
    return this.#found;
  }

  /** For a member of an object, or an entry of a list. */
  inside(step: string | number): Applicable {
    const key = this.#keyOf(step);
    const known = this.#inside.get(key);
    if (known !== undefined) return known;
    const inside = new Set(schemasInside(this.#schemas, step));
    this.#steps.spend(this.#schemas.length + inside.size);
    const made = new Applicable(this.#root, this.#steps, [...inside]);
    this.#inside.set(key, made);
    return made;
  }

  get #schemas(): readonly Node[] {
    if (this.#inPlace === undefined) {
      this.#inPlace = schemasInPlace(this.#root, ...this.#given);
      this.#steps.spend(this.#inPlace.length);
    }
    return this.#inPlace;
  }

  /** The same schemas apply to all names that no schema declares, and to all entries after those of tuples. */
  #keyOf(step: string | number): string | number {
    if (typeof step === "number") return Math.min(step, this.#longestTuple());
    this.#names ??= new Set(this.#schemas.flatMap(({ properties }) => Object.keys(Object(properties))));
    return this.#names.has(step) ? `declared ${step}` : "another";
  }

  #longestTuple(): number {
    this.#longest ??= this.#schemas.reduce(
      (most, { prefixItems, items }) =>
        Math.max(most, ...[prefixItems, items].map((list) => (Array.isArray(list) ? list.length : 0))),
      0,
    );
    return this.#longest;
  }
}
