// What becomes of values, written by hand from the platform's documentation and our own rules; never from the stand-in.
// `entered` and `shown` are what the cell holds and shows; `read` is what GetSpreadsheet tells of the former, marked if
// `data` would read it otherwise. `null` is a cell that must stay empty.

export interface Expected {
  readonly entered: string | number | boolean;
  readonly shown: string;
  readonly read: string | number | boolean;
}

export interface Row {
  readonly value: string | number | boolean;
  readonly cell: Expected | null;
}

const row = (
  value: Row["value"],
  entered: Expected["entered"],
  shown: string,
  read: Expected["read"] = entered,
): Row => ({ value, cell: { entered, shown, read } });
/** Text that stays text and is not marked, and text that is marked. */
const kept = (value: string): Row => row(value, value, value);
const marked = (value: string): Row => row(`'${value}`, value, value, `'${value}`);
const empty = (value: string): Row => ({ value, cell: null });

/** `data` of CreateSpreadsheet and UpdateCells. */
export const GIVEN: readonly Row[] = [
  row(true, true, "TRUE"),
  row(false, false, "FALSE"),
  row(0, 0, "0"),
  row(-0, 0, "0"),
  row(2024, 2024, "2024"),
  row(1234567, 1234567, "1234567"),
  row(-3.5, -3.5, "-3.5"),
  row(0.1, 0.1, "0.1"),
  row("=1+2", "=1+2", "3"),
  row("=SUM(1;2)", "=SUM(1;2)", "3"),
  row('="a"&"b"', '="a"&"b"', "ab"),
  row("=1/0", "=1/0", "#DIV/0!"),
  kept("="),
  kept(" =1+2"),
  marked("=1+2"),
  row("'0001", "0001", "0001"),
  row("''quoted", "'quoted", "'quoted", "''quoted"),
  row("''", "'", "'", "''"),
  ...["+1", "+1+2", "+Dri7", "+49 30 1234", "-5", "-x", "@all", "#N/A", "(5)", ".5", ",5"].map(kept),
  ...["0050", "04001", "00123", "1/2", "12:30", "1,234", "1.234,5", "1e5", "12345678901234567890"].map(kept),
  ...["$5", "$1,234.50", "5 €", "10%", "12.5%", "TRUE", "false", "WAHR", "Jan 5", "15.01.2024"].map(kept),
  ...["plain text", 'Jon\'s "Data"\n😀 ', " ", "\ttab"].map(kept),
  row("2024-01-15", 45306, "2024-01-15"),
  row("2024-02-29", 45351, "2024-02-29"),
  row("2024-01-15T10:30", 45306.4375, "2024-01-15 10:30:00"),
  row("2024-01-15 10:30:00", 45306.4375, "2024-01-15 10:30:00"),
  row("2024-01-15T10:30:00.000Z", 45306.4375, "2024-01-15 10:30:00"),
  row("2024-01-15T00:30:00+02:00", 45305.9375, "2024-01-14 22:30:00"),
  marked("2024-01-15"),
  marked("2024-01-15T10:30"),
  // These are no dates of a cell, so they stay what they are.
  ...["2023-02-29", "2024-13-01", "1899-12-31", "2024-1-5", "20240115", "2024-01-15T24:00"].map(kept),
  ...["2024-01-15T10:30:00.123Z", "2024-01-15T10:30:60", "2024-01-15 ", "2024-01"].map(kept),
  empty(""),
  empty("'"),
];

/** WriteToCell: as if a person had typed it, in a file of the United States. */
export const TYPED: readonly Row[] = [
  row("=1+2", "=1+2", "3"),
  row("=1/0", "=1/0", "#DIV/0!"),
  row("=", "=", "="),
  row("10%", 0.1, "10%"),
  row("12.5%", 0.125, "12.50%"),
  row("$5", 5, "$5"),
  row("$1,234.50", 1234.5, "$1,234.50"),
  row("1,234", 1234, "1,234"),
  row("2024-01-15", 45306, "2024-01-15"),
  row("1/15/2024", 45306, "1/15/2024"),
  row("12:30", 12.5 / 24, "12:30"),
  row("TRUE", true, "TRUE"),
  row("FALSE", false, "FALSE"),
  row("00123", 123, "123"),
  row("0050", 50, "50"),
  row("04001", 4001, "4001"),
  row("'04001", "04001", "04001"),
  marked("2024-01-15"),
  marked("=1+2"),
  row("+1+2", "=+1+2", "3"),
  row("+5", 5, "5"),
  row("-5", -5, "-5"),
  row("=SUM(1;2)", "=SUM(1;2)", "3"),
  row("''quoted", "'quoted", "'quoted", "''quoted"),
  row("plain text", "plain text", "plain text"),
  row('Jon\'s "Data"\n😀', 'Jon\'s "Data"\n😀', 'Jon\'s "Data"\n😀'),
  empty(""),
];

/** A cell of GetSpreadsheet. */
export function readCell({ read, shown }: Expected) {
  return { userEnteredValue: read, formattedValue: shown };
}
