// What a command is: words and flags in, options out, and a function that runs with them. The table of commands is data,
// so parsing is tested without running, and help is made from the same rows.
import { UsageError } from "./errors";
import type { Io } from "./io";
import type { Format } from "./output";

/** Flags that every command takes. */
export interface Common {
  dataDir: string | undefined;
  config: string | undefined;
  project: string | undefined;
  /** A server's address, or `local`. */
  server: string | undefined;
  /** File with the API key for it, or `-`. */
  keyFile: string | undefined;
  /** Seconds that one request to it may take. */
  timeout: number | undefined;
  output: Format;
  /** Which fields of records are shown; undefined: those that the command chooses. */
  fields: readonly string[] | undefined;
  /** The command may have changed something by the time it prints. */
  acts?: boolean;
  /** Tables begin with a line of titles. */
  headers: boolean;
}

/** A command's row. `O`: its options. */
export interface VerbSpec<O extends object> {
  /** `create <name>`: the verb and its words, `[optional]` or `<required>`. */
  usage: string;
  summary: string;
  /** Whole command lines, the most common one first. */
  examples: readonly string[];
  flags?: readonly FlagSpec[];
  /** Options that are not declared here are parameters of a tool; they arrive in `Line.rest`. */
  open?: true;
  read(line: Line): O;
  /** The exit code, when it is not 0. */
  run(io: Io, common: Common, options: O): Promise<number | void>;
}

export interface FlagSpec {
  /** `--role <role>`, `--yes` */
  flag: string;
  meaning: string;
  /** May be given several times. */
  repeat?: true;
}

/** A row with the type of its options forgotten. */
export interface Verb extends Omit<VerbSpec<object>, "read" | "run"> {
  prepare(line: Line): { options: object; run(io: Io, common: Common): Promise<number | void> };
}

export interface Noun {
  name: string;
  summary: string;
  /** One verb without a name of its own: `runtime init`. */
  verbs: readonly Verb[];
}

/** Keeps options typed between `read` and `run` while a row is written. */
export function verb<O extends object>({ read, run, ...row }: VerbSpec<O>): Verb {
  return {
    ...row,
    prepare: (line) => {
      const options = read(line);
      return { options, run: (io, common) => run(io, common, options) };
    },
  };
}

/** A parsed command line. Its values come untyped from the parser and are checked here. */
export class Line {
  readonly rest: readonly string[];
  readonly #words: readonly (string | undefined)[];
  readonly #flags: { readonly [name: string]: unknown };

  constructor(
    words: readonly (string | undefined)[],
    flags: { readonly [name: string]: unknown },
    rest: readonly string[] = [],
  ) {
    this.#words = words;
    this.#flags = flags;
    this.rest = rest;
  }

  /** A required word; the parser has refused a line without it. */
  word(index: number): string {
    return this.#words[index] ?? "";
  }

  optionalWord(index: number): string | undefined {
    return this.#words[index];
  }

  /** A required word that is one of `known`. `what` names it. Throws `usage`. */
  wordOf<T extends string>(index: number, what: string, known: readonly T[]): T {
    const found = known.find((each) => each === this.word(index));
    if (found !== undefined) return found;
    throw new UsageError(`${what} is one of ${known.join(", ")}.`);
  }

  /** The text of `--client-id X` by its name `client-id`. */
  text(name: string): string | undefined {
    const value = this.#flags[camel(name)];
    return typeof value === "string" ? value : undefined;
  }

  /** The text of a flag that must be given. Throws `usage`. */
  needed(name: string): string {
    const text = this.text(name);
    if (text !== undefined) return text;
    throw new UsageError(`--${name} is needed.`);
  }

  texts(name: string): string[] | undefined {
    const value = this.#flags[camel(name)];
    return Array.isArray(value) ? value.map(String) : undefined;
  }

  given(name: string): boolean {
    return this.#flags[camel(name)] === true;
  }

  /** Throws `usage` for anything but a whole number of at least `least`. */
  integer(name: string, least: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new UsageError(`--${name} takes a whole number, ${least} or more.`);
  }

  /** Throws `usage` for a text that is none of `known`. */
  choice<T extends string>(name: string, known: readonly T[]): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const found = known.find((each) => each === text);
    if (found !== undefined) return found;
    throw new UsageError(`--${name} takes ${known.join(", ")}.`);
  }
}

/** Leaves out what is undefined, for records whose fields are absent rather than undefined. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only entries were dropped, and only undefined ones.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
