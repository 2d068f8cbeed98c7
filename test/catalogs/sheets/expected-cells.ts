// What becomes of values, written by hand from the platform's documentation and our own rules; never from the stand-in.
// `entered` and `shown` are what GetSpreadsheet must tell; `null` is a cell that must stay empty.

export interface Expected {
  readonly entered: string | number | boolean;
  readonly shown: string;
}

export interface Row {
  readonly value: string | number | boolean;
  readonly cell: Expected | null;
}

const row = (value: Row["value"], entered: Expected["entered"], shown: string): Row => ({
  value,
  cell: { entered, shown },
});
const empty = (value: string): Row => ({ value, cell: null });

/** CreateSpreadsheet: typed; only money, percentages and formulas are read out of text. */
export const CREATED: readonly Row[] = [
  row(true, true, "TRUE"),
  row(false, false, "FALSE"),
  row(0, 0, "0"),
  row(2024, 2024, "2024"),
  row(1234567, 1234567, "1234567"),
  row(-3.5, -3.5, "-3.5"),
  row(0.1, 0.1, "0.1"),
  row("=1+2", "=1+2", "3"),
  row('="a"&"b"', '="a"&"b"', "ab"),
  row("=1/0", "=1/0", "#DIV/0!"),
  row("=", "=", "="),
  row("'=1+2", "=1+2", "=1+2"),
  row("'0001", "0001", "0001"),
  row("''quoted", "'quoted", "'quoted"),
  row("$5", 5, "$5"),
  row("$1,234.50", 1234.5, "$1,234.50"),
  row("$0.5", 0.5, "$0.50"),
  row("$-5", -5, "-$5"),
  row("$1,23", "$1,23", "$1,23"),
  row("$", "$", "$"),
  row("$5 each", "$5 each", "$5 each"),
  row("10%", 0.1, "10.00%"),
  row("12.5%", 0.125, "12.50%"),
  row("-3%", -0.03, "-3.00%"),
  row("1,200%", 12, "1200.00%"),
  row("%", "%", "%"),
  row("10 %", "10 %", "10 %"),
  row("2024-01-15", "2024-01-15", "2024-01-15"),
  row("12:30", "12:30", "12:30"),
  row("00123", "00123", "00123"),
  row("0050", "0050", "0050"),
  row("1,234", "1,234", "1,234"),
  row("TRUE", "TRUE", "TRUE"),
  row("plain text", "plain text", "plain text"),
  row('Jon\'s "Data"\n😀 ', 'Jon\'s "Data"\n😀 ', 'Jon\'s "Data"\n😀 '),
  empty(""),
  empty("'"),
];

/** UpdateCells and WriteToCell: as if a person had typed it. */
export const TYPED: readonly Row[] = [
  row(true, true, "TRUE"),
  row(false, false, "FALSE"),
  row(0, 0, "0"),
  row(2024, 2024, "2024"),
  row(-3.5, -3.5, "-3.5"),
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
  row("'2024-01-15", "2024-01-15", "2024-01-15"),
  row("'=1+2", "=1+2", "=1+2"),
  row("''quoted", "'quoted", "'quoted"),
  row("plain text", "plain text", "plain text"),
  row('Jon\'s "Data"\n😀', 'Jon\'s "Data"\n😀', 'Jon\'s "Data"\n😀'),
  empty(""),
];

/** A cell of GetSpreadsheet. */
export function readCell({ entered, shown }: Expected) {
  return { userEnteredValue: entered, formattedValue: shown };
}
