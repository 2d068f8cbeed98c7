// Limits bad credentials: for each client address, and for each prefix of a key, which many addresses may try. Only those
// that are wrong are counted and refused, so a good credential works from the same address.
import { type Clock, RecentMap } from "../src/base";
import { EgressError } from "../src/egress";
import { RuntimeError } from "../src/errors";
import { keyPrefixOf } from "../src/identity";
import type { Limits } from "../src/limits";
import { networkOf } from "./client-address";

/** How many may come at once, in seconds of the limit. */
const BURST_S = 5;
/** Counters that are kept. Older ones are forgotten, which gives their owners another burst. */
const COUNTERS = 25_000;
const SETTING = "limits.bad_credentials";

export class BadCredentials {
  readonly #limits: Limits;
  readonly #clock: Pick<Clock, "monotonic">;
  /** By address or prefix: when its bucket is full again, monotonic time. */
  readonly #fullAt = new RecentMap<string, number>(COUNTERS);

  constructor(limits: Limits, clock: Pick<Clock, "monotonic">) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The error for the caller: `error` itself, or `rate_limited` if it is about one bad credential too many. */
  counted(error: unknown, request: Request, address: string | undefined): unknown {
    const credential = request.headers.get("authorization")?.trim() ?? "";
    return isAboutCredential(error) && credential !== ""
      ? (this.#refusal(address, keyPrefixOf(credential)) ?? error)
      : error;
  }

  /** Counts a wrong secret in an address or form. Throws `rate_limited` if it is one too many. */
  count(address: string | undefined): void {
    const refusal = this.#refusal(address, undefined);
    if (refusal !== undefined) throw refusal;
  }

  /** Throws `rate_limited` if one more from this address would be one too many. Counts none. */
  require(address: string | undefined): void {
    if (address === undefined) return;
    const scope = { address: networkOf(address) };
    const wait = this.#waitFor(JSON.stringify(scope)).wait;
    if (wait > 0) throw this.#over(scope, wait);
  }

  #refusal(address: string | undefined, prefix: string | undefined): RuntimeError | undefined {
    const scopes = [
      ...(address === undefined ? [] : [{ address: networkOf(address) }]),
      ...(prefix === undefined ? [] : [{ key_prefix: prefix }]),
    ];
    // Each counter takes it, whatever the others say.
    const waits = scopes.map((scope) => ({ scope, wait: this.#take(JSON.stringify(scope)) }));
    const [longest] = waits.toSorted((left, right) => right.wait - left.wait);
    if (longest === undefined || longest.wait <= 0) return undefined;
    return this.#over(longest.scope, longest.wait);
  }

  #over(scope: Record<string, string>, retryAfterMs: number): RuntimeError {
    return this.#limits.over(SETTING, {
      scope,
      message: "Too many bad credentials were sent. Check the credential, then try again later.",
      retryAfterMs,
      shouldRetry: false,
    });
  }

  /** Takes one from a bucket. Returns the time until there is one, ms; 0 if there was one. */
  #take(counter: string): number {
    const { wait, fullAt } = this.#waitFor(counter);
    if (wait === 0 && fullAt !== undefined) this.#fullAt.set(counter, fullAt);
    return wait;
  }

  /** The time until a bucket has one, ms, and when the bucket is full again if one is taken now. */
  #waitFor(counter: string): { wait: number; fullAt?: number } {
    const perSecond = this.#limits.of(SETTING);
    if (perSecond === Infinity) return { wait: 0 };
    const everyMs = 1000 / perSecond;
    const now = this.#clock.monotonic();
    const fullAt = Math.max(this.#fullAt.get(counter) ?? now, now) + everyMs;
    const wait = fullAt - now - BURST_S * 1000;
    // Half an interval is for rounding.
    return { wait: wait > everyMs / 2 ? wait : 0, fullAt };
  }
}

// If the identity provider cannot be reached, the credential may be good.
function isAboutCredential(error: unknown): boolean {
  return (
    error instanceof RuntimeError &&
    error.name === "invalid_authorization" &&
    !(error.cause instanceof EgressError)
  );
}
