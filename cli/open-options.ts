// Command lines with options that are parameters of a tool (`--channel_name general`).
import type { Option } from "commander";

/** The declared options, by all of their names. */
export interface KnownOptions {
  /** Options that take the next word as their value. */
  withValue: ReadonlySet<string>;
  bare: ReadonlySet<string>;
}

/** After a parameter that a declared option follows: the parameter has no value. An argument cannot contain it. */
export const NO_VALUE = "\u0000";

/** A line in two parts. */
export interface SortedLine {
  /** Words and declared options, for the parser. */
  declared: string[];
  /** The words of the tool's parameters, in their order; `readParameters` reads them. After `--` there are no options. */
  parameters: string[];
  /** Help is requested, for the command or for the tool that the line names. */
  help: boolean;
}

export function known(options: readonly Option[]): KnownOptions {
  const names = (takesValue: boolean): string[] =>
    options
      .filter((option) => option.required === takesValue)
      .flatMap(({ short, long }) => [short, long].filter((name) => name !== undefined));
  return { withValue: new Set(names(true)), bare: new Set([...names(false), "-h", "--help"]) };
}

/**
 * Separates the declared options from the parameters of a tool. The word after a parameter belongs to it, unless it is `--`
 * or a declared long option: a value may look like a short one (`--message "-o no"`). Whether the parameter wants a value is
 * known only when its tool is, so `readParameters` decides that. `count` is the number of words that the parser needs.
 */
export function sorted(argv: readonly string[], options: KnownOptions, count: number): SortedLine {
  const { withValue } = options;
  const declared: string[] = [];
  const parameters: string[] = [];
  let help = false;
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (word === "--") {
      const missing = Math.max(0, count - wordsOf(declared, options).length);
      const after = argv.slice(at + 1);
      declared.push(...after.slice(0, missing));
      parameters.push("--", ...after.slice(missing));
      break;
    }
    if (word === "-h" || word === "--help") help = true;
    else if (withValue.has(word)) {
      declared.push(...argv.slice(at, at + 2));
      at++;
    } else if (!word.startsWith("--") || isLong(word, options)) {
      declared.push(word);
    } else {
      const next = argv[at + 1];
      const taken = valueAfter(argv.slice(at + 1, at + 3), word, options);
      parameters.push(word, ...taken);
      if (next !== undefined && isLong(next, options)) parameters.push(NO_VALUE);
      at += taken.length;
    }
  }
  return { declared, parameters, help };
}

/** The words that belong to a parameter: none, its value, or a declared short option with its value, which may be either. */
function valueAfter([next, after]: readonly string[], word: string, options: KnownOptions): string[] {
  if (next === undefined || word.includes("=") || next.startsWith("--")) return [];
  return after !== undefined && options.withValue.has(next) ? [next, after] : [next];
}

/** The words of a line that are neither options nor their values. */
export function wordsOf(argv: readonly string[], { withValue }: KnownOptions): string[] {
  return argv.filter((word, at) => !word.startsWith("-") && !withValue.has(argv[at - 1] ?? ""));
}

/** Whether it is a declared long option, with or without `=`. */
function isLong(word: string, { withValue, bare }: KnownOptions): boolean {
  const [name = ""] = word.split("=", 1);
  return word.startsWith("--") && (bare.has(word) || withValue.has(name));
}
