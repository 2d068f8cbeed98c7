// A1 notation as the platform reads and writes it. Rows and columns count from 0 here, ends excluded.
import { invalidArgument } from "./platform-error";

/** A range; an open side extends to the end of the grid. */
export interface A1Range {
  /** Undefined: the first visible sheet. */
  readonly title: string | undefined;
  readonly startRow: number;
  readonly endRow: number;
  readonly startColumn: number;
  readonly endColumn: number;
}

const SIDE = /^([A-Za-z]{1,3})?([1-9]\d{0,7})?$/;
const PLAIN_TITLE = /^[A-Za-z_][A-Za-z0-9_.]*$/;
const LIKE_A_CELL = /^(?:[A-Za-z]{1,3}\d+|[Rr]\d*[Cc]\d*)$/;

/** Throws 400 "Unable to parse range" for invalid text. */
export function parseA1(text: string): A1Range {
  const { title, cells } = split(text);
  const sides = cells === undefined ? [] : cells.split(":");
  const [first, last = first] = sides.map((side) => parseSide(side, text));
  if (sides.length > 2) throw unparsable(text);
  return {
    title,
    startRow: (first?.row ?? 1) - 1,
    endRow: last?.row ?? Infinity,
    startColumn: (first?.column ?? 1) - 1,
    endColumn: last?.column ?? Infinity,
  };
}

export function unparsable(text: string): Error {
  return invalidArgument(`Unable to parse range: ${text}`);
}

/** Formats a range: the title quoted only if necessary, one cell without a colon. */
export function formatA1(title: string, area: Omit<A1Range, "title">): string {
  const bare = PLAIN_TITLE.test(title) && !LIKE_A_CELL.test(title);
  const first = `${letters(area.startColumn + 1)}${area.startRow + 1}`;
  const last = `${letters(area.endColumn)}${area.endRow}`;
  return `${bare ? title : `'${title.replaceAll("'", "''")}'`}!${first === last ? first : `${first}:${last}`}`;
}

export function letters(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return (rest === 0 ? "" : letters(rest)) + String.fromCharCode(65 + ((column - 1) % 26));
}

/** A quoted title ends at the first undoubled quote; an unquoted one must be plain. */
function split(text: string): { title: string | undefined; cells: string | undefined } {
  const quoted = /^'((?:[^']|'')+)'(?:!(.+))?$/s.exec(text);
  if (quoted !== null) return { title: quoted[1]?.replaceAll("''", "'"), cells: quoted[2] };
  const at = text.indexOf("!");
  if (at < 0) {
    const isCells = text.split(":").every((side) => side !== "" && SIDE.test(side)) && /\d|:/.test(text);
    return isCells ? { title: undefined, cells: text } : { title: plain(text, text), cells: undefined };
  }
  return { title: plain(text.slice(0, at), text), cells: text.slice(at + 1) };
}

function plain(title: string, text: string): string {
  if (!PLAIN_TITLE.test(title)) throw unparsable(text);
  return title;
}

function parseSide(side: string, text: string): { row: number | undefined; column: number | undefined } {
  const match = side === "" ? null : SIDE.exec(side);
  if (match === null) throw unparsable(text);
  const [, column, row] = match;
  return {
    column: column === undefined ? undefined : columnNumber(column),
    row: row === undefined ? undefined : Number(row),
  };
}

function columnNumber(text: string): number {
  return [...text.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
