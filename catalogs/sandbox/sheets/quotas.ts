// Calls per person and minute, counted in fixed minutes. Off unless a test sets them.
import { errorInfo, PlatformError } from "./platform-error";

const MINUTE_MS = 60_000;

export interface QuotaSettings {
  readonly reads?: number;
  readonly writes?: number;
}

export class Quotas {
  settings: QuotaSettings;
  readonly #now: () => number;
  readonly #spent = new Map<string, number>();

  constructor(settings: QuotaSettings, now: () => number) {
    this.settings = settings;
    this.#now = now;
  }

  /** Throws 429 if the person's quota of this minute is exhausted. */
  spend(person: string, quota: "reads" | "writes"): void {
    const limit = this.settings[quota] ?? Infinity;
    const key = `${person} ${quota} ${Math.floor(this.#now() / MINUTE_MS)}`;
    const spent = (this.#spent.get(key) ?? 0) + 1;
    if (spent > limit) throw quotaExceeded(quota);
    this.#spent.set(key, spent);
  }
}

export function quotaExceeded(quota: "reads" | "writes"): PlatformError {
  const name = quota === "reads" ? "Read" : "Write";
  return new PlatformError(
    429,
    `Quota exceeded for quota metric '${name} requests' and limit '${name} requests per minute per user' of service 'sheets.googleapis.com' for consumer 'project_number:1'.`,
    { status: "RESOURCE_EXHAUSTED", details: [errorInfo("RATE_LIMIT_EXCEEDED")] },
  );
}
