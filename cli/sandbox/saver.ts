// Writes what the next start needs: soon after each change, because a process may be killed at any time.
import type { Sandbox } from "../../catalogs/sandbox";
import { notWritable, type SandboxFolder } from "./folder";
import { newState, type State, writeState } from "./state";

/** Changes within this time are written together. */
const TOGETHER_MS = 50;

export class Saver {
  readonly #folder: SandboxFolder;
  #sandbox: Sandbox | undefined;
  #fixed: Pick<State, "keys" | "port"> = {};
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: SandboxFolder) {
    this.#folder = folder;
  }

  /** The first start is complete: from now on, a later start goes on with its data. */
  async begin(sandbox: Sandbox, fixed: Required<Pick<State, "keys" | "port">>): Promise<void> {
    this.#sandbox = sandbox;
    this.#fixed = fixed;
    await this.#write();
  }

  /** Writes within a moment. */
  later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // A full disk must not end the sandbox; the next change is written again.
      this.#write().catch(() => undefined);
    }, TOGETHER_MS);
  }

  /** Writes the last changes. Throws `configuration` if that fails. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#write();
    } catch (error) {
      throw notWritable(this.#folder.path, error);
    }
  }

  // One after the other, so that an older state does not replace a newer one.
  #write(): Promise<void> {
    const written = this.#writing.then(async () => {
      if (this.#sandbox === undefined) return;
      const platforms = await this.#sandbox.saved();
      writeState(this.#folder.path, { ...newState(), ...this.#fixed, platforms });
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }
}
