// Reads regular expressions, as far as the time that they take depends on it. Only for those that compile with the flag `u`.
import { ALL, ANY, type Characters, CLASSES, coarse, complement, union } from "./characters";

/** A part with how often it is repeated; `most` may be infinite. */
export interface Term {
  /** One character; a place (`^`, `$`); a border of a word; a group; something around the place. */
  part:
    | { kind: "characters"; characters: Characters }
    | { kind: "place"; isStart: boolean }
    | { kind: "border" }
    | { kind: "group"; body: Choice }
    | { kind: "around"; body: Choice; isBehind: boolean };
  least: number;
  most: number;
}

/** One of several sequences. */
export type Choice = readonly (readonly Term[])[];

/** Groups inside of each other. Real patterns have less than ten. */
const MOST_LEVELS = 40;

/**
 * Undefined for an expression with back references or flags inside, which no rule here covers, and for one that is nested too
 * deeply. Of what a look-behind contains, the order is reversed: it is matched from its end.
 */
export function parseExpression(pattern: string): Choice | undefined {
  try {
    const reader = new Reader([...pattern]);
    const choice = reader.choice();
    return reader.isAtEnd ? choice : undefined;
  } catch (error) {
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

class Unsupported extends Error {}

const ESCAPES: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, b: 8, "0": 0 };

class Reader {
  readonly #characters: readonly string[];
  #at = 0;
  #level = 0;

  constructor(characters: readonly string[]) {
    this.#characters = characters;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#characters.length;
  }

  choice(): Choice {
    const sequences: Term[][] = [[]];
    while (!this.isAtEnd && this.#peek() !== ")") {
      if (this.#take("|")) sequences.push([]);
      else sequences.at(-1)?.push(this.#term());
    }
    return sequences;
  }

  #term(): Term {
    const part = this.#part();
    const [least, most] = this.#times();
    return { part, least, most };
  }

  #part(): Term["part"] {
    const character = this.#next();
    if (character === "^" || character === "$") return { kind: "place", isStart: character === "^" };
    if (character === ".") return { kind: "characters", characters: ANY };
    if (character === "[") return { kind: "characters", characters: this.#class() };
    if (character === "(") return this.#group();
    if (character !== "\\") return { kind: "characters", characters: only(character) };
    if (this.#take("b") || this.#take("B")) return { kind: "border" };
    if (/[1-9k]/.test(this.#peek())) throw new Unsupported();
    return { kind: "characters", characters: this.#escaped() ?? ALL };
  }

  #group(): Term["part"] {
    let kind: "group" | "around" = "group";
    let isBehind = false;
    if (this.#take("?")) {
      isBehind = this.#peek() === "<" && /[=!]/.test(this.#peek(1));
      if (isBehind) this.#next();
      if (/[=!]/.test(this.#peek())) kind = "around";
      if (kind === "around" || this.#peek() === ":") this.#next();
      else if (this.#take("<")) while (this.#next() !== ">");
      else throw new Unsupported();
    }
    if (++this.#level > MOST_LEVELS) throw new Unsupported();
    const body = this.choice();
    this.#level--;
    this.#next();
    return kind === "group" ? { kind, body } : { kind, body: isBehind ? reversed(body) : body, isBehind };
  }

  #times(): [number, number] {
    const character = this.#peek();
    let times: [number, number] = [1, 1];
    if (character === "*") times = [0, Infinity];
    else if (character === "+") times = [1, Infinity];
    else if (character === "?") times = [0, 1];
    else if (character !== "{") return times;
    this.#next();
    if (character === "{") times = this.#numbers();
    this.#take("?");
    return times;
  }

  #numbers(): [number, number] {
    let text = "";
    for (let character = this.#next(); character !== "}"; character = this.#next()) text += character;
    const [least = "0", most = least] = text.split(",");
    return [Number(least), most === "" ? Infinity : Number(most)];
  }

  #class(): Characters {
    const isNegated = this.#take("^");
    const sets: Characters[] = [];
    let isKnown = true;
    while (!this.#take("]")) {
      const first = this.#classAtom();
      const isRange = this.#peek() === "-" && this.#peek(1) !== "]";
      if (isRange) this.#next();
      const last = isRange ? this.#classAtom() : first;
      if (first === undefined || last === undefined) isKnown = false;
      else sets.push(isRange ? between(first, last) : first);
    }
    // The complement of a guess that is too large would be too small.
    if (!isKnown) return ALL;
    const set = union(...sets);
    return coarse(isNegated ? complement(set) : set);
  }

  #classAtom(): Characters | undefined {
    const character = this.#next();
    return character === "\\" ? this.#escaped() : only(character);
  }

  /** Undefined for a property, whose characters are not known here. */
  #escaped(): Characters | undefined {
    const letter = this.#next();
    const known = CLASSES[letter];
    if (known !== undefined) return known;
    const code = ESCAPES[letter];
    if (code !== undefined) return [[code, code]];
    if (letter === "p" || letter === "P") {
      while (this.#next() !== "}");
      return undefined;
    }
    if (letter === "x") return this.#code(2);
    if (letter === "c") return only(String.fromCharCode(this.#next().charCodeAt(0) % 32));
    if (letter !== "u") return only(letter);
    if (!this.#take("{")) return this.#unit();
    let text = "";
    for (let character = this.#next(); character !== "}"; character = this.#next()) text += character;
    const point = Number.parseInt(text, 16);
    return [[point, point]];
  }

  #code(digits: number): Characters {
    let text = "";
    for (let count = 0; count < digits; count++) text += this.#next();
    const code = Number.parseInt(text, 16);
    return [[code, code]];
  }

  // Two escapes of halves of a pair are one character.
  #unit(): Characters {
    const first = this.#code(4);
    const [[high]] = first as [[number, number]];
    if (high < 0xd800 || high > 0xdbff || this.#peek() !== "\\" || this.#peek(1) !== "u") return first;
    const before = this.#at;
    this.#at += 2;
    if (this.#peek() !== "{") {
      const [[low]] = this.#code(4) as [[number, number]];
      if (low >= 0xdc00 && low <= 0xdfff) {
        const point = (high - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000;
        return [[point, point]];
      }
    }
    this.#at = before;
    return first;
  }

  #peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? "";
  }

  #next(): string {
    const character = this.#characters[this.#at++];
    // What compiles never ends in the middle of something: a guard against endless loops.
    if (character === undefined) throw new Unsupported();
    return character;
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at++;
    return true;
  }
}

function only(character: string): Characters {
  const point = character.codePointAt(0) ?? 0;
  return [[point, point]];
}

function between(first: Characters, last: Characters): Characters {
  return [[first[0]?.[0] ?? 0, last.at(-1)?.[1] ?? 0]];
}

function reversed(choice: Choice): Choice {
  return choice.map((sequence) =>
    sequence.toReversed().map((term) => {
      const { part } = term;
      return part.kind === "group" ? { ...term, part: { ...part, body: reversed(part.body) } } : term;
    }),
  );
}
