// What is known of each part of a regular expression: with which characters it begins, and whether it may match nothing. Each
// part is looked at once, from the inside to the outside.
import { ALL, areDisjoint, type Characters, coarse, joined, NONE, union } from "./characters";
import type { Choice, Term } from "./expression";

export interface Facts {
  /** With which characters a text may begin that it matches, if it matches any. */
  first: Characters;
  /** Whether it may match nothing, so that what comes after it is tried at the same place. */
  mayBeEmpty: boolean;
  /** Whether `^` or `$` may come before its first character. */
  isAtPlace: boolean;
  /** Whether it matches any text in one way at most, and never the empty one. */
  isFixed: boolean;
  /** The most characters that it reads; may be infinite. */
  reads: number;
}

const EMPTY: Facts = { first: NONE, mayBeEmpty: true, isAtPlace: false, isFixed: false, reads: 0 };

export class PatternFacts {
  readonly #ofParts = new Map<Term["part"], Facts>();
  readonly #ofSequences = new Map<readonly Term[], Facts>();

  /** Of a part, as if it was there once. */
  ofPart(part: Term["part"]): Facts {
    return remembered(this.#ofParts, part, () => this.#part(part));
  }

  ofSequence(sequence: readonly Term[]): Facts {
    return remembered(this.#ofSequences, sequence, () =>
      sequence.reduceRight<Facts>((rest, term) => followed(this.#ofTerm(term), rest), EMPTY),
    );
  }

  /** With which characters the text may begin for a term, and what comes after it. */
  begin(term: Term, next: Characters): Characters {
    const { first, mayBeEmpty } = this.ofPart(term.part);
    return mayBeEmpty || term.least === 0 ? joined(first, next) : first;
  }

  /** Whether the next character decides between the sequences. */
  isDecided(choice: Choice, next: Characters): boolean {
    if (choice.length < 2) return true;
    const facts = choice.map((sequence) => this.ofSequence(sequence));
    // At the end of a text, or at its beginning, several of them match without a character that could decide.
    if (facts.some(({ isAtPlace }) => isAtPlace)) return false;
    if (facts.filter(({ mayBeEmpty }) => mayBeEmpty).length > 1) return false;
    return areDisjoint(facts.map(({ first, mayBeEmpty }) => (mayBeEmpty ? joined(first, next) : first)));
  }

  #ofTerm({ part, least, most }: Term): Facts {
    const facts = this.ofPart(part);
    return {
      ...facts,
      mayBeEmpty: facts.mayBeEmpty || least === 0,
      isFixed: facts.isFixed && least === most && least > 0,
      reads: most === 0 ? 0 : facts.reads * most,
    };
  }

  #part(part: Term["part"]): Facts {
    switch (part.kind) {
      case "characters":
        return { ...EMPTY, first: part.characters, mayBeEmpty: false, isFixed: true, reads: 1 };
      case "place":
        // At neither end of the text another character may follow or be given back.
        return { ...EMPTY, mayBeEmpty: false, isAtPlace: true };
      case "border":
        return EMPTY;
      case "around": {
        // It is tried wherever what it reads can begin. The characters before a place are not known.
        const { first, mayBeEmpty, reads } = this.#choice(part.body);
        return { ...EMPTY, first: part.isBehind || mayBeEmpty ? ALL : first, reads };
      }
      case "group":
        return this.#choice(part.body);
    }
  }

  #choice(choice: Choice): Facts {
    const facts = choice.map((sequence) => this.ofSequence(sequence));
    return {
      first: coarse(union(...facts.map(({ first }) => first))),
      mayBeEmpty: facts.some(({ mayBeEmpty }) => mayBeEmpty),
      isAtPlace: facts.some(({ isAtPlace }) => isAtPlace),
      isFixed: facts.every(({ isFixed }) => isFixed) && this.isDecided(choice, NONE),
      reads: Math.max(...facts.map(({ reads }) => reads)),
    };
  }
}

function followed(term: Facts, rest: Facts): Facts {
  return {
    first: term.mayBeEmpty ? joined(term.first, rest.first) : term.first,
    mayBeEmpty: term.mayBeEmpty && rest.mayBeEmpty,
    isAtPlace: term.isAtPlace || (term.mayBeEmpty && rest.isAtPlace),
    isFixed: term.isFixed && (rest === EMPTY || rest.isFixed),
    reads: term.reads + rest.reads,
  };
}

function remembered<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}
