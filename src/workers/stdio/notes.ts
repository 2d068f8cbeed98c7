// What programs write on standard error, as log lines. A program may write as much as it likes; the log gets some of it.
import type { Clock, LeveledLog } from "../../base";
import { readLines } from "./lines";
import type { RunningProgram } from "./programs";

const MOST_LINES = 20;
const WINDOW_MS = 10_000;
const LONGEST = 500;
const LONGEST_READ = 64 * 1024;

export interface Hidden {
  /** The line without the values that the program has been given. */
  (line: string): string;
}

/** A function that takes secret values out of a line. Short ones would take out parts of words. */
export function hiding(values: readonly string[]): Hidden {
  const secrets = values
    .filter((value) => value.length >= 4)
    .toSorted((left, right) => right.length - left.length);
  return (line) => secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), line);
}

/** Writes the lines of a program to the log until it ends. */
export async function logErrors(
  program: RunningProgram,
  { clock, log, facts, hidden }: { clock: Clock; log: LeveledLog; facts: object; hidden: Hidden },
): Promise<void> {
  let [from, count, dropped] = [clock.monotonic(), 0, 0];
  const take = (line: string): void => {
    const now = clock.monotonic();
    if (now - from >= WINDOW_MS) {
      if (dropped > 0) log.info("lines of a program were left out", { ...facts, dropped });
      [from, count, dropped] = [now, 0, 0];
    }
    if (++count > MOST_LINES) dropped++;
    else log.info("a program wrote", { ...facts, text: hidden(line).slice(0, LONGEST) });
  };
  await readLines(program.errors, take, LONGEST_READ).catch(() => undefined);
  if (dropped > 0) log.info("lines of a program were left out", { ...facts, dropped });
}
