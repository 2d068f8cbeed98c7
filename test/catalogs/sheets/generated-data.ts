// Generated `data` objects together with the cells that they must become. What becomes of a value is written down here,
// kind by kind, from the platform's documentation and our own rules; nothing is asked of the stand-in.
import fc from "fast-check";

type Value = string | number | boolean;

/** What GetSpreadsheet must tell of a cell; `shown` undefined: any text. */
export interface Told {
  readonly entered: Value;
  readonly shown: string | undefined;
}

/** A value, and what it becomes. */
export interface Sample {
  readonly value: Value;
  /** Null: the cell stays empty. */
  readonly cell: Told | null;
}

export interface SampleCell extends Sample {
  readonly row: number;
  readonly column: number;
}

const told = (entered: Value, shown: string | undefined): Told => ({ entered, shown });
const same = (value: Value, cell: Told | null): Sample => ({ value, cell });
/** Text that stays as it is, though a person's keyboard would turn it into something else. */
const kept = (value: string): Sample => same(value, told(value, value));
/** Text behind an apostrophe; it is read without one where it would be read as text anyway. */
const forced = (value: string): Sample =>
  same(`'${value}`, told(isPlain(value) ? value : `'${value}`, value));
const isPlain = (value: string): boolean =>
  value === "=" || (!/^[=']/.test(value) && !/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?$/.test(value));

const text = fc
  .string({ unit: "grapheme", maxLength: 40 })
  .filter((one) => one.isWellFormed() && !one.includes("\0"));
const grouped = (number: number): string => number.toString().replaceAll(/\B(?=(\d{3})+$)/g, ",");
const two = (number: number): string => String(number).padStart(2, "0");

/** With `;` between arguments and without decimals, so that they are the same in every locale. */
const FORMULAS: readonly [string, string][] = [
  ["=1+2", "3"],
  ['="a"&"b"', "ab"],
  ["=SUM(1;2;3)", "6"],
  ["=1/0", "#DIV/0!"],
  ['=UPPER("x\'y")', "X'Y"],
  ['=IF(1>2;"yes";"a;b")', "a;b"],
];

const numbers: fc.Arbitrary<Sample>[] = [
  fc.integer({ min: -999_999_999, max: 999_999_999 }).map((n) => same(n, told(n, String(n)))),
  fc.integer({ min: -999_999, max: 999_999 }).map((n) => same(n / 100, told(n / 100, undefined))),
  fc
    .double({ noNaN: true, noDefaultInfinity: true })
    // JSON knows one zero only.
    .map((n) => same(n, told(n === 0 ? 0 : n, undefined))),
  fc.boolean().map((b) => same(b, told(b, b ? "TRUE" : "FALSE"))),
];

const texts: fc.Arbitrary<Sample>[] = [
  // A sign that begins no number, date, formula or boolean.
  text.map((rest) => same(`~${rest}`, told(`~${rest}`, `~${rest}`))),
  fc
    .constantFrom("~", "é", "😀")
    .map((char) => same(char.repeat(50_000), told(char.repeat(50_000), char.repeat(50_000)))),
  fc.constant(same("", null)),
  fc.constant(same("=", told("=", "="))),
  // The apostrophe forces text, whatever follows, and is not kept.
  fc
    .tuple(fc.constantFrom("=1+2", "+", "007", "TRUE", "2024-01-15", "2024-01-15T10:30", "'", "~"), text)
    .map(([start, rest]) => forced(start + rest)),
  fc.constantFrom(...FORMULAS).map(([formula, shown]) => same(formula, told(formula, shown))),
];

const typedByPersons: fc.Arbitrary<Sample>[] = [
  fc
    .tuple(fc.constantFrom("+", "-", "@", "$", "#", "0", "1/", "1,", "1."), text)
    .map((parts) => kept(parts.join(""))),
  fc.integer({ min: -5000, max: 5000 }).map((n) => kept(`${n}%`)),
  fc.integer({ min: 0, max: 9_999_999 }).map((n) => kept(`$${grouped(n)}`)),
  fc.integer({ min: 0, max: 99_999 }).map((n) => kept(`00${n}`)),
  fc.integer({ min: 1000, max: 9_999_999 }).map((n) => kept(grouped(n))),
  fc.constantFrom("TRUE", "false", "WAHR", "VRAI", "Jan 5", "5. März").map(kept),
  fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hour, minute]) => kept(`${hour}:${two(minute)}`)),
];

const moment = fc.date({
  min: new Date("1950-01-01"),
  max: new Date("2099-12-31"),
  noInvalidDate: true,
});
/** Days since 30 December 1899. */
const serialOf = (time: string): number => (Date.parse(time) - Date.UTC(1899, 11, 30)) / 86_400_000;
const dates: fc.Arbitrary<Sample>[] = [
  moment.map((date) => date.toISOString().slice(0, 10)).map((day) => same(day, told(serialOf(day), day))),
  moment
    .map((date) => `${date.toISOString().slice(0, 19)}Z`)
    .map((time) => same(time, told(serialOf(time), undefined))),
];

const sample = fc.oneof(...numbers, ...texts, ...typedByPersons, ...dates);

type Place = { row: number; column: number };
const within = (rows: [number, number], columns: [number, number]): fc.Arbitrary<Place> =>
  fc.record({
    row: fc.integer({ min: rows[0], max: rows[1] }),
    column: fc.integer({ min: columns[0], max: columns[1] }),
  });
const scattered = (place: fc.Arbitrary<Place>, maxLength: number): fc.Arbitrary<Place[]> =>
  fc.uniqueArray(place, { minLength: 1, maxLength, selector: ({ row, column }) => `${row} ${column}` });

/** Dense, sparse, wide and deep; each fits in the ten million cells that a spreadsheet may have. */
const places = fc.oneof(
  scattered(within([1, 6], [1, 6]), 36),
  scattered(within([1, 300], [1, 120]), 12),
  scattered(within([1, 3], [1, 18_278]), 6),
  scattered(within([1, 300_000], [1, 3]), 6),
);

/** The cells of one `data` object. */
export const cellsOfData: fc.Arbitrary<SampleCell[]> = places.chain((all) =>
  fc.tuple(...all.map((place) => sample.map((one) => ({ ...place, ...one, ...shortened(place, one) })))),
);

/** How a report shows a cell that holds a long text. */
function shortened({ row, column }: Place, { value }: Sample): object {
  if (typeof value !== "string" || value.length < 1000) return {};
  const shown = `row ${row}, column ${column}: ${value.length} × ${value.slice(0, 4)}…`;
  return { [fc.toStringMethod]: () => shown };
}
