// The definition of a command: words and flags are read into options, and a function runs with them. Commands are data, so
// that parsing is tested without running, and the help is generated from the same rows.
import { closedList } from "../src/base/closed-list";
import { UsageError } from "./errors";
import type { Io } from "./io";
import type { Format } from "./output";

/** Flags that every command takes. */
export interface Common {
  dataDir: string | undefined;
  /** URL of the PostgreSQL database, without a password. */
  database: string | undefined;
  config: string | undefined;
  project: string | undefined;
  /** A server's address, or `local`. */
  server: string | undefined;
  /** File with the API key for the server, or `-`. */
  keyFile: string | undefined;
  /** Timeout of one request to the server, in seconds. */
  timeout: number | undefined;
  output: Format;
  /** The fields of records to show; undefined: the command's own selection. */
  fields: readonly string[] | undefined;
  /** The command may have changed something before it prints. */
  acts?: boolean;
  /** Tables begin with a line of titles. */
  headers: boolean;
}

interface Row {
  /** `create <name>`: the verb and its words, `[optional]` or `<required>`. */
  usage: string;
  summary: string;
  /** Whole command lines, the most common one first. */
  examples: readonly string[];
  flags?: readonly FlagSpec[];
  /** Takes the command line of another program behind `--`. */
  program?: true;
  /** Options that are not declared here are parameters of a tool; they arrive in `Line.rest`. */
  open?: true;
}

/** A command with options of type `O`. */
export interface VerbSpec<O extends object> extends Row {
  read(line: Line): O;
  /** Resolves to the exit code, if it is not 0. */
  run(io: Io, common: Common, options: O): Promise<number | void>;
}

export interface FlagSpec {
  /** `--role <role>`, `--yes` */
  flag: string;
  meaning: string;
  /** The flag may occur several times. */
  repeat?: true;
}

/** A command whose type of options is hidden. */
export interface Verb extends Row {
  prepare(line: Line): { options: object; run(io: Io, common: Common): Promise<number | void> };
}

export interface Noun {
  name: string;
  summary: string;
  /** Where the list of its records is over HTTP; the help shows it. */
  http?: string;
  /** The verb that takes options of a tool. */
  open?: string;
  /** The verbs are loaded when the noun is used. A single verb may have the noun's name: `runtime init`. */
  load(): Promise<{ verbs: readonly Verb[] }>;
}

/** Declares a command; the options of `read` and `run` have the same type. */
export function verb<O extends object>({ read, run, ...row }: VerbSpec<O>): Verb {
  return {
    ...row,
    prepare: (line) => {
      const options = read(line);
      return { options, run: (io, common) => run(io, common, options) };
    },
  };
}

/** A parsed command line. The parser's values are untyped and are checked here. */
export class Line {
  readonly rest: readonly string[];
  readonly #words: readonly (string | undefined)[];
  readonly #flags: { readonly [name: string]: unknown };
  readonly #command: string;
  /** The words behind `--`: a command line of another program. */
  readonly program: readonly string[];

  /** `command`: its name, whose help errors refer to. */
  constructor(
    words: readonly (string | undefined)[],
    flags: { readonly [name: string]: unknown },
    rest: readonly string[] = [],
    { command = "runtime", program = [] }: { command?: string; program?: readonly string[] } = {},
  ) {
    this.#command = command;
    this.program = program;
    this.#words = words;
    this.#flags = flags;
    this.rest = rest;
  }

  /** A required word; the parser rejects a line without it. */
  word(index: number): string {
    return this.#words[index] ?? "";
  }

  optionalWord(index: number): string | undefined {
    return this.#words[index];
  }

  /** The text of `--client-id X` by its name `client-id`. */
  text(name: string): string | undefined {
    const value = this.#flags[camel(name)];
    return typeof value === "string" ? value : undefined;
  }

  /** The text of a required flag. Throws `usage`. */
  required(name: string): string {
    const text = this.text(name);
    if (text !== undefined) return text;
    throw new UsageError(`--${name} is required. See: ${this.#command} --help`);
  }

  texts(name: string): string[] | undefined {
    const value = this.#flags[camel(name)];
    return Array.isArray(value) ? value.map(String) : undefined;
  }

  /** Whether a flag without a value is set; `--no-x` clears `x`. */
  has(name: string): boolean {
    return this.#flags[camel(name)] === true;
  }

  /** True for `--x`, false for `--no-x`, of a command that takes both; undefined if neither is given. */
  toggle(name: string): boolean | undefined {
    const value = this.#flags[camel(name)];
    return typeof value === "boolean" ? value : undefined;
  }

  /** Throws `usage` for anything but a whole number of at least `least`. */
  integer(name: string, least: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
    throw new UsageError(`--${name} takes a whole number, ${least} or more.`);
  }

  /** Throws `usage` for a text that is not one of `known`. */
  choice<T extends string>(name: string, known: readonly T[]): T | undefined {
    return oneOf(this.text(name), known, `--${name}`);
  }
}

/** Throws `usage` for a text that is not one of `known`. `what` names it in the message. */
export function oneOf<T extends string>(
  text: string | undefined,
  known: readonly T[],
  what: string,
): T | undefined {
  const found = known.find((each) => each === text);
  if (found !== undefined || text === undefined) return found;
  throw new UsageError(`${what} ${closedList(known, text)}.`);
}

/** The flags of `create`, which fills in what is left out; `update` takes the same flags and leaves it as it is. */
export function withDefaults(
  flags: readonly FlagSpec[],
  defaults: { readonly [flag: string]: string },
): FlagSpec[] {
  return flags.map((spec) => {
    const value = defaults[spec.flag];
    return value === undefined ? spec : { ...spec, meaning: `${spec.meaning} (default: ${value})` };
  });
}

/** Drops undefined fields, for records whose fields are absent rather than undefined. */
export function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  // Only undefined entries were dropped.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function camel(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
