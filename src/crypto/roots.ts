// The root keys that this process has read. During a rotation by another process, data keys may be wrapped with the old or
// the new one, so an unknown id makes this process read the key files again.
import { internalError } from "../errors";
import { derive } from "./cipher";
import type { RootKey, RootKeySettings } from "./root-key";
import { findRootKeyById } from "./root-key-files";

const LOOK_AGAIN_MS = 30_000;

interface Known {
  root: RootKey;
  /** Wraps data keys. */
  wrapping: Uint8Array;
}

export class Roots {
  readonly #settings: RootKeySettings;
  readonly #known = new Map<string, Known>();
  readonly #lookAgainAt = new Map<string, number>();

  constructor(settings: RootKeySettings, first: RootKey) {
    this.#settings = settings;
    this.add(first);
  }

  add(root: RootKey): void {
    this.#known.set(root.id, { root, wrapping: derivedFrom(root, "wrapping of data keys") });
  }

  /** The wrapping key of a root key. Throws `internal_error` if the root key is not found. */
  wrappingOf(id: string): Uint8Array {
    return this.#named(id).wrapping;
  }

  /** 32 bytes for one purpose, derived from a root key. Throws `internal_error` if it is not found. */
  derived(id: string, purpose: string): Uint8Array {
    return derivedFrom(this.#named(id).root, purpose);
  }

  /** The same; undefined if the root key is not found. */
  find(id: string): Uint8Array | undefined {
    return this.#find(id)?.wrapping;
  }

  #named(id: string): Known {
    const known = this.#find(id);
    if (known === undefined)
      throw internalError("The root key was changed and this process cannot find the new one.");
    return known;
  }

  #find(id: string): Known | undefined {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    // Commands block this process while they run, so an id that they did not yield is not looked up again at once.
    const isSlow = this.#settings.sources !== undefined;
    if (isSlow && performance.now() < (this.#lookAgainAt.get(id) ?? 0)) return undefined;
    const root = findRootKeyById(this.#settings, id);
    if (root !== undefined) this.add(root);
    else if (isSlow) this.#lookAgainAt.set(id, performance.now() + LOOK_AGAIN_MS);
    return this.#known.get(id);
  }
}

/** 32 bytes for one purpose. */
export function derivedFrom({ key }: RootKey, purpose: string): Uint8Array {
  return derive(Buffer.from(key.reveal(), "base64"), purpose);
}
