// The report: rows of several runs as one, the table, and the same as JSON.
import type { Row } from "./bench";
import { boundText, figureText, isMet } from "./bound";
import { median } from "./figures";

/** A row with its verdict over all runs. */
export interface Verdict extends Row {
  /** Undefined if skipped or unclear. */
  met: boolean | undefined;
  metRuns: number;
  runs: number;
  /** The figure of each run in order, which shows how far and in which run a bound was missed. */
  figures: number[];
}

/** The same row of several runs: the median run is shown, and a bound is met if every run meets it. */
export function verdict(runs: readonly Row[]): Verdict {
  const [first] = runs;
  if (first === undefined) throw new RangeError("a verdict needs at least one run");
  const figures = runs.flatMap(({ figure }) => (figure === undefined ? [] : [figure]));
  const middle = median(figures);
  const distance = ({ figure }: Row): number => Math.abs((figure ?? Infinity) - middle);
  const shown = runs.reduce((best, row) => (distance(row) < distance(best) ? row : best), first);
  const outcomes = runs.map(metIn);
  const metRuns = outcomes.filter((met) => met === true).length;
  const met = outcomes.includes(false) ? false : outcomes.includes(undefined) ? undefined : true;
  return { ...shown, met, metRuns, runs: runs.length, figures };
}

function metIn({ bound, figure, doubtful }: Row): boolean | undefined {
  const met = isMet(bound, figure);
  return met === true && doubtful === true ? undefined : met;
}

/** Rows of each run, one list per run → a verdict per row, in the order of the first run. */
export function verdicts(runs: readonly (readonly Row[])[]): Verdict[] {
  const names = [...new Set(runs.flat().map(({ name }) => name))];
  return names.map((name) => verdict(runs.flat().filter((row) => row.name === name)));
}

const HEAD = ["row", "measured", "baseline", "figure", "spread", "bound", "met", "note"];

/** The table as text, columns aligned. */
export function table(rows: readonly Verdict[]): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_name, column) => Math.max(...lines.map((line) => width(line[column]))));
  const text = (line: readonly string[]): string =>
    line.map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - width(cell))).join("  ");
  const rule = widths.map((size) => "─".repeat(size));
  return [HEAD, rule, ...lines.slice(1)].map((line) => text(line).trimEnd()).join("\n");
}

function cells(row: Verdict): string[] {
  const { unit } = row.bound;
  const [low, high] = row.spread ?? [];
  return [
    row.name,
    row.measured,
    row.baseline,
    row.figure === undefined ? "" : figureText(row.figure, unit),
    low === undefined || high === undefined ? "" : `${low.toFixed(2)} … ${high.toFixed(2)}`,
    boundText(row.bound),
    metText(row),
    row.note ?? "",
  ];
}

function metText({ met, figure, metRuns, runs }: Verdict): string {
  const word = met === undefined ? (figure === undefined ? "skipped" : "unclear") : met ? "yes" : "no";
  return runs === 1 || met === undefined ? word : `${word} (${metRuns} of ${runs})`;
}

function width(cell: string | undefined): number {
  return Bun.stringWidth(cell ?? "");
}
