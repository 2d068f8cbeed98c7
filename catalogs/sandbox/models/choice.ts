// Which tool a sentence means: words of the sentence against the words of names and descriptions.
import { stemmer } from "stemmer";
import { withoutQuoted } from "./sentence";

/** A tool that a request offers. */
export interface Offer {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Words that mean the same for tools. The first of each list represents all. */
const SAME: readonly (readonly string[])[] = [
  ["send", "post", "say", "tell", "write to"],
  ["list", "show", "which", "all"],
  ["get", "read", "fetch", "see", "give"],
  ["create", "make", "new"],
  ["delete", "remove", "erase", "drop"],
  ["search", "find", "look"],
  ["update", "change", "edit", "set", "modify"],
  ["conversation", "channel", "chat", "room"],
  ["message", "hello", "hi"],
  ["user", "people", "person", "member", "who"],
  ["dm", "direct"],
  ["spreadsheet", "sheet", "table"],
  ["item", "product", "stock"],
];
const MEANING = new Map(
  SAME.flatMap(([first = "", ...others]) =>
    [first, ...others].map((word) => [stemmer(word), stemmer(first)]),
  ),
);

/** Without these, "to the" would match half of all descriptions. */
const EMPTY = new Set(
  "a an the to in of for on at from with and or is are be it i me my you your please can could would what do does this that".split(
    " ",
  ),
);

const NAME_WEIGHT = 4;
/** A tool is only called if its name fits the sentence. */
const LEAST = 3;

/**
 * The tool that fits best; undefined if none does. `forced`: the name of the one to call, or true if one must be called.
 */
export function chooseTool(
  prompt: string,
  offers: readonly Offer[],
  forced: string | boolean,
): Offer | undefined {
  if (typeof forced === "string") return offers.find(({ name }) => name === forced);
  const named = offers.find(({ name }) => isNamed(prompt, name));
  if (named !== undefined) return named;
  // What is quoted is a value.
  const words = new Set(wordsOf(withoutQuoted(prompt)));
  const ranked = offers
    .map((offer) => ({ offer, score: scoreOf(words, offer) }))
    .toSorted((left, right) => right.score - left.score || compare(left.offer.name, right.offer.name));
  const [best] = ranked;
  if (best === undefined) return undefined;
  return forced || best.score >= LEAST ? best.offer : undefined;
}

/** `Chat_SendMessage`, `Chat.SendMessage` or `SendMessage`, as a whole word. */
function isNamed(prompt: string, name: string): boolean {
  const words = prompt.toLowerCase().split(/[^a-z0-9_.-]+/);
  const full = name.toLowerCase();
  const short = full.split("_").slice(1).join("_");
  const forms = [full, full.replace("_", "."), ...(partsOf(name).length > 2 ? [short] : [])];
  return words.some((word) => forms.includes(word.replace(/\.$/, "")));
}

// Each word of the name that the sentence lacks counts against the tool, so that the plainest one wins.
function scoreOf(words: ReadonlySet<string>, { name, description }: Offer): number {
  const [toolkit = "", ...rest] = name.split("_");
  const own = new Set(wordsOf(partsOf(rest.join("_")).join(" ")));
  const hits = [...own].filter((word) => words.has(word)).length;
  if (hits === 0) return 0;
  const kit = wordsOf(partsOf(toolkit).join(" ")).some((word) => words.has(word)) ? 1 : 0;
  const first = new Set(wordsOf(description.split(/[.\n]/, 1)[0] ?? ""));
  const described = [...words].filter((word) => first.has(word) && !own.has(word)).length;
  return hits * NAME_WEIGHT + kit + Math.min(described, 3) * 0.5 - (own.size - hits);
}

/** The meanings of a text's words. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "" && !EMPTY.has(word))
    .map(stemmer)
    .map((stem) => MEANING.get(stem) ?? stem);
}

/** `SendDmToUser` → Send, Dm, To, User. */
function partsOf(name: string): string[] {
  return name.split(/[_\W]+|(?<=[a-z0-9])(?=[A-Z])/).filter((part) => part !== "");
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
