// Cells of a new spreadsheet as they are sent.
import { expect, test } from "bun:test";
import { parseData } from "../../../../catalogs/sheets/cells/data";
import { gridData, typedCell } from "../../../../catalogs/sheets/cells/typed";
import { GIVEN } from "../expected-cells";

test.each(GIVEN.map(({ value, cell }) => [value, cell] as const))(
  "%p becomes the right cell",
  (value, expected) => {
    const cell = typedCell(value);
    if (expected === null) {
      expect(cell).toBeUndefined();
      return;
    }
    expect(Object.values(Object(cell?.["userEnteredValue"]))).toEqual([expected.entered]);
  },
);

const typed = (field: string, value: unknown) => ({ userEnteredValue: { [field]: value } });
const withFormat = (numberValue: number, type: string, pattern: string) => ({
  userEnteredValue: { numberValue },
  userEnteredFormat: { numberFormat: { type, pattern } },
});

test.each<[string | number | boolean, object]>([
  [true, typed("boolValue", true)],
  [2024, typed("numberValue", 2024)],
  ["=A1", typed("formulaValue", "=A1")],
  ["=", typed("stringValue", "=")],
  ["'x", typed("stringValue", "x")],
  ["$5", typed("stringValue", "$5")],
  ["10%", typed("stringValue", "10%")],
  ["2024-01-15", withFormat(45306, "DATE", "yyyy-mm-dd")],
  ["2024-01-15T10:30", withFormat(45306.4375, "DATE_TIME", "yyyy-mm-dd h:mm:ss")],
])("%p is sent in its type", (value, cell) => {
  expect(typedCell(value)).toEqual(Object(cell));
});

const blocks = async (data: object) => gridData(await parseData(JSON.stringify(data)));
const text = (stringValue: string) => ({ userEnteredValue: { stringValue } });

test("adjacent rows that share a run of columns are one block", async () => {
  expect(await blocks({ 2: { B: "a", C: "b" }, 3: { B: "c", C: "d" } })).toEqual([
    {
      startRow: 1,
      startColumn: 1,
      rowData: [{ values: [text("a"), text("b")] }, { values: [text("c"), text("d")] }],
    },
  ]);
});

test("missing and empty cells between others are not sent", async () => {
  expect(await blocks({ 1: { A: "a", C: "c", D: "", E: "e" }, 3: { A: "x" } })).toEqual([
    { startRow: 0, startColumn: 0, rowData: [{ values: [text("a")] }] },
    { startRow: 0, startColumn: 2, rowData: [{ values: [text("c")] }] },
    { startRow: 0, startColumn: 4, rowData: [{ values: [text("e")] }] },
    { startRow: 2, startColumn: 0, rowData: [{ values: [text("x")] }] },
  ]);
});
