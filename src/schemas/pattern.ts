// Whether a regular expression from outside can be used: it runs without a time limit, and blocks the process meanwhile.
//
// An engine that tries one alternative after the other needs exponential time if a repeated group can match the same text
// in several ways, and polynomial time if neighbouring repetitions can share a text between them in several ways. So an
// expression is used only if no repeated group has a choice, and only for texts for which the number of ways is small.
import { ALL, type Characters, NONE, overlap, union } from "./characters";
import { type Choice, parseExpression, type Term } from "./expression";
import { PatternFacts } from "./pattern-facts";

const LONGEST_PATTERN = 1000;
/** Steps of the engine for one test. */
const MOST_STEPS = 10_000_000;
/** For texts that must be shorter than this, an expression is not worth having. */
const SHORTEST_TEXT = 100;
/** Repetitions of a group with choices that are tried one by one. */
const MOST_REPETITIONS = 10;
/** Of these, the judgements are remembered: the schemas of a catalog repeat their patterns. */
const MOST_REMEMBERED = 1000;

/** How long a test takes. */
export interface Judgement {
  /** The length of the longest text that can be tested in a short time; may be infinite. */
  longest: number;
  /** The most steps that the engine takes for a text of a length. */
  steps(length: number): number;
}

const judgements = new Map<string, Judgement | undefined>();

/**
 * What a test of the pattern costs; undefined for a pattern that does not compile (as the check compiles it), or that may take
 * exponential time.
 */
export function judgedPattern(pattern: unknown): Judgement | undefined {
  if (typeof pattern !== "string" || pattern.length > LONGEST_PATTERN) return undefined;
  if (judgements.has(pattern)) return judgements.get(pattern);
  const judged = judge(pattern);
  if (judgements.size >= MOST_REMEMBERED) judgements.clear();
  judgements.set(pattern, judged);
  return judged;
}

/** The length of the longest text that the pattern can be tested against in a short time; undefined if it is not used. */
export function longestText(pattern: unknown): number | undefined {
  return judgedPattern(pattern)?.longest;
}

function judge(pattern: string): Judgement | undefined {
  const choice = parseExpression(pattern);
  if (choice === undefined) return undefined;
  const facts = new PatternFacts();
  const cost = new Costs(facts).ofChoice(choice, NONE);
  if (cost === undefined) return undefined;
  // One pass over what it reads, from each character if it may begin anywhere.
  const reads = Math.max(1, ...choice.map((sequence) => facts.ofSequence(sequence).reads));
  const degree = (choice.every(beginsAtStart) ? 0 : 1) + cost.degree + cost.around;
  const factor = cost.ways * cost.times * Math.max(1, pattern.length);
  const longest = longestFor(MOST_STEPS / factor, degree, reads);
  // Compiled last: the engine copies what is repeated.
  if (longest < SHORTEST_TEXT || !isValid(pattern)) return undefined;
  return { longest, steps: (length) => factor * Math.min(length, reads) * length ** degree };
}

/** The largest n for which min(n, reads) times n to the power of the degree is not more. */
function longestFor(most: number, degree: number, reads: number): number {
  const whole = Math.floor(most ** (1 / (degree + 1)));
  if (whole < reads) return whole;
  return degree === 0 ? Infinity : Math.floor((most / reads) ** (1 / degree));
}

function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").unicode;
  } catch {
    return false;
  }
}

/** The number of ways to match a text of n characters is at most `ways` times n to the power of `degree`. */
interface Cost {
  degree: number;
  ways: number;
  /** The degree of what looks ahead or behind. It is tried in each of these ways, but not in several ways itself. */
  around: number;
  /** How often parts are tried that need not match any character. */
  times: number;
}

const ONE_WAY: Cost = { degree: 0, ways: 1, around: 0, times: 1 };

function both(left: Cost, right: Cost): Cost {
  return {
    degree: left.degree + right.degree,
    ways: left.ways * right.ways,
    around: Math.max(left.around, right.around),
    times: Math.max(left.times, right.times),
  };
}

function either(left: Cost, right: Cost): Cost {
  return {
    degree: Math.max(left.degree, right.degree),
    ways: Math.max(left.ways, right.ways),
    around: Math.max(left.around, right.around),
    times: Math.max(left.times, right.times),
  };
}

class Costs {
  readonly #facts: PatternFacts;

  constructor(facts: PatternFacts) {
    this.#facts = facts;
  }

  /** `next`: with which characters the text after it may begin. Undefined: exponential. */
  ofChoice(choice: Choice, next: Characters): Cost | undefined {
    let most = ONE_WAY;
    for (const sequence of choice) {
      const cost = this.#ofSequence(sequence, next);
      if (cost === undefined) return undefined;
      most = either(most, cost);
    }
    return this.#facts.isDecided(choice, next) ? most : { ...most, ways: most.ways * choice.length };
  }

  #ofSequence(sequence: readonly Term[], next: Characters): Cost | undefined {
    let cost = ONE_WAY;
    let rest = next;
    for (const term of sequence.toReversed()) {
      const own = this.#ofTerm(term, rest);
      if (own === undefined) return undefined;
      cost = both(cost, own);
      rest = this.#facts.begin(term, rest);
    }
    return cost;
  }

  #ofTerm(term: Term, next: Characters): Cost | undefined {
    const { part, most } = term;
    switch (part.kind) {
      case "place":
      case "border":
        return ONE_WAY;
      case "characters":
        return this.#repetitions(term, next);
      case "around": {
        // Its text is read against the direction of the rest, so what follows is not known.
        const cost = this.ofChoice(part.body, part.isBehind ? ALL : NONE);
        if (cost === undefined || most > 1) return undefined;
        return { ...cost, degree: 0, around: cost.degree + cost.around };
      }
      case "group": {
        if (most > 1)
          return this.#facts.ofPart(part).isFixed
            ? this.#repetitions(term, next)
            : this.#repeated(part, term, next);
        const cost = this.ofChoice(part.body, next);
        return cost === undefined ? undefined : both(cost, this.#repetitions(term, next));
      }
    }
  }

  /** A group with choices, such as the numbers of an IP address: only few times, and without repetitions of any length. */
  #repeated(part: Term["part"] & { kind: "group" }, term: Term, next: Characters): Cost | undefined {
    const { most } = term;
    if (most > MOST_REPETITIONS) return undefined;
    const cost = this.ofChoice(part.body, union(this.#facts.ofPart(part).first, next));
    if (cost === undefined || cost.degree + cost.around > 0) return undefined;
    const each = { ...cost, ways: cost.ways ** most, times: cost.times * most };
    return both(each, this.#repetitions(term, next));
  }

  /** In how many ways a repetition can end: one, if the next character always tells. */
  #repetitions({ part, least, most }: Term, next: Characters): Cost {
    if (least === most || !overlap(this.#facts.ofPart(part).first, next)) return ONE_WAY;
    return most === Infinity ? { ...ONE_WAY, degree: 1 } : { ...ONE_WAY, ways: most - least + 1 };
  }
}

function beginsAtStart([first]: readonly Term[]): boolean {
  if (first === undefined || first.least === 0) return false;
  const { part } = first;
  return part.kind === "place" ? part.isStart : part.kind === "group" && part.body.every(beginsAtStart);
}
