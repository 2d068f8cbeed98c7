// How many calls of a method the platform accepts in a minute, from all users of an app in a workspace together.

export interface Rate {
  readonly methods: readonly string[];
  /** Accepted calls in each window of a minute. */
  readonly perMinute: number;
  /** The argument by whose values the platform counts separately. */
  readonly countedBy?: string;
  readonly source: string;
}

const TIERS = "https://docs.slack.dev/apis/web-api/rate-limits (tiers 2 to 4, per method, app and workspace)";

export const RATES: readonly Rate[] = [
  { methods: ["conversations.list", "users.list"], perMinute: 20, source: TIERS },
  {
    methods: ["users.conversations", "conversations.history", "conversations.info", "users.lookupByEmail"],
    perMinute: 50,
    source: `${TIERS}; users.conversations: korotovsky/slack-mcp-server#220`,
  },
  { methods: ["users.info", "conversations.members"], perMinute: 100, source: TIERS },
  {
    methods: ["chat.postMessage"],
    perMinute: 60,
    countedBy: "channel",
    source: `${TIERS}: one message a second and channel, with short bursts`,
  },
];

const MINUTE_MS = 60_000;

/** Counts calls in hard windows: the first call of a window begins it. */
export class RateWindows {
  readonly #now: () => number;
  readonly #windows = new Map<string, { since: number; calls: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a call; the seconds for `Retry-After` if it is one too many. */
  refuse(method: string, params: Readonly<Record<string, string>>): number | null {
    const rate = RATES.find(({ methods }) => methods.includes(method));
    if (rate === undefined) return null;
    const counted = rate.countedBy === undefined ? "" : (params[rate.countedBy] ?? "");
    const key = `${method} ${counted}`;
    const now = this.#now();
    const known = this.#windows.get(key);
    const window = known === undefined || now >= known.since + MINUTE_MS ? { since: now, calls: 0 } : known;
    this.#windows.set(key, window);
    window.calls++;
    return window.calls <= rate.perMinute ? null : Math.ceil((window.since + MINUTE_MS - now) / 1000);
  }
}
