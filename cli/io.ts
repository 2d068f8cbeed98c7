// What a command may know of its surroundings, and the one place where they are looked at: whether there is a terminal,
// how wide it is, whether it shows colour. Tests hand in their own.
import { fstatSync, type Stats, statSync } from "node:fs";
import { type Opener, openBrowser } from "./browser";
import { OutputError } from "./errors";
import { type Paint, paintFor, plainPaint } from "./paint";
import { type Prompts, terminalPrompts } from "./prompts";
import { writeAll } from "./writer";

export type Environment = { readonly [name: string]: string | undefined };

export interface Io {
  readonly env: Environment;
  /** Data, on standard output. */
  out(text: string): void;
  /** Everything else, on standard error: one line, without its line end. */
  note(line: string): void;
  /** Shows a line that the next note or call replaces; an empty one only goes. Undefined without a terminal. */
  readonly transient: ((line: string) => void) | undefined;
  /** Colours for data; plain when standard output is no terminal. */
  readonly paint: Paint;
  /** Colours for notes. */
  readonly notePaint: Paint;
  /** Width of the terminal that shows the data; undefined when no terminal does. */
  readonly columns: number | undefined;
  /** Whether a person sits there who can answer questions. */
  readonly interactive: boolean;
  readonly prompts: Prompts;
  /** All of standard input. Only to be called when the person asked for it with `-`. */
  stdin(): Promise<Uint8Array>;
  /** Standard input line by line, for a command that talks over it. */
  stdinLines(): AsyncIterable<string>;
  /** Shows an address to the person; false when there is no browser to be seen. Never fails. */
  readonly openBrowser: Opener;
  /** Who is told when the process shall end; before the first call it just ends. */
  onStop(handler: () => void): void;
}

/** The process's own surroundings. */
export async function systemIo(): Promise<Io> {
  const env: Environment = process.env;
  const outIsTerminal = isTerminal(1);
  const notesAreTerminal = isTerminal(2);
  const coloured = (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  const colours = coloured && (outIsTerminal || notesAreTerminal) ? await paintFor() : plainPaint;
  return {
    env,
    out: writeOut,
    note: (line) => void writeAll(2, `${line}\n`),
    transient: notesAreTerminal ? (line) => void writeAll(2, `\r\u001b[K${line}`) : undefined,
    paint: outIsTerminal ? colours : plainPaint,
    notePaint: notesAreTerminal ? colours : plainPaint,
    columns: outIsTerminal ? process.stdout.columns || 80 : undefined,
    interactive: notesAreTerminal && isTerminal(0) && !isSet(env["CI"]),
    prompts: terminalPrompts,
    stdin: () => Bun.stdin.bytes(),
    stdinLines: () => console,
    openBrowser: (address) => openBrowser(address, env),
    onStop: stopHandling(),
  };
}

// The module that knows terminals takes 2 ms to load: nobody waits for it who writes into a pipe, a file, or nowhere.
function isTerminal(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    if (!found.isCharacterDevice() || isNowhere(found)) return false;
  } catch {
    // It is closed.
    return false;
  }
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}

function isNowhere({ rdev }: Stats): boolean {
  return statSync("/dev/null", { throwIfNoEntry: false })?.rdev === rdev;
}

function writeOut(text: string): void {
  try {
    writeAll(1, text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "unknown reason";
    throw new OutputError(`Standard output cannot be written: ${reason}`);
  }
}

// Ctrl-C ends the process with the code that shells use for it, unless a command has something to finish first.
function stopHandling(): Io["onStop"] {
  let current = (): void => process.exit(130);
  process.on("SIGINT", () => current());
  return (handler) => {
    current = handler;
    process.removeAllListeners("SIGTERM").on("SIGTERM", () => current());
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !["", "0", "false"].includes(value.toLowerCase());
}
