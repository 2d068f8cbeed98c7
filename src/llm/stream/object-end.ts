// Notices when a JSON object that arrives in pieces is complete. Parsing the text so far for each piece would take
// quadratic time.
import { isObject } from "../../base";

export class ObjectEnd {
  #depth = 0;
  #quoted = false;
  #escaped = false;
  /** Whether the outermost bracket was closed, and only spaces follow. */
  #closed = false;
  #whole: boolean | undefined;

  /** Adds a piece. Once something follows the end of the object, it is never whole. */
  add(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const character = piece.charAt(at);
      if (this.#closed && character.trim() !== "") this.#whole = false;
      else if (this.#escaped) this.#escaped = false;
      else if (character === "\\") this.#escaped = this.#quoted;
      else if (character === '"') this.#quoted = !this.#quoted;
      else if (!this.#quoted) this.#bracket(character);
    }
  }

  /** Whether the text, which is that of all pieces, is one object. */
  isWhole(text: string): boolean {
    return this.#closed && (this.#whole ??= isObjectText(text));
  }

  #bracket(character: string): void {
    if (character === "{" || character === "[") this.#depth++;
    else if (character === "}" || character === "]") this.#closed = --this.#depth <= 0;
  }
}

function isObjectText(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false;
  }
}
