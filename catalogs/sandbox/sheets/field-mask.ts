// The `fields` parameter: selected parts of an answer. Written `a,b(c,d)`, `a.b` or `a/b`, with any nesting.
import { isRecord, type JsonRecord } from "../chat/json";

/** Names that an answer may have; `true` for a field without known names inside. */
export type Shape = { readonly [name: string]: Shape | true };

/** A selection: names with their selections; "all" for a whole field. */
export type Mask = "all" | { [name: string]: Mask };

/** The unknown name, or undefined for a syntax error. */
export class MaskError extends Error {
  readonly path: string;

  constructor(path: string) {
    super(path);
    this.path = path;
  }
}

/** Throws `MaskError` for an unknown name and for invalid syntax. */
export function parseMask(text: string, shape: Shape): Mask {
  const reader = new Reader(text);
  const mask = reader.list();
  if (!reader.done) throw new MaskError(text);
  check(mask, shape, "");
  return mask;
}

/** Whether anything inside this path is selected. */
export function wants(mask: Mask, ...path: readonly string[]): boolean {
  let inner: Mask | undefined = mask;
  for (const name of path) {
    if (inner === "all") return true;
    inner = inner?.[name] ?? inner?.["*"];
  }
  return inner !== undefined;
}

/** The selected parts. The mask applies to each item of a list. */
export function masked(value: unknown, mask: Mask): unknown {
  if (mask === "all") return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  if (!isRecord(value)) return value;
  const kept: JsonRecord = {};
  for (const [name, inner] of Object.entries(value)) {
    const wanted = mask[name] ?? mask["*"];
    if (wanted !== undefined) kept[name] = masked(inner, wanted);
  }
  return kept;
}

function check(mask: Mask, shape: Shape | true, path: string): void {
  if (mask === "all") return;
  for (const [name, inner] of Object.entries(mask)) {
    if (name === "*") continue;
    const known = shape === true ? undefined : shape[name];
    if (known === undefined) throw new MaskError(path + name);
    check(inner, known, `${path}${name}.`);
  }
}

class Reader {
  readonly #tokens: string[];

  constructor(text: string) {
    this.#tokens = text.match(/[A-Za-z0-9_]+|\*|[(),./]|\S/g) ?? [];
  }

  get done(): boolean {
    return this.#tokens.length === 0;
  }

  /** `a,b(c)` */
  list(): Mask {
    const mask: { [name: string]: Mask } = {};
    do {
      const [name, inner] = this.#item();
      mask[name] = merged(mask[name], inner);
    } while (this.#take(","));
    return mask;
  }

  #item(): [string, Mask] {
    const name = this.#tokens.shift() ?? "";
    if (!/^(\w+|\*)$/.test(name)) throw new MaskError(name);
    if (this.#take(".") || this.#take("/")) {
      const [inner, mask] = this.#item();
      return [name, { [inner]: mask }];
    }
    if (!this.#take("(")) return [name, "all"];
    const inner = this.list();
    if (!this.#take(")")) throw new MaskError(name);
    return [name, inner];
  }

  #take(sign: string): boolean {
    if (this.#tokens[0] !== sign) return false;
    this.#tokens.shift();
    return true;
  }
}

function merged(one: Mask | undefined, other: Mask): Mask {
  if (one === undefined) return other;
  if (one === "all" || other === "all") return "all";
  const both = { ...one };
  for (const [name, inner] of Object.entries(other)) both[name] = merged(both[name], inner);
  return both;
}
