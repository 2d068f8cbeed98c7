// A value that must not be printed. Redaction goes by type, not by pattern: what holds a token says so.

const NOTICE = "[redacted]";
const inspect = Symbol.for("nodejs.util.inspect.custom");

/** A token, secret or key. Prints as `[redacted]` everywhere; `reveal` is the one way to the text. */
export class Redacted {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return NOTICE;
  }

  toJSON(): string {
    return NOTICE;
  }

  [inspect](): string {
    return NOTICE;
  }
}

/** The text of a value that may be redacted. For the border where it leaves for its own platform only. */
export function reveal(value: string | Redacted): string {
  return value instanceof Redacted ? value.reveal() : value;
}
