// Atomic writes of files, which a power loss does not undo.
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { keepOwner, syncFolder } from "../src/crypto/durable-file";

/** Replaces the file atomically. A symbolic link stays a link. Throws errors of the file system with the path of the file. */
export function replaceFile(file: string, text: string, mode: number): void {
  using draft = new FileDraft(file, mode);
  draft.replace(text);
}

/** The next content of a file, for which disk space can be taken before the content is known. */
export class FileDraft implements Disposable {
  readonly #file: string;
  readonly #mode: number;
  #open: { path: string; descriptor: number } | undefined;

  constructor(file: string, mode: number) {
    this.#file = file;
    this.#mode = mode;
  }

  /** Takes the space that the present content needs, and this many bytes more. Throws as `replaceFile` does. */
  reserve(bytes: number): void {
    const present = statSync(this.#file, { throwIfNoEntry: false })?.size ?? 0;
    // Not zeros, for which a file system may take no space.
    this.#write(Buffer.alloc(present + bytes, " "));
  }

  replace(text: string): void {
    const path = this.#write(Buffer.from(text));
    const target = this.#target();
    this.#named(() => {
      keepOwner(path, target);
      renameSync(path, target);
    });
    try {
      syncFolder(dirname(target));
    } catch {
      // The new content is in place already, so this is not a failure of the replacement.
    }
  }

  /** Removes a draft that was not put in place. */
  [Symbol.dispose](): void {
    if (this.#open === undefined) return;
    closeSync(this.#open.descriptor);
    rmSync(this.#open.path, { force: true });
  }

  // Overwrites what is reserved before it gives anything back.
  #write(bytes: Uint8Array): string {
    return this.#named(() => {
      const { path, descriptor } = (this.#open ??= this.#create());
      for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at, at);
      ftruncateSync(descriptor, bytes.length);
      fsyncSync(descriptor);
      return path;
    });
  }

  #create(): { path: string; descriptor: number } {
    const path = `${this.#target()}.${process.pid}.new`;
    return { path, descriptor: openSync(path, "w", this.#mode) };
  }

  #target(): string {
    return existsSync(this.#file) ? realpathSync(this.#file) : this.#file;
  }

  // Errors of writes do not name a file.
  #named<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw error instanceof Error ? Object.assign(error, { path: this.#file }) : error;
    }
  }
}

/** The permissions of a file; undefined if it does not exist. */
export function modeOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? undefined : found.mode & 0o777;
}
