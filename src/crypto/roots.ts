// The root keys that this process has read. During a rotation by another process, data keys may be wrapped with the old or
// the new one, so an unknown id makes this process read the key files again.
import { internalError } from "../errors";
import { derive } from "./cipher";
import type { RootKey, RootKeySettings } from "./root-key";
import { findRootKeyById } from "./root-key-files";

const LOOK_AGAIN_MS = 30_000;

export class Roots {
  readonly #settings: RootKeySettings;
  readonly #wrapping = new Map<string, Uint8Array>();
  readonly #lookAgainAt = new Map<string, number>();

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
    const known = this.#wrapping.get(id);
    if (known !== undefined) return known;
    // Commands block this process while they run, so an id that they did not yield is not looked up again at once.
    const isSlow = this.#settings.sources !== undefined;
    if (isSlow && performance.now() < (this.#lookAgainAt.get(id) ?? 0)) return undefined;
    const root = findRootKeyById(this.#settings, id);
    if (root !== undefined) this.add(root);
    else if (isSlow) this.#lookAgainAt.set(id, performance.now() + LOOK_AGAIN_MS);
    return this.#wrapping.get(id);
  }
}
