// A pattern that spends the steps of its tests, and says so where a text is too long to be tested.
import { judgedPattern } from "./pattern";
import { ENGINE_STEPS_A_STEP, type Steps } from "./steps";

/** For the compiler, which calls only `test`. */
export class SpendingPattern extends RegExp {
  /** The pattern as the schema has it. */
  readonly original: string;
  readonly #longest: number;
  readonly #cost: (length: number) => number;
  readonly #form: RegExp | undefined;
  readonly #steps: Steps;

  constructor(pattern: string, steps: Steps) {
    super("");
    this.original = pattern;
    this.#steps = steps;
    // Undefined for one that an earlier version has stored.
    const judged = judgedPattern(pattern);
    this.#longest = judged?.longest ?? -1;
    this.#cost = judged?.steps ?? (() => 0);
    this.#form = judged === undefined ? undefined : new RegExp(pattern, "u");
  }

  /** Whether the text matches. One that is too long to be tested does, and `Steps.hasUntested` tells. */
  override test(text: string): boolean {
    if (this.#form === undefined || text.length > this.#longest) return this.#steps.leaveUntested();
    this.#steps.spend(this.#cost(text.length) / ENGINE_STEPS_A_STEP);
    return this.#form.test(text);
  }
}
