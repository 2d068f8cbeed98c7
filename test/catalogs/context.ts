// A tool's context over an address and a token, for tests of catalogs without the runtime around them.
import { silentLog } from "../../src/base";
import { createEgress } from "../../src/egress";
import type {
  ConnectionCache,
  Grant,
  Json,
  MemoryKind,
  PlatformRequest,
  Remembered,
  ToolContext,
  ToolMemory,
} from "../../src/tools";

export interface ContextOptions {
  /** Address by base name. */
  bases: Readonly<Record<string, string>>;
  token: string;
  grant?: Partial<Grant>;
  signal?: AbortSignal;
  /** Milliseconds that the run has. Default 50,000. */
  timeMs?: number;
  /** Milliseconds that one request has. Default 30,000. */
  requestMs?: number;
  /** Contexts of one connection share its cache. Default: one of its own. */
  cache?: ConnectionCache;
  /** What survives a process. Default: nothing from other contexts. */
  memory?: ToolMemory;
  clock?: TestClock;
}

/** Time that stands still until somebody sleeps or moves it. */
export class TestClock {
  /** How long each sleep was, in milliseconds. */
  readonly sleeps: number[] = [];
  #now = Date.parse("2026-03-08T12:00:00Z");

  now = (): number => this.#now;
  monotonic = (): number => this.#now;

  move(ms: number): void {
    this.#now += ms;
  }

  /** Takes no time of the test's own. */
  sleep = async (ms: number): Promise<void> => {
    this.sleeps.push(ms);
    await Bun.sleep(0);
    this.move(ms);
  };
}

export function toolContext(options: ContextOptions): ToolContext {
  const clock = options.clock ?? new TestClock();
  const egress = createEgress({
    allow: ["loopback"],
    timeoutMs: options.requestMs ?? 30_000,
    maxBytes: 10_000_000,
    log: silentLog,
  });
  return {
    call: {
      id: "te_test",
      executionId: "tc_test",
      projectId: "default",
      userId: "alice",
      actor: "key:key_test",
    },
    fetch: (base, path, { anonymous, headers, timeoutMs = Infinity, ...request }: PlatformRequest = {}) =>
      egress.fetch(`${options.bases[base]}${path}`, {
        secretsFor: [new URL(options.bases[base] ?? "").origin],
        ...request,
        timeoutMs: Math.min(timeoutMs, options.requestMs ?? 30_000),
        headers: { ...headers, ...(anonymous ? {} : { authorization: `Bearer ${options.token}` }) },
      }),
    renew: async () => false,
    reportEffect: () => undefined,
    grant: { connectionId: "ac_test", scopes: [], facts: {}, ...options.grant },
    provider: { id: "test", clientId: "client" },
    publicUrl: "http://127.0.0.1:9099",
    secrets: {},
    userKeys: {},
    signal: options.signal ?? new AbortController().signal,
    deadline: clock.now() + (options.timeMs ?? 50_000),
    log: () => undefined,
    cache: options.cache ?? new TestCache(clock),
    memory: options.memory ?? new TestMemory(clock).of("own", "own"),
    now: clock.now,
    sleep: clock.sleep,
  };
}

export class TestCache implements ConnectionCache {
  readonly #clock: Pick<TestClock, "now">;
  readonly #values = new Map<string, { value: unknown; until: number }>();
  readonly #underWay = new Map<string, Promise<unknown>>();
  #lasting: TestCache | undefined;

  constructor(clock: Pick<TestClock, "now">) {
    this.#clock = clock;
  }

  get lasting(): TestCache {
    return (this.#lasting ??= new TestCache(this.#clock));
  }

  get<T>(key: string): T | undefined {
    const held = this.#values.get(key);
    // The caller says what it put there.
    return held !== undefined && held.until > this.#clock.now() ? (held.value as T) : undefined;
  }

  set(key: string, value: unknown, ttlMs: number): void {
    this.#values.set(key, { value, until: this.#clock.now() + ttlMs });
  }

  delete(key: string): void {
    this.#values.delete(key);
  }

  once<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = this.#underWay.get(key) ?? work().finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, running);
    return running as Promise<T>;
  }
}

/** What outlives the processes of a test. */
export class TestMemory {
  readonly #clock: Pick<TestClock, "now">;
  readonly #things = new Map<string, { parts: Map<number, Remembered>; keptMs: number; storedAt: number }>();

  constructor(clock: Pick<TestClock, "now">) {
    this.#clock = clock;
  }

  /** The memory of one connection, which shares that of its account. */
  of(connection: string, account: string): ToolMemory {
    const keyOf = (kind: MemoryKind, name: string): string =>
      JSON.stringify([kind.name, kind.of === "account" ? account : connection, name]);
    return {
      read: async (kind, name, from = 0) => {
        const thing = this.#things.get(keyOf(kind, name));
        if (thing === undefined || this.#clock.now() - thing.storedAt >= thing.keptMs) return [];
        return [...thing.parts.values()]
          .filter(({ part }) => part >= from)
          .toSorted((left, right) => left.part - right.part);
      },
      write: async (kind, name, part, value, keptMs, since) => {
        const storedAt = this.#clock.now();
        const known = this.#things.get(keyOf(kind, name));
        const isKept = known !== undefined && storedAt < known.storedAt + known.keptMs;
        const taken = isKept ? known.parts.get(part)?.storedAt : undefined;
        if (since !== undefined && taken !== undefined && taken >= since) return false;
        const { parts } = known ?? { parts: new Map<number, Remembered>() };
        // As it is stored: as text.
        const stored: Json = JSON.parse(JSON.stringify(value));
        parts.set(part, { part, value: stored, storedAt });
        this.#things.set(keyOf(kind, name), { parts, keptMs, storedAt });
        return true;
      },
      forget: async (kind, name) => void this.#things.delete(keyOf(kind, name)),
    };
  }
}
