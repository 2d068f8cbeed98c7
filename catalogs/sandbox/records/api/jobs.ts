// Bulk read jobs: they are completed after a number of polls.
import type { Person } from "../people";

const MINUTE_MS = 60_000;
const PER_MINUTE = 5;

export interface Job {
  readonly id: string;
  readonly person: Person;
  readonly place: string;
  readonly count: number;
  readonly createdAt: number;
  /** Continues the job of this cursor; null if nothing remains. */
  readonly cursor: string | null;
  pollsLeft: number;
}

export class Jobs {
  /** The number of polls before a job is completed. */
  polls = 2;
  readonly #jobs = new Map<string, Job>();
  readonly #cursors = new Map<string, { place: string; rest: number }>();
  readonly #now: () => number;
  readonly #nextId: () => string;

  constructor(now: () => number, nextId: () => string) {
    this.#now = now;
    this.#nextId = nextId;
  }

  /** Whether the person may start another job in this minute. */
  mayStart(person: Person): boolean {
    const since = this.#now() - MINUTE_MS;
    return (
      [...this.#jobs.values()].filter((job) => job.person === person && job.createdAt > since).length <
      PER_MINUTE
    );
  }

  /** `total`: the number of records to export; a job takes at most `most`. */
  start(person: Person, place: string, total: number, most: number): Job {
    const rest = Math.max(0, total - most);
    const cursor = rest === 0 ? null : crypto.randomUUID();
    if (cursor !== null) this.#cursors.set(cursor, { place, rest });
    const job: Job = {
      id: this.#nextId(),
      person,
      place,
      count: total - rest,
      createdAt: this.#now(),
      cursor,
      pollsLeft: this.polls,
    };
    this.#jobs.set(job.id, job);
    return job;
  }

  /** The number of remaining records of a cursor; undefined for a cursor of another report. */
  rest(cursor: string, place: string): number | undefined {
    const known = this.#cursors.get(cursor);
    return known?.place === place ? known.rest : undefined;
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id);
  }
}
