// Tables for people. On a terminal the columns fit its width; in a pipe nothing is cut. What other commands take is never
// cut: a column with half an id is worth nothing.
import type { Paint } from "./io";
import { printable } from "./printable";
import { wrapped } from "./wrap";

export interface Column<T> {
  title: string;
  /** Undefined: an empty cell. */
  value(item: T): string | undefined;
  /**
   * `always`: other commands take it, so it is shown in full on every terminal. `whole`: left out rather than cut, such as a
   * time. Without it, the column shrinks first and is left out last.
   */
  keep?: "always" | "whole";
  /** Continued in further lines rather than cut. For the last column. */
  wraps?: boolean;
}

export interface TableOptions {
  paint: Paint;
  /** Columns of the terminal; undefined: no limit. */
  width: number | undefined;
  headers?: boolean;
}

const GAP = "  ";
const NARROWEST = 8;
/** Narrower, a text would be a column of single words. */
const NARROWEST_WRAPPED = 24;

/** The lines of a table, with the titles of the columns first. */
export function tableOf<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  options: TableOptions,
): string {
  return fittedTable(items, columns, options).text;
}

/** A table, and the titles of the columns that were left out because the terminal is too narrow. */
export function fittedTable<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  { paint, width, headers = true }: TableOptions,
): { text: string; hidden: string[] } {
  const cells = columns.map((column) => cellsOf(column, items, headers));
  const shown = fit(cells, width ?? Infinity, headers);
  const lines = (headers ? [-1, ...items.keys()] : [...items.keys()]).map((_, row) => rowOf(shown, row));
  const text = lines.map((line, row) => `${headers && row === 0 ? paint.bold(line) : line}\n`).join("");
  const hidden = cells
    .filter((column) => !shown.includes(column) && !isEmpty(column, headers))
    .map(({ title }) => title);
  return { text, hidden };
}

/** The line of a row, with further lines for texts that wrap. */
function rowOf(shown: readonly Cells[], row: number): string {
  const texts = shown.map(({ texts: all, width, wraps }) => {
    const text = all[row] ?? "";
    return wraps ? wrapped(text, width) : [text];
  });
  const height = Math.max(1, ...texts.map(({ length }) => length));
  return Array.from({ length: height }, (_, at) =>
    shown
      .map(({ width }, column) => padded(texts[column]?.[at] ?? "", width))
      .join(GAP)
      .trimEnd(),
  ).join("\n");
}

/**
 * One label and value per entry; values may have several lines. Entries without a value are omitted. `columns`: the width of
 * the terminal.
 */
export function linesOf(
  entries: readonly (readonly [string, string | undefined])[],
  paint: Paint,
  columns?: number,
): string {
  const shown = entries.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
  const width = Math.max(0, ...shown.map(([label]) => Bun.stringWidth(label)));
  return shown
    .map(([label, value]) => {
      const room = columns === undefined ? undefined : Math.max(NARROWEST, columns - width - GAP.length);
      const lines = value.split("\n").flatMap((line) => wrapped(printable(line), room));
      return `${paint.dim(padded(label, width))}${GAP}${lines.join(`\n${" ".repeat(width)}${GAP}`)}\n`;
    })
    .join("");
}

/** The texts of a column, with its title first if there are titles. */
interface Cells {
  title: string;
  texts: readonly string[];
  /** As wide as it is shown. */
  width: number;
  /** It is not shown narrower than that. */
  least: number;
  optional: boolean;
  wraps: boolean;
}

function isEmpty({ texts }: Cells, headers: boolean): boolean {
  return texts.slice(headers ? 1 : 0).every((text) => text === "");
}

function cellsOf<T>(
  { title, value, keep, wraps = false }: Column<T>,
  items: readonly T[],
  headers: boolean,
): Cells {
  const rows = items.map((item) => printable(value(item) ?? ""));
  const texts = headers ? [title.toUpperCase(), ...rows] : rows;
  const width = Math.max(0, ...texts.map((text) => Bun.stringWidth(text)));
  const narrowest = wraps ? NARROWEST_WRAPPED : NARROWEST;
  const least = keep === undefined ? Math.min(width, narrowest) : width;
  return { title, texts, width, least, optional: keep !== "always", wraps };
}

// First columns without a text are left out. Then the last columns that can be missed are left out, until the others fit at
// their narrowest, and those that fit are added again. Then the widest column is narrowed until the table fits, so that
// narrow ones are not cut.
function fit(cells: readonly Cells[], width: number, headers: boolean): Cells[] {
  const isTooWide = cells.reduce((sum, column) => sum + column.width + GAP.length, 0) - GAP.length > width;
  const shown = cells.filter((column) => !isTooWide || !column.optional || !isEmpty(column, headers));
  const missing: Cells[] = [];
  const total = (size: "width" | "least"): number =>
    shown.reduce((sum, column) => sum + column[size], 0) + GAP.length * (shown.length - 1);
  while (total("least") > width) {
    const last = shown.findLastIndex(({ optional }) => optional);
    if (last < 0) break;
    missing.unshift(...shown.splice(last, 1));
  }
  // A narrow column may fit where a wide one did not.
  for (const column of missing) if (total("least") + GAP.length + column.least <= width) shown.push(column);
  shown.sort((left, right) => cells.indexOf(left) - cells.indexOf(right));
  while (total("width") > width) {
    const [widest] = shown
      .filter((column) => column.width > column.least)
      .toSorted((left, right) => right.width - left.width);
    if (widest === undefined) break;
    widest.width--;
  }
  return shown;
}

function padded(text: string, width: number): string {
  const natural = Bun.stringWidth(text);
  return natural <= width ? text + " ".repeat(width - natural) : cut(text, width);
}

// Truncates by graphemes: an emoji, or a letter with its accents, is not split.
function cut(text: string, width: number): string {
  let start = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Bun.stringWidth(start + segment) > width - 1) break;
    start += segment;
  }
  return `${start}…${" ".repeat(Math.max(0, width - 1 - Bun.stringWidth(start)))}`;
}
