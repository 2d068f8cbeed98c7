// Ranges in A1 notation. Sheet names are always quoted: without quotes, a sheet named `A1` or like a named range would
// be read as a cell or as that range.
import { columnLetters } from "./column";

/** A rectangle of cells; rows and columns count from 1, both ends are inclusive. */
export interface Area {
  firstRow: number;
  lastRow: number;
  firstColumn: number;
  lastColumn: number;
}

/** `C7` */
export function cellName(row: number, column: number): string {
  return `${columnLetters(column)}${row}`;
}

/** `'Jon''s Data'!A1:B2`; one cell is written without the colon. */
export function rangeName(title: string, area: Area): string {
  const first = cellName(area.firstRow, area.firstColumn);
  const last = cellName(area.lastRow, area.lastColumn);
  return `'${title.replaceAll("'", "''")}'!${first === last ? first : `${first}:${last}`}`;
}

/** Title and cells of a range as the platform writes it, quoted if necessary. The title may contain `!`. */
export function splitRange(range: string): { title: string | undefined; cells: string } {
  const at = range.lastIndexOf("!");
  if (at < 0) return { title: undefined, cells: range };
  const name = range.slice(0, at);
  const quoted = name.length > 1 && name.startsWith("'") && name.endsWith("'");
  return { title: quoted ? name.slice(1, -1).replaceAll("''", "'") : name, cells: range.slice(at + 1) };
}
