// How old rows are for certain. Times in a row are those of the clock of the process that wrote it, which may have been
// wrong. So a row has the generation of its kind, and this process remembers which generation it has seen when, in its
// monotonic time.
import type { Clock } from "../base";
import { get, type Kind, query, type Store, type Transaction } from "./port";

const GENERATION = query<{ value: number }>("SELECT value FROM generations WHERE kind = ?");
/** How often the generation is read. */
const LOOK_MS = 60_000;

/** The generation after this transaction, which must touch the kind. */
export function* nextGeneration(kind: Kind): Transaction<number> {
  return ((yield* get(GENERATION, kind))?.value ?? 0) + 1;
}

export class Ages {
  readonly #store: Store;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #kind: Kind;
  readonly #ageMs: number;
  readonly #timer: ReturnType<typeof setInterval>;
  /** Oldest first. */
  #seen: { at: number; generation: number }[] = [];

  constructor(store: Store, clock: Pick<Clock, "monotonic">, kind: Kind, ageMs: number) {
    this.#store = store;
    this.#clock = clock;
    this.#kind = kind;
    this.#ageMs = ageMs;
    this.#timer = setInterval(() => void this.look().catch(() => undefined), LOOK_MS);
    this.#timer.unref();
  }

  /** Called regularly, and after this process has written a row. */
  async look(): Promise<void> {
    const generation = await this.#store.generation(this.#kind);
    if (generation !== this.#seen.at(-1)?.generation)
      this.#seen.push({ at: this.#clock.monotonic(), generation });
  }

  /** Rows of this generation and earlier ones are older than the given age. Undefined: this process has not run so long. */
  old(): number | undefined {
    const until = this.#clock.monotonic() - this.#ageMs;
    const last = this.#seen.findLastIndex(({ at }) => at <= until);
    if (last > 0) this.#seen = this.#seen.slice(last);
    return this.#seen[0] !== undefined && this.#seen[0].at <= until ? this.#seen[0].generation : undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
