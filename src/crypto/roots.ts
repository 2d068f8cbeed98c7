// The root keys that this process knows. While a rotation by another process is under way the old and the new one
// both wrap data keys for a moment: an unknown id makes us look at the key's file again.
import { existsSync } from "node:fs";
import { internalError } from "../errors";
import { derive } from "./cipher";
import { findRootKey, nextFileOf, readRootKey, type RootKey, type RootKeySettings } from "./root-key";

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
    const known = this.#wrapping.get(id) ?? this.#lookAgain(id);
    if (known === undefined)
      throw internalError("The root key was changed and the new one is not known here.");
    return known;
  }

  #lookAgain(id: string): Uint8Array | undefined {
    const current = findRootKey(this.#settings);
    if (current !== undefined) this.add(current);
    const next = nextFileOf(this.#settings);
    if (next !== undefined && !this.#wrapping.has(id) && existsSync(next)) this.add(readRootKey(next));
    return this.#wrapping.get(id);
  }
}
