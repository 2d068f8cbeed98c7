// Whether a regular expression from outside can be used: it runs without a time limit, and blocks the process meanwhile.
//
// An engine that tries one alternative after the other needs exponential time if a repeated group can match the same text
// in several ways, and polynomial time if neighbouring repetitions can share a text between them in several ways. So an
// expression is used only if no repeated group has a choice, and only for texts for which the number of ways is small.
import { ALL, type Characters, NONE, overlap, union } from "./characters";
import { type Choice, parseExpression, type Term } from "./expression";

const LONGEST_PATTERN = 1000;
/** Steps of one test. */
const MOST_STEPS = 10_000_000;
/** For texts that must be shorter than this, an expression is not worth having. */
const SHORTEST_TEXT = 100;
/** Repetitions of a group with choices that are tried one by one. */
const MOST_REPETITIONS = 10;

/**
 * The length of the longest text that the pattern can be tested against in a short time; undefined for a pattern that does
 * not compile (as the check compiles it), or that may take exponential time.
 */
export function longestText(pattern: unknown): number | undefined {
  if (typeof pattern !== "string" || pattern.length > LONGEST_PATTERN || !isValid(pattern)) return undefined;
  const choice = parseExpression(pattern);
  const cost = choice === undefined ? undefined : costOf(choice, NONE);
  if (choice === undefined || cost === undefined) return undefined;
  // One pass over the text, from each character if it may begin anywhere.
  const degree = 1 + (choice.every(beginsAtStart) ? 0 : 1) + cost.degree + cost.around;
  const steps = MOST_STEPS / (cost.ways * Math.max(1, pattern.length));
  const longest = Math.floor(steps ** (1 / degree));
  return longest < SHORTEST_TEXT ? undefined : longest;
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
}

const ONE_WAY: Cost = { degree: 0, ways: 1, around: 0 };

function both(left: Cost, right: Cost): Cost {
  return {
    degree: left.degree + right.degree,
    ways: left.ways * right.ways,
    around: Math.max(left.around, right.around),
  };
}

function either(left: Cost, right: Cost): Cost {
  return {
    degree: Math.max(left.degree, right.degree),
    ways: Math.max(left.ways, right.ways),
    around: Math.max(left.around, right.around),
  };
}

/** `next`: with which characters the text after it may begin. Undefined: exponential. */
function costOf(choice: Choice, next: Characters): Cost | undefined {
  let most = ONE_WAY;
  for (const sequence of choice) {
    const cost = costOfSequence(sequence, next);
    if (cost === undefined) return undefined;
    most = either(most, cost);
  }
  return isDecided(choice, next) ? most : { ...most, ways: most.ways * choice.length };
}

function costOfSequence(sequence: readonly Term[], next: Characters): Cost | undefined {
  let cost = ONE_WAY;
  let rest = next;
  for (const term of sequence.toReversed()) {
    const own = costOfTerm(term, rest);
    if (own === undefined) return undefined;
    cost = both(cost, own);
    rest = begin(term, rest);
  }
  return cost;
}

function costOfTerm(term: Term, next: Characters): Cost | undefined {
  const { part, most } = term;
  const times = repetitions(term, next);
  switch (part.kind) {
    case "place":
    case "border":
      return ONE_WAY;
    case "characters":
      return times;
    case "around": {
      // Its text is read against the direction of the rest, so what follows is not known.
      const cost = costOf(part.body, part.isBehind ? ALL : NONE);
      if (cost === undefined || most > 1) return undefined;
      return { degree: 0, ways: cost.ways, around: cost.degree + cost.around };
    }
    case "group":
      if (most > 1) return isFixed(part.body) ? times : repeated(term, next);
      return joined(costOf(part.body, next), times);
  }
}

function joined(cost: Cost | undefined, times: Cost): Cost | undefined {
  return cost === undefined ? undefined : both(cost, times);
}

/** A group with choices, such as the numbers of an IP address: only few times, and without repetitions of any length. */
function repeated(term: Term, next: Characters): Cost | undefined {
  const { part, most } = term;
  if (part.kind !== "group" || most > MOST_REPETITIONS) return undefined;
  const cost = costOf(part.body, union(beginOfPart(part), next));
  if (cost === undefined || cost.degree + cost.around > 0) return undefined;
  return both({ ...cost, ways: cost.ways ** most }, repetitions(term, next));
}

/** In how many ways a repetition can end: one, if the next character always tells. */
function repetitions({ part, least, most }: Term, next: Characters): Cost {
  if (least === most || !overlap(beginOfPart(part), next)) return ONE_WAY;
  return most === Infinity ? { ...ONE_WAY, degree: 1 } : { ...ONE_WAY, ways: most - least + 1 };
}

/** Whether it matches any text in one way at most, and never the empty one. */
function isFixed(choice: Choice): boolean {
  return (
    isDecided(choice, NONE) &&
    choice.every(
      (sequence) =>
        sequence.some(
          ({ part, least }) => least > 0 && (part.kind === "characters" || part.kind === "group"),
        ) &&
        sequence.every(
          ({ part, least, most }) =>
            least === most && (part.kind === "characters" || (part.kind === "group" && isFixed(part.body))),
        ),
    )
  );
}

/** Whether the next character decides between the sequences. */
function isDecided(choice: Choice, next: Characters): boolean {
  const begins = choice.map((sequence) => beginOfSequence(sequence, next));
  return begins.every((one, index) => begins.slice(index + 1).every((other) => !overlap(one, other)));
}

/** With which characters a text may begin that a sequence matches, and the text after it. */
function beginOfSequence(sequence: readonly Term[], next: Characters): Characters {
  return sequence.reduceRight<Characters>((rest, term) => begin(term, rest), next);
}

function begin({ part, least }: Term, next: Characters): Characters {
  switch (part.kind) {
    case "characters":
      return least > 0 ? part.characters : union(part.characters, next);
    case "place":
      // At neither end of the text another character may follow or be given back.
      return NONE;
    case "border":
    case "around":
      return next;
    case "group": {
      const inside = union(...part.body.map((sequence) => beginOfSequence(sequence, next)));
      return least > 0 ? inside : union(inside, next);
    }
  }
}

function beginOfPart(part: Term["part"]): Characters {
  return begin({ part, least: 1, most: 1 }, NONE);
}

function beginsAtStart([first]: readonly Term[]): boolean {
  if (first === undefined || first.least === 0) return false;
  const { part } = first;
  return part.kind === "place" ? part.isStart : part.kind === "group" && part.body.every(beginsAtStart);
}
