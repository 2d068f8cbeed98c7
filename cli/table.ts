// Tables for people. On a terminal the columns fit its width; in a pipe they are not truncated.
import type { Paint } from "./io";
import { printable } from "./printable";

export interface Column<T> {
  title: string;
  /** Undefined: an empty cell. */
  value(item: T): string | undefined;
}

const GAP = "  ";
const NARROWEST = 8;

/** The lines of a table, with the titles of the columns first. */
export function tableOf<T>(
  items: readonly T[],
  columns: readonly Column<T>[],
  { paint, width, headers = true }: { paint: Paint; width: number | undefined; headers?: boolean },
): string {
  const titles = columns.map(({ title }) => title.toUpperCase());
  const rows = items.map((item) => columns.map(({ value }) => printable(value(item) ?? "")));
  const head = headers ? [titles] : [];
  const widths = fit(naturalWidths([...head, ...rows]), width);
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => padded(cell, widths[index] ?? 0))
      .join(GAP)
      .trimEnd();
  return [...head.map((cells) => paint.bold(line(cells))), ...rows.map(line)]
    .map((text) => `${text}\n`)
    .join("");
}

/** One label and value per entry; values may have several lines. Entries without a value are omitted. */
export function linesOf(entries: readonly (readonly [string, string | undefined])[], paint: Paint): string {
  const shown = entries.flatMap(([label, value]) => (value === undefined ? [] : [[label, value] as const]));
  const width = Math.max(0, ...shown.map(([label]) => Bun.stringWidth(label)));
  return shown
    .map(([label, value]) => {
      const lines = value.split("\n").map(printable);
      return `${paint.dim(padded(label, width))}${GAP}${lines.join(`\n${" ".repeat(width)}${GAP}`)}\n`;
    })
    .join("");
}

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  const [first = []] = rows;
  return first.map((_, index) => Math.max(...rows.map((row) => Bun.stringWidth(row[index] ?? ""))));
}

// Shortens the widest column until the table fits, so that narrow ones are not truncated.
function fit(natural: readonly number[], width: number | undefined): number[] {
  const widths = [...natural];
  if (width === undefined) return widths;
  const total = (): number => widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
  while (total() > width) {
    const widest = widths.indexOf(Math.max(...widths));
    const next = (widths[widest] ?? 0) - 1;
    if (next < NARROWEST) break;
    widths[widest] = next;
  }
  return widths;
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
