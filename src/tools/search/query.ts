// What a search asks for: its words, what they mean for tools, and what it wants to be done.
import { type Meanings, meaningsOf, withoutValues } from "./meanings";
import { isFiller, stemOf, wordsIn } from "./words";

export interface Query {
  /** Stems that the search contains. */
  words: ReadonlySet<string>;
  /** Stems that mean the same. */
  related: ReadonlySet<string>;
  /** The stems of expressions that mean the same. */
  expressions: readonly (readonly string[])[];
  /** Whether something is to be deleted. */
  deletes: boolean;
  /** Whether it only asks a question. */
  asks: boolean;
}

/** What is read of a search. */
const MOST_CHARACTERS = 500;
const MOST_WORDS = 40;
/** Stems that are looked up: each costs time in proportion to the tools that have it. */
const MOST_SAID = 16;
const MOST_RELATED = 32;

const DELETES = stems("cancel clear delete destroy drop purge remove revoke terminate unassign uninstall");
const WRITES = stems(
  "add assign bulk change create delete drop edit enable insert install manage move patch post publish push put remove " +
    "reply run send set split start unassign update upload write",
);
const QUESTION =
  /^(?:am|are|count|did|do|does|find|get|how|is|list|look|read|show|was|what|when|where|which|who|why|will)\b/i;

export function queryOf(search: string, meanings: Meanings): Query {
  const text = search.slice(0, MOST_CHARACTERS).trim();
  const { left, kinds } = withoutValues(text);
  const words = wordsIn(left).slice(0, MOST_WORDS);
  const telling = words.filter((word) => !isFiller(word));
  const said = first(MOST_SAID, (telling.length > 0 ? telling : words).map(stemOf));
  const meant = meaningsOf(words.map(stemOf), meanings);
  const single = meant.flatMap((expression) => (expression.length === 1 ? expression : []));
  const related = first(MOST_RELATED, [...kinds, ...single]).difference(said);
  return {
    words: said,
    related,
    expressions: meant.filter(({ length }) => length > 1),
    deletes: !DELETES.isDisjointFrom(said.union(related)),
    asks: QUESTION.test(text),
  };
}

/** What the name of a tool says that it does. */
export interface Deed {
  deletes: boolean;
  writes: boolean;
}

export function deedOf(name: string): Deed {
  const said = new Set(wordsIn(name).map(stemOf));
  return { deletes: !DELETES.isDisjointFrom(said), writes: !WRITES.isDisjointFrom(said) };
}

function first(count: number, all: readonly string[]): ReadonlySet<string> {
  return new Set([...new Set(all)].slice(0, count));
}

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(" ").map(stemOf));
}
