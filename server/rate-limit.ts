// The rate limit of a credential: a token bucket per credential and process. It holds the calls of a minute and fills
// evenly, so that a caller who waits for `Retry-After` gets through.
import type { Clock } from "../src/base";
import type { Settings } from "../src/config";
import { rateLimited } from "../src/errors";
import { actorOf, type Principal } from "../src/identity";
import { noTelemetry, type Telemetry } from "../src/telemetry";

export interface RateLimit {
  /** Counts one request. Throws `rate_limited` with the time to wait. */
  take(principal: Principal): void;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MINUTE_MS = 60_000;
/** Above this number, full buckets are dropped: they are like new ones. */
const MANY = 10_000;

/** Undefined when calls are not limited, which is the default. */
export function rateLimitOf(
  { "http.rate_limit": perMinute }: Settings,
  clock: Clock,
  telemetry: Telemetry = noTelemetry,
): RateLimit | undefined {
  if (perMinute === 0) return undefined;
  const everyMs = MINUTE_MS / perMinute;
  const buckets = new Map<string, Bucket>();
  let sweepAt = MANY;
  const filled = ({ tokens, at }: Bucket, now: number): number =>
    Math.min(perMinute, tokens + Math.max(0, now - at) / everyMs);
  return {
    take: (principal) => {
      const now = clock.now();
      const name = `${principal.projectId} ${actorOf(principal)}`;
      const bucket = buckets.get(name) ?? { tokens: perMinute, at: now };
      // In case the clock was set back.
      bucket.at = Math.min(bucket.at, now);
      const tokens = filled(bucket, now);
      if (tokens < 1) {
        telemetry.count("refusal", { setting: "http.rate_limit" });
        throw rateLimited(
          `This credential may send ${perMinute} requests a minute (setting http.rate_limit). Wait, then try again.`,
          { retryAfterMs: Math.ceil((1 - tokens) * everyMs) },
        );
      }
      // Rarely, so that the cost per request stays constant.
      if (buckets.size >= sweepAt) {
        for (const [other, one] of buckets) if (filled(one, now) >= perMinute) buckets.delete(other);
        sweepAt = Math.max(MANY, 2 * buckets.size);
      }
      buckets.set(name, { tokens: tokens - 1, at: now });
    },
  };
}
