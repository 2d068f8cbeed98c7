// Generated `data` objects together with the cells that they must become. What becomes of a value is written down here,
// kind by kind, from the platform's documentation and our own rules; nothing is asked of the stand-in.
import fc from "fast-check";

type Value = string | number | boolean;

/** What GetSpreadsheet must tell of a cell; `shown` undefined: any text. */
export interface Told {
  readonly entered: Value;
  readonly shown: string | undefined;
}

/** A value, and what it becomes where it is typed data and where it is read as if a person had typed it. */
export interface Sample {
  readonly value: Value;
  /** Null: the cell stays empty. */
  readonly created: Told | null;
  readonly typed: Told | null;
}

export interface SampleCell extends Sample {
  readonly row: number;
  readonly column: number;
}

const told = (entered: Value, shown: string | undefined): Told => ({ entered, shown });
const same = (value: Value, cell: Told | null): Sample => ({ value, created: cell, typed: cell });
/** Text that only a person's keyboard would turn into something else. */
const keptOrTyped = (value: string, typed: Told): Sample => ({ value, created: told(value, value), typed });

const text = fc
  .string({ unit: "grapheme", maxLength: 40 })
  .filter((one) => one.isWellFormed() && !one.includes("\0"));
const grouped = (number: number): string => number.toString().replaceAll(/\B(?=(\d{3})+$)/g, ",");
const two = (number: number): string => String(number).padStart(2, "0");

const FORMULAS: readonly [string, string][] = [
  ["=1+2", "3"],
  ['="a"&"b"', "ab"],
  ["=SUM(1,2,3)", "6"],
  ["=1/0", "#DIV/0!"],
  ['=UPPER("x\'y")', "X'Y"],
  ["=10%", "0.1"],
  ['=IF(1>2,"yes","no")', "no"],
];

const numbers: fc.Arbitrary<Sample>[] = [
  fc.integer({ min: -999_999_999, max: 999_999_999 }).map((n) => same(n, told(n, String(n)))),
  fc.integer({ min: -999_999, max: 999_999 }).map((n) => same(n / 100, told(n / 100, String(n / 100)))),
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
    .tuple(fc.constantFrom("=1+2", "$5", "10%", "007", "TRUE", "12:30", "2024-01-15", "'", "~"), text)
    .map(([start, rest]) => same(`'${start}${rest}`, told(start + rest, start + rest))),
  fc.constantFrom(...FORMULAS).map(([formula, shown]) => same(formula, told(formula, shown))),
];

const readAsTyped: fc.Arbitrary<Sample>[] = [
  fc.integer({ min: -5000, max: 5000 }).map((n) => ({
    value: `${n}%`,
    created: told(n / 100, `${n}.00%`),
    typed: told(n / 100, `${n}%`),
  })),
  fc.integer({ min: 1, max: 9999 }).map((n) => {
    const [value, shown] = [`${n}.5%`, `${n}.50%`];
    return same(value, told((n + 0.5) / 100, shown));
  }),
  fc.integer({ min: 0, max: 9_999_999 }).map((n) => same(`$${grouped(n)}`, told(n, `$${grouped(n)}`))),
  fc
    .tuple(fc.integer({ min: 0, max: 999_999 }), fc.integer({ min: 0, max: 99 }))
    .map(([whole, cents]) => `${grouped(whole)}.${two(cents)}`)
    .map((amount) => same(`$${amount}`, told(Number(amount.replaceAll(",", "")), `$${amount}`))),
  fc.integer({ min: 0, max: 99_999 }).map((n) => keptOrTyped(`00${n}`, told(n, String(n)))),
  fc.integer({ min: 1000, max: 9_999_999 }).map((n) => keptOrTyped(grouped(n), told(n, grouped(n)))),
  fc
    .boolean()
    .map((b) => (b ? "TRUE" : "FALSE"))
    .map((word) => keptOrTyped(word, told(word === "TRUE", word))),
  fc
    .date({ min: new Date("1950-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10))
    // Days since 30 December 1899.
    .map((day) => keptOrTyped(day, told((Date.parse(day) - Date.UTC(1899, 11, 30)) / 86_400_000, day))),
  fc
    .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    .map(([hour, minute]) =>
      keptOrTyped(`${hour}:${two(minute)}`, told((hour * 60 + minute) / 1440, `${hour}:${two(minute)}`)),
    ),
];

const sample = fc.oneof(...numbers, ...texts, ...readAsTyped);

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
