// Caps on what one caller, user or project may have pending or running, so that none of them uses up what all share.
import { type LogFields, RecentMap } from "../base";
import type { KeyName } from "../config";
import type { Core } from "../core";
import { rateLimited, type RuntimeError } from "../errors";

/** The settings of caps. 0: no cap. */
export type LimitName = Extract<KeyName, `limits.${string}`>;

export interface OverLimit {
  /** What the cap counts for, as log fields: it identifies the counter. */
  scope: LogFields;
  /** For the caller: what is too much, and what to do. */
  message: string;
  retryAfterMs: number;
  /** False if the same request can never succeed. */
  shouldRetry?: boolean;
}

type LimitsCore = Pick<Core, "settings" | "clock" | "log" | "telemetry">;

/** The same counter is logged once in this time. */
const LOG_INTERVAL_MS = 60_000;
const LOGGED = 1000;

export class Limits {
  readonly #core: LimitsCore;
  /** Monotonic time of the last log line, by counter. */
  readonly #logged = new RecentMap<string, number>(LOGGED);
  readonly #running = new Map<string, number>();
  /** Of all scopes. */
  readonly #inAll = new Map<LimitName, number>();

  constructor(core: LimitsCore) {
    this.#core = core;
  }

  /** Infinite without a cap. */
  of(name: LimitName): number {
    return this.#core.settings[name] || Infinity;
  }

  /** The error for a caller who is over a cap. The setting is for the operator and goes to the log. */
  over(name: LimitName, { scope, message, retryAfterMs, shouldRetry }: OverLimit): RuntimeError {
    this.#log(name, scope);
    this.#core.telemetry.count("refusal", { setting: name });
    return rateLimited(message, { retryAfterMs, ...(shouldRetry === undefined ? {} : { shouldRetry }) });
  }

  /** Counts something that runs until it is disposed. Throws `rate_limited` if too many of the same scope run. */
  hold(name: LimitName, over: OverLimit): Disposable {
    const key = keyOf(name, over.scope);
    const running = this.#running.get(key) ?? 0;
    if (running >= this.of(name)) throw this.over(name, over);
    this.#running.set(key, running + 1);
    this.#inAll.set(name, this.running(name) + 1);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (held) this.#release(key, name);
        held = false;
      },
    };
  }

  /** How many things that this cap counts are running, in all scopes. */
  running(name: LimitName): number {
    return this.#inAll.get(name) ?? 0;
  }

  #release(key: string, name: LimitName): void {
    this.#inAll.set(name, this.running(name) - 1);
    const left = (this.#running.get(key) ?? 1) - 1;
    if (left === 0) this.#running.delete(key);
    else this.#running.set(key, left);
  }

  #log(name: LimitName, scope: LogFields): void {
    const { clock, log, settings } = this.#core;
    const key = keyOf(name, scope);
    const now = clock.monotonic();
    if (now < (this.#logged.get(key) ?? -Infinity) + LOG_INTERVAL_MS) return;
    this.#logged.set(key, now);
    log.warn("requests are refused: a limit is reached", { setting: name, value: settings[name], ...scope });
  }
}

function keyOf(name: LimitName, scope: LogFields): string {
  return `${name} ${JSON.stringify(scope)}`;
}
