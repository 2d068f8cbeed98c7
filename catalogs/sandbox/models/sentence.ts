// The parts of a sentence that may be values: what is quoted, what follows a word such as "called", or a person's name.

/** People of the stand-ins: "to bob" means a person, "to general" a channel. */
const PEOPLE: ReadonlySet<string> = new Set(["alice", "bob", "carol", "carla", "admin", "dave", "erin"]);
const SAYING = ["send", "post", "say", "write", "tell"];
const WHERE = ["to", "in", "into", "on"];
const PLACES = [...WHERE, "from", "of"];

/** What kinds of parameters look like in a sentence, by words of their names. The first that fits counts. */
export const KINDS: readonly { readonly names: RegExp; read(sentence: Sentence): string | undefined }[] = [
  { names: /channel|room/, read: (sentence) => sentence.channel() },
  { names: /email/, read: (sentence) => sentence.words.find((word) => word.slice(1).includes("@")) },
  { names: /user_?names?$|recipient/, read: (sentence) => sentence.person() },
  {
    names: /message|text|content|body|comment|^note$/,
    read: (sentence) => sentence.quoted() ?? sentence.said() ?? sentence.behind(["that", "saying", "note"]),
  },
  { names: /^item/, read: (sentence) => sentence.quoted() ?? sentence.wordBehind(["of", "item"]) },
  {
    names: /title|^name$|_name$/,
    read: (sentence) =>
      sentence.quoted() ??
      sentence.behind(["called", "named", "titled", "title", "name"], ["with", "and", "in"]),
  },
  {
    names: /query|search|keyword|contains|filter/,
    read: (sentence) => sentence.quoted() ?? sentence.behind(["for", "about", "with"]),
  },
];

export class Sentence {
  readonly text: string;
  /** Without punctuation at their ends. */
  readonly words: readonly string[];
  readonly #raw: readonly string[];
  readonly #quoted: string[];

  constructor(text: string) {
    this.text = text;
    // What is quoted is a value as a whole.
    this.#raw = withoutQuoted(text)
      .split(/\s+/)
      .filter((word) => word !== "");
    this.words = this.#raw.map((word) => word.replace(/^["'“(]|[)"'”.,:;!?]$/g, ""));
    this.#quoted = quotedIn(text);
  }

  /** The next quoted text, which is used only once. */
  quoted(): string | undefined {
    return this.#quoted.shift();
  }

  has(word: string): boolean {
    return this.#lower.includes(word.toLowerCase());
  }

  person(): string | undefined {
    return this.words.map((word) => word.replace(/^@/, "")).find((word) => PEOPLE.has(word.toLowerCase()));
  }

  /** `#general`, `to general`, `in the channel general`, or in `tell general: …`. */
  channel(): string | undefined {
    const hash = this.words.find((word) => /^#[\w-]/.test(word));
    if (hash !== undefined) return hash.slice(1);
    const told = this.#raw.findIndex((word, at) => /[:,]$/.test(word) && this.#lower[at - 1] === "tell");
    const found = told < 0 ? this.wordBehind(PLACES, ["the", "channel"]) : this.words[told];
    return found === undefined || PEOPLE.has(found.toLowerCase()) ? undefined : found;
  }

  /** `send hello to general`: hello. `tell general: hello`: hello. */
  said(): string | undefined {
    const colon = this.#raw.findIndex((word) => word.endsWith(":"));
    if (colon >= 0) return this.#joined(colon + 1, this.#raw.length);
    const verb = this.#lower.findIndex((word) => SAYING.includes(word));
    const end = this.#lower.findLastIndex((word) => WHERE.includes(word));
    if (verb < 0 || end < 0) return undefined;
    return this.#joined(this.#past(verb + 1, ["the", "a", "message", "note"]), end);
  }

  /** What follows the first of the words, up to one of `until` or the end. */
  behind(words: readonly string[], until: readonly string[] = []): string | undefined {
    const start = this.#lower.findIndex((word) => words.includes(word));
    if (start < 0) return undefined;
    const from = this.#past(start + 1, [...words, "is"]);
    const end = this.#lower.findIndex((word, at) => at > from && until.includes(word));
    return this.#joined(from, end < 0 ? this.words.length : end);
  }

  /** The word that follows the first of the words. */
  wordBehind(words: readonly string[], skipped: readonly string[] = ["the"]): string | undefined {
    const start = this.#lower.findIndex((word) => words.includes(word));
    return start < 0 ? undefined : this.words[this.#past(start + 1, skipped)];
  }

  get #lower(): string[] {
    return this.words.map((word) => word.toLowerCase());
  }

  #past(start: number, skipped: readonly string[]): number {
    const end = this.#lower.findIndex((word, at) => at >= start && !skipped.includes(word));
    return end < 0 ? this.words.length : end;
  }

  #joined(start: number, end: number): string | undefined {
    const text = this.#raw.slice(start, end).join(" ").replace(/[.?]$/, "");
    return text === "" ? undefined : text;
  }
}

/** The texts between quotation marks. */
export function quotedIn(text: string): string[] {
  return [...text.matchAll(QUOTED)].map(([, double, curly, single]) => double ?? curly ?? single ?? "");
}

export function withoutQuoted(text: string): string {
  return text.replaceAll(QUOTED, " ");
}

const QUOTED = /"([^"]+)"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)/g;
