// Makes the texts of a stream well-formed. Servers may cut a text between the halves of a surrogate pair, so a first half
// waits for the next piece of the same text.
import { isObject, wellFormed } from "../../base";

type Loose = { [field: string]: unknown };

/** For one stream: returns each chunk with well-formed texts. */
export class Halves {
  /** First halves, by the text that they belong to. */
  readonly #waiting = new Map<string, string>();
  #last: Loose | undefined;

  chunk(chunk: Loose): Loose {
    this.#last = chunk;
    // Almost no chunk has one.
    if (this.#waiting.size === 0 && JSON.stringify(chunk).search(HALF) < 0) return chunk;
    const { choices, ...rest } = chunk;
    if (!Array.isArray(choices)) return wellFormed(chunk);
    const kept = choices.map((choice: unknown, at) => {
      if (!isObject(choice)) return choice;
      const { delta, ...more } = choice;
      const place = String(choice["index"] ?? at);
      return isObject(delta)
        ? { ...wellFormed(more), delta: this.#fields(place, delta) }
        : wellFormed(choice);
    });
    return { ...wellFormed(rest), choices: kept };
  }

  /** A last chunk with what waited in vain. */
  end(): Loose | undefined {
    const texts = [...this.#waiting.keys()]
      .map((place) => place.split("\n"))
      .filter((path) => path.length === 2);
    this.#waiting.clear();
    if (texts.length === 0) return undefined;
    const choices = texts.map(([index, field = ""]) => ({
      index: Number(index),
      delta: { [field]: "\uFFFD" },
    }));
    return { ...this.#last, usage: undefined, choices };
  }

  #fields(place: string, record: Loose): Loose {
    return Object.fromEntries(
      Object.entries(record).map(([field, value]) => [
        field.toWellFormed(),
        this.#value(`${place}\n${field}`, value),
      ]),
    );
  }

  #value(place: string, value: unknown): unknown {
    if (typeof value === "string") return this.#text(place, value);
    if (isObject(value)) return this.#fields(place, value);
    if (!Array.isArray(value)) return value;
    return value.map((item: unknown, at) =>
      isObject(item) ? this.#fields(`${place}\n${String(item["index"] ?? at)}`, item) : wellFormed(item),
    );
  }

  #text(place: string, piece: string): string {
    if (piece === "") return piece;
    const text = (this.#waiting.get(place) ?? "") + piece;
    this.#waiting.delete(place);
    const last = text.charCodeAt(text.length - 1);
    if (last < 0xd800 || last > 0xdbff) return text.toWellFormed();
    this.#waiting.set(place, text.slice(-1));
    return text.slice(0, -1).toWellFormed();
  }
}

/** `JSON.stringify` writes halves as escapes. An escaped backslash before one is a false alarm without harm. */
const HALF = /\\u[dD][89a-fA-F]/;
