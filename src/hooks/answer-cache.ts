// What an access hook has answered, for a while. It lives as long as its loaded hook: any change of hooks or plugins
// makes new ones, with nothing in them. Failures are never kept.
import { type Clock, stillCounts } from "../base";
import { hashOf } from "../crypto";
import type { Tool } from "../tools";
import type { Filter } from "./answers";

const MOST_ANSWERS = 1000;

export class AnswerCache {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #answers = new Map<string, { filter: Filter; from: number }>();

  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  get(key: string): Filter | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined || !stillCounts(answer.from, this.#ttlMs, this.#clock.now())) return undefined;
    return answer.filter;
  }

  set(key: string, filter: Filter): void {
    this.#answers.delete(key);
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size < MOST_ANSWERS) break;
      this.#answers.delete(oldest);
    }
    this.#answers.set(key, { filter, from: this.#clock.now() });
  }
}

/** User and tool set, as one text. */
export function questionKey(userId: string, tools: readonly Tool[]): string {
  return hashOf(JSON.stringify([userId, ...tools.map(({ fullyQualifiedName }) => fullyQualifiedName)]));
}
