// Values that must not be printed. Redaction is by type, not by pattern.

const NOTICE = "[redacted]";
const inspect = Symbol.for("nodejs.util.inspect.custom");

/** A token, secret or key. Prints as `[redacted]` everywhere; only `reveal` returns the text. */
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

/** The text of a value that may be redacted. Only for sending it to the platform that it belongs to. */
export function reveal(value: string | Redacted): string {
  return value instanceof Redacted ? value.reveal() : value;
}
