// Acceptance scripts: text files of commands and what they print.
//
//   # only: direct                 the script is about this machine; without it, it also runs against a server
//   # fault: cut-output pipes      the commands below prevent this reported fault
//   $ runtime keys list            a line for bash
//   ID  NAME                       standard output: `[..]` is any text, `...` any lines, `~` an empty line
//   ! There are no API keys        a text that standard error contains
//   ? 3                            the exit code, when it is not 0
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Step {
  line: number;
  command: string;
  stdout: string[];
  stderr: string[];
  code: number;
}

export interface Script {
  name: string;
  modes: readonly Mode[];
  /** Tags of the reported faults that it prevents. */
  faults: string[];
  steps: Step[];
}

export type Mode = "direct" | "server";

const FOLDER = join(import.meta.dir, "scripts");

export const scripts: readonly Script[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".txt"))
  .toSorted()
  .map((name) => parseScript(name.replace(/\.txt$/, ""), readFileSync(join(FOLDER, name), "utf8")));

export function parseScript(name: string, text: string): Script {
  const script: Script = { name, modes: ["direct", "server"], faults: [], steps: [] };
  text.split("\n").forEach((line, index) => {
    const [mark, rest] = [line.slice(0, 2), line.slice(2)];
    const step = script.steps.at(-1);
    if (mark === "# ") {
      if (rest === "only: direct") script.modes = ["direct"];
      const [, tag] = /^fault: (\S+)/.exec(rest) ?? [];
      if (tag !== undefined) script.faults.push(tag);
    } else if (mark === "$ ")
      script.steps.push({ line: index + 1, command: rest, stdout: [], stderr: [], code: 0 });
    else if (line === "" || line === "#") return;
    else if (step === undefined) throw new Error(`${name}:${index + 1}: before the first command`);
    else if (mark === "! ") step.stderr.push(rest);
    else if (mark === "? ") step.code = Number(rest);
    else step.stdout.push(line === "~" ? "" : line);
  });
  return script;
}

/** Whether a text matches the expected lines of a script. */
export function fits(expected: readonly string[], text: string): boolean {
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  return linesFit(expected, lines);
}

function linesFit(expected: readonly string[], lines: readonly string[]): boolean {
  const [first, ...others] = expected;
  if (first === undefined) return lines.length === 0;
  if (first === "...")
    return Array.from({ length: lines.length + 1 }, (_, skip) => lines.slice(skip)).some((rest) =>
      linesFit(others, rest),
    );
  const [line, ...rest] = lines;
  return line !== undefined && lineFits(first, line) && linesFit(others, rest);
}

function lineFits(expected: string, line: string): boolean {
  const pattern = expected
    .split("[..]")
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${pattern}$`, "s").test(line);
}
