// Ranks tools by the words of a search.
import type { ToolRecord } from "../src/tools";

/** Points for a word, by where it is found. */
const IN_NAME = { exact: 10, start: 6 };
const IN_DESCRIPTION = { exact: 3, start: 2 };
const IN_PARAMETERS = { exact: 1, start: 0.5 };
/** Words that say nothing about a tool. */
const FILLERS = new Set([
  "a",
  "all",
  "an",
  "and",
  "for",
  "from",
  "in",
  "into",
  "my",
  "of",
  "on",
  "the",
  "to",
  "with",
]);

/**
 * The tools in which all words occur, the best first; if there are none, those in which some occur. A word also matches the
 * start of a longer one. A deprecated tool counts half.
 */
export function searched(tools: readonly ToolRecord[], text: string): ToolRecord[] {
  const all = wordsIn(text);
  const telling = all.filter((word) => !FILLERS.has(word));
  const words = telling.length > 0 ? telling : all;
  const ranked = tools.map((tool) => ({ tool, points: words.map((word) => pointsOf(word, tool)) }));
  const complete = ranked.filter(({ points }) => points.every((each) => each > 0));
  const found = complete.length > 0 ? complete : ranked.filter(({ points }) => sum(points) > 0);
  return found.toSorted((left, right) => rank(right) - rank(left)).map(({ tool }) => tool);
}

interface Ranked {
  tool: ToolRecord;
  points: readonly number[];
}

function rank({ tool, points }: Ranked): number {
  return sum(points) * (tool.deprecation_message === undefined ? 1 : 0.5);
}

function pointsOf(word: string, { qualified_name, description = "", input }: ToolRecord): number {
  const parameters = input.parameters.map(({ name, description: text = "" }) => `${name} ${text}`);
  return Math.max(
    matchOf(word, wordsIn(qualified_name), IN_NAME),
    matchOf(word, wordsIn(description), IN_DESCRIPTION),
    matchOf(word, wordsIn(parameters.join(" ")), IN_PARAMETERS),
  );
}

function matchOf(
  word: string,
  among: readonly string[],
  { exact, start }: { exact: number; start: number },
): number {
  if (among.includes(word)) return exact;
  return among.some((other) => other.startsWith(word)) ? start : 0;
}

// `Chat.SendMessages` → chat, send, message: the parts of a name are words, in the singular.
function wordsIn(text: string): string[] {
  const parts = text.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return (parts.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
