// Notices that the credential of a call has been revoked or has expired while the call runs.
import { type Alarm, LazyAbort, setAlarm } from "../src/base";
import { invalidAuthorization } from "../src/errors";
import type { Principal } from "../src/identity";
import type { Runtime } from "../src/runtime";

/** Most calls are done by then, and need no watch. */
const WATCHED_AFTER_MS = 500;

/** Aborts when the credential has stopped working, until it is disposed. */
export class Revocation extends LazyAbort {
  readonly #requireCurrent: () => Promise<void>;
  readonly #alarm: Alarm;
  #unwatch: (() => void) | undefined;
  #isHeld = false;

  constructor({ identity }: Runtime, principal: Principal) {
    super();
    this.#requireCurrent = () => identity.requireCurrent(principal);
    this.#alarm = setAlarm(WATCHED_AFTER_MS, () => {
      this.#unwatch = identity.watch(principal, () => this.abort());
    });
  }

  /** The answer is a stream: the watch goes on until the returned function is called. */
  hold(): () => void {
    this.#isHeld = true;
    return () => this[Symbol.dispose]();
  }

  /**
   * The result of the work. Throws `invalid_authorization` instead, whatever the outcome, if the credential stopped
   * working meanwhile.
   */
  async during<T>(work: () => Promise<T> | T): Promise<T> {
    try {
      const value = await work();
      if (!this.aborted) return value;
    } catch (error) {
      this[Symbol.dispose]();
      if (this.aborted) throw revoked();
      // Its records may be missing because the project was deleted.
      await this.#requireCurrent();
      throw error;
    } finally {
      if (!this.#isHeld) this[Symbol.dispose]();
    }
    throw revoked();
  }

  [Symbol.dispose](): void {
    this.#alarm.cancel();
    this.#unwatch?.();
  }
}

export function revoked(): Error {
  return invalidAuthorization("The API key was revoked or has expired while the call was running.");
}
