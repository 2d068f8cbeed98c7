// The root keys that this process has read. During a rotation by another process, data keys may be wrapped with the old or
// the new one, so an unknown id makes this process read the key files again.
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

  /** The wrapping key of a root key. Throws `internal_error` if the root key is not found. */
  wrappingOf(id: string): Uint8Array {
    const known = this.find(id);
    if (known === undefined)
      throw internalError("The root key was changed and this process cannot find the new one.");
    return known;
  }

  /** The same; undefined if the root key is not found. */
  find(id: string): Uint8Array | undefined {
    return this.#wrapping.get(id) ?? this.#readAgain(id);
  }

  // The new key's file replaces the old one by a rename. A process that reads both files around the rename may find the
  // new key in neither, so it reads the first file twice.
  #readAgain(id: string): Uint8Array | undefined {
    const main = (): RootKey | undefined => findRootKey(this.#settings);
    for (const read of [main, () => findNextRootKey(this.#settings), main]) {
      const root = read();
      if (root !== undefined) this.add(root);
      const known = this.#wrapping.get(id);
      if (known !== undefined) return known;
    }
    return undefined;
  }
}
