// Command lines with options that are parameters of a tool (`--channel_name general`).
import type { Option } from "commander";

/** The declared options, by all of their names. */
export interface KnownOptions {
  /** Options that take the next word as their value. */
  withValue: ReadonlySet<string>;
  bare: ReadonlySet<string>;
}

export function known(options: readonly Option[]): KnownOptions {
  const names = (takesValue: boolean): string[] =>
    options
      .filter((option) => option.required === takesValue)
      .flatMap(({ short, long }) => [short, long].filter((name) => name !== undefined));
  return { withValue: new Set(names(true)), bare: new Set([...names(false), "-h", "--help"]) };
}

/**
 * Joins each unknown option with its value (`--channel_name=general`) and moves it to the end of the line, so that a value
 * that looks like a declared option (`--message "-o no"`) is not parsed as one. The word after an unknown option is its
 * value, unless that word is an option.
 */
export function sorted(argv: readonly string[], { withValue, bare }: KnownOptions): string[] {
  const declared: string[] = [];
  const unknown: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    const next = argv[at + 1];
    if (word === "--") return [...declared, ...unknown, ...argv.slice(at)];
    if (withValue.has(word) && next !== undefined) {
      declared.push(word, next);
      at++;
    } else if (!word.startsWith("--") || bare.has(word) || withValue.has(word.split("=", 1)[0] ?? "")) {
      declared.push(word);
    } else if (word.includes("=") || next === undefined || isOption(next, withValue, bare)) {
      unknown.push(word);
    } else {
      unknown.push(`${word}=${next}`);
      at++;
    }
  }
  return [...declared, ...unknown];
}

/** The words of a line that are neither options nor their values. */
export function wordsOf(argv: readonly string[], { withValue }: KnownOptions): string[] {
  return argv.filter((word, at) => !word.startsWith("-") && !withValue.has(argv[at - 1] ?? ""));
}

function isOption(word: string, withValue: ReadonlySet<string>, bare: ReadonlySet<string>): boolean {
  return word.startsWith("--") || withValue.has(word) || bare.has(word);
}
