// The environment of a command: variables, terminal, standard streams. It is inspected only here; tests pass their own.
import { fstatSync, type Stats, statSync } from "node:fs";
import { type Opener, openBrowser } from "./browser";
import { OutputError } from "./errors";
import { type Prompts, terminalPrompts } from "./prompts";
import { terminalText } from "./printable";
import { wrappedNote } from "./wrap";
import { writeAll } from "./writer";

export type Environment = { readonly [name: string]: string | undefined };

/** The colours that the commands use. */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
}

const unchanged = (text: string): string => text;

export const plainPaint: Paint = { bold: unchanged, dim: unchanged, red: unchanged, green: unchanged };

export interface Io {
  readonly env: Environment;
  /** Data, on standard output. */
  out(text: string): void;
  /** Messages, on standard error: one line, without its line end. */
  note(line: string): void;
  /** Shows a line that the next note or call replaces; an empty line clears it. Undefined without a terminal. */
  readonly transient: ((line: string) => void) | undefined;
  /** Colours for data; plain if standard output is not a terminal. */
  readonly paint: Paint;
  /** Colours for notes. */
  readonly notePaint: Paint;
  /** Width of the terminal that shows the data; undefined without a terminal. */
  readonly columns: number | undefined;
  /** Whether prompts are possible. */
  readonly interactive: boolean;
  readonly prompts: Prompts;
  /** All of standard input. Call it only if the user requested it with `-`. */
  stdin(): Promise<Uint8Array>;
  /** Standard input line by line. */
  stdinLines(): AsyncIterable<string>;
  /** Opens an address in a browser; false if there is none. Never fails. */
  readonly openBrowser: Opener;
  /** Sets the handler for stop signals; before the first call the process exits. */
  onStop(handler: () => void): void;
  /** Sets what runs before each output, which may block for as long as the reader wants. */
  beforeOutput(handler: () => void): void;
}

/** The environment of this process. */
export async function systemIo(): Promise<Io> {
  const env: Environment = process.env;
  const outIsTerminal = isTerminal(1);
  const notesAreTerminal = isTerminal(2);
  const coloured = (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb";
  // NO_COLOR wins. FORCE_COLOR is for logs that show colours without a terminal, such as those of CI servers.
  const forced = isSet(env["FORCE_COLOR"]);
  const colours =
    coloured && (outIsTerminal || notesAreTerminal || forced) ? await terminalPaint() : plainPaint;
  let before = (): void => undefined;
  const note = (text: string): void => {
    before();
    writeAll(2, text);
  };
  return {
    env,
    out: (text) => {
      before();
      // A pipe gets the bytes as they are.
      writeOut(outIsTerminal ? terminalText(text) : text);
    },
    note: (line) => {
      const text = notesAreTerminal ? wrappedNote(line, process.stderr.columns || 80) : line;
      note(`${terminalText(text)}\n`);
    },
    transient: notesAreTerminal ? (line) => note(`\r\u001b[K${terminalText(line)}`) : undefined,
    paint: outIsTerminal || forced ? colours : plainPaint,
    notePaint: notesAreTerminal || forced ? colours : plainPaint,
    columns: outIsTerminal ? process.stdout.columns || 80 : undefined,
    interactive: notesAreTerminal && isTerminal(0) && !isSet(env["CI"]),
    prompts: terminalPrompts,
    stdin: () => Bun.stdin.bytes(),
    stdinLines: () => console,
    openBrowser: (address) => openBrowser(address, env),
    onStop: stopHandling(),
    beforeOutput: (handler) => (before = handler),
  };
}

async function terminalPaint(): Promise<Paint> {
  const { Chalk } = await import("chalk");
  const { bold, dim, red, green } = new Chalk({ level: 1 });
  return { bold, dim, red, green };
}

// Loading `node:tty` takes 2 ms, which output to a pipe, a file or /dev/null avoids.
function isTerminal(descriptor: number): boolean {
  try {
    const found = fstatSync(descriptor);
    if (!found.isCharacterDevice() || isNullDevice(found)) return false;
  } catch {
    // The descriptor is closed.
    return false;
  }
  return process.getBuiltinModule("node:tty").isatty(descriptor);
}

function isNullDevice({ rdev }: Stats): boolean {
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

// Ctrl-C exits with the code that shells use for it, unless a command sets a handler.
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
