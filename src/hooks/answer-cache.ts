// What an access hook has answered, for a while. It lives as long as its loaded hook: any change of hooks or plugins
// makes new ones, with nothing in them. Failures are never kept.
import type { Clock } from "../base";
import { hashOf } from "../crypto";
import type { Tool } from "../tools";
import type { Filter } from "./answers";

const MOST_ANSWERS = 1000;

export class AnswerCache {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #answers = new Map<string, { filter: Filter; until: number }>();

  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  get(key: string): Filter | undefined {
    const answer = this.#answers.get(key);
    return answer === undefined || answer.until <= this.#clock.now() ? undefined : answer.filter;
  }

  set(key: string, filter: Filter): void {
    this.#answers.delete(key);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size < MOST_ANSWERS) break;
      this.#answers.delete(oldest);
    }
    this.#answers.set(key, { filter, until: this.#clock.now() + this.#ttlMs });
  }
}

/** User and tool set, as one text. */
export function questionKey(userId: string, tools: readonly Tool[]): string {
  return hashOf(JSON.stringify([userId, ...tools.map(({ fullyQualifiedName }) => fullyQualifiedName)]));
}
