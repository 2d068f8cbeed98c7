// Inputs on which a regular expression may be slow.
import { checkSync } from "recheck/lib/browser.js";

/** Makes an input of about a size. */
export type Attack = (size: number) => string;

const MISMATCH = "\0";
const MOST = 120;
// One of each kind stands for a class of characters.
const KINDS = [
  ["a", "A", "f", "0", "Z", "z", "9", "é", "中", "\u0301", "\u202e"],
  [" ", "\t", "\n", "\r", "\u00a0"],
  [...".-_/:\"'\\{}[]()<>=@%+,#!?&$*;|~^`"],
  ["\u0001", "\u0080", "\ud83d\ude00", "\ufeff"],
];

/** Attacks made from the parts of a pattern: repetitions, matches that end with a mismatch, many beginnings. */
export function attacksOn(pattern: string): Attack[] {
  const atoms = atomsOf(pattern).map(samplesOf);
  const samples = [...new Set(atoms.flat())];
  const attacks = new Map<string, Attack>();
  const add = (before: string, unit: string, after: string): void => {
    if (unit === "") return;
    const key = JSON.stringify([before, unit, after]);
    const made: Attack = (size) => before + unit.repeat(Math.ceil(size / unit.length)) + after;
    if (!attacks.has(key)) attacks.set(key, made);
  };
  let before = "";
  for (const own of atoms) {
    before += own[0] ?? "";
    add("", before, MISMATCH);
  }
  for (const sample of samples) {
    add("", sample, MISMATCH);
    add(MISMATCH, sample, MISMATCH + sample);
  }
  before = "";
  for (const [index, own] of atoms.entries()) {
    for (const sample of [...own, ...(atoms[index + 1] ?? [])]) add(before, sample, MISMATCH);
    before += own[0] ?? "";
    add("", `${before}${MISMATCH}`, "");
  }
  for (const first of samples) for (const second of samples) add("", first + second, MISMATCH);
  return [...attacks.values()].slice(0, MOST);
}

/** The attack that recheck finds with an automaton; undefined if it proves that there is none or cannot tell in time. */
export function attackByRecheck(pattern: string, flags: string, timeoutMs: number): Attack | undefined {
  const verdict = checkSync(pattern, flags, { checker: "automaton", timeout: timeoutMs });
  if (verdict.status !== "vulnerable") return undefined;
  const { pumps, suffix } = verdict.attack;
  return (size) =>
    pumps
      .map(({ prefix, pump }) => prefix + pump.repeat(Math.ceil(size / pump.length / pumps.length)))
      .join("") + suffix;
}

const ATOM =
  /\\(?:u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|[pP]\{[^}]*\}|k<\w+>|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<\w+>)|\{\d+(?:,\d*)?\}|./gsu;
const NO_CHARACTER = /^(?:\\[bBk]|\\[1-9]|\(|\)$|[|^$*+?]$|\{\d)/;

/** The parts of a pattern that match one character. */
function atomsOf(pattern: string): string[] {
  return (pattern.match(ATOM) ?? []).filter((part) => !NO_CHARACTER.test(part));
}

function samplesOf(atom: string): string[] {
  const form = oneOf(atom);
  const literal = atom.replace(/^\\/, "");
  if (literal.length === 1 && form.test(literal)) return [literal];
  return KINDS.flatMap((kind) => kind.find((character) => form.test(character)) ?? []);
}

function oneOf(atom: string): RegExp {
  for (const flags of ["u", "", "v"]) {
    try {
      return new RegExp(`^(?:${atom})$`, flags);
    } catch {
      // Another mode may allow it.
    }
  }
  throw new Error(`${atom} is not a part of a pattern.`);
}
