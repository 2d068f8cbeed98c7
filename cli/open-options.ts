// Command lines with options that only a tool's definition knows (`--channel_name general`).
import type { Option } from "commander";

/** Options of our own, by every name they have. */
export interface KnownOptions {
  /** Take the next word as their value. */
  withValue: ReadonlySet<string>;
  bare: ReadonlySet<string>;
}

export function known(options: readonly Option[]): KnownOptions {
  const names = (wanted: boolean): string[] =>
    options
      .filter((option) => option.required === wanted)
      .flatMap(({ short, long }) => [short, long].filter((name) => name !== undefined));
  return { withValue: new Set(names(true)), bare: new Set([...names(false), "-h", "--help"]) };
}

/**
 * The same line with each unknown option and its value joined (`--channel_name=general`) and put at the end, so that a
 * value that looks like one of our options (`--message "-o no"`) is not taken for it. After an unknown option the next
 * word is its value, unless that is an option itself.
 */
export function sorted(argv: readonly string[], { withValue, bare }: KnownOptions): string[] {
  const ours: string[] = [];
  const unknown: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    const next = argv[at + 1];
    if (word === "--") return [...ours, ...unknown, ...argv.slice(at)];
    if (withValue.has(word) && next !== undefined) {
      ours.push(word, next);
      at++;
    } else if (!word.startsWith("--") || bare.has(word) || withValue.has(word.split("=", 1)[0] ?? "")) {
      ours.push(word);
    } else if (word.includes("=") || next === undefined || isOption(next, withValue, bare)) {
      unknown.push(word);
    } else {
      unknown.push(`${word}=${next}`);
      at++;
    }
  }
  return [...ours, ...unknown];
}

/** The words of a line that are neither options nor their values. */
export function wordsOf(argv: readonly string[], { withValue }: KnownOptions): string[] {
  return argv.filter((word, at) => !word.startsWith("-") && !withValue.has(argv[at - 1] ?? ""));
}

function isOption(word: string, withValue: ReadonlySet<string>, bare: ReadonlySet<string>): boolean {
  return word.startsWith("--") || withValue.has(word) || bare.has(word);
}
