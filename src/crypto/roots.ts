// The root keys that this process knows. While a rotation by another process is under way the old and the new one
// both wrap data keys for a moment: an unknown id makes us look at the key's file again.
import { internalError } from "../errors";
import { derive } from "./cipher";
import { findNextRootKey, findRootKey, type RootKey, type RootKeySettings } from "./root-key";

export class Roots {
  readonly #settings: RootKeySettings;
  readonly #wrapping = new Map<string, Uint8Array>();

  constructor(settings: RootKeySettings, first: RootKey) {
    this.#settings = settings;
    this.add(first);
  }

  add(root: RootKey): void {
    this.#wrapping.set(root.id, derive(Buffer.from(root.key.reveal(), "base64"), "wrapping of data keys"));
  }

  /** The key that wraps data keys under this root. Throws `internal_error` when the root is nowhere to be found. */
  wrappingOf(id: string): Uint8Array {
    const known = this.find(id);
    if (known === undefined)
      throw internalError("The root key was changed and the new one is not known here.");
    return known;
  }

  /** The same; undefined when it is nowhere to be found. */
  find(id: string): Uint8Array | undefined {
    return this.#wrapping.get(id) ?? this.#lookAgain(id);
  }

  // The file of the new key takes the place of the old one in one step. Who looks at both just then finds the new key in
  // neither, and looks at the first once more.
  #lookAgain(id: string): Uint8Array | undefined {
    const main = (): RootKey | undefined => findRootKey(this.#settings);
    for (const look of [main, () => findNextRootKey(this.#settings), main]) {
      const root = look();
      if (root !== undefined) this.add(root);
      const known = this.#wrapping.get(id);
      if (known !== undefined) return known;
    }
    return undefined;
  }
}
