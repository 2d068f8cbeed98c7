// Cells gathered into rectangles.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { rangeName } from "../../../../catalogs/sheets/cells/a1";
import { blocksOf } from "../../../../catalogs/sheets/cells/blocks";
import { columnNumber } from "../../../../catalogs/sheets/cells/column";

/** Cells by their names, in order. */
function cells(names: string) {
  return names
    .split(" ")
    .map((name) => {
      const [, letters = "", row = ""] = /^([A-Z]+)(\d+)$/.exec(name) ?? [];
      return { row: Number(row), column: columnNumber(letters) ?? 0 };
    })
    .toSorted((left, right) => left.row - right.row || left.column - right.column);
}

const ranges = (names: string): string[] =>
  blocksOf(cells(names)).map((block) => rangeName("", block).slice(3));

test.each([
  ["A1", ["A1"]],
  ["A1 B1 A2 B2", ["A1:B2"]],
  ["A1 B1 C1 A2 B2", ["A1:C1", "A2:B2"]],
  ["A1 C1 A2 C2", ["A1:A2", "C1:C2"]],
  ["A1 A3", ["A1", "A3"]],
  ["A1 B1 B2 C2", ["A1:B1", "B2:C2"]],
  ["A1 A2 B2 A3", ["A1", "A2:B2", "A3"]],
  ["Z1 AA1 Z2 AA2", ["Z1:AA2"]],
])("%s", (names, expected) => {
  expect(ranges(names)).toEqual(expected);
});

test("every cell is in exactly one block, at its place, and nothing else is", () => {
  const place = fc.record({ row: fc.integer({ min: 1, max: 8 }), column: fc.integer({ min: 1, max: 8 }) });
  const key = ({ row, column }: { row: number; column: number }): number => row * 100 + column;
  fc.assert(
    fc.property(fc.uniqueArray(place, { selector: key, maxLength: 40 }), (places) => {
      const sorted = places.toSorted((left, right) => key(left) - key(right));
      const back = blocksOf(sorted).flatMap(({ rows, firstRow, firstColumn, lastRow, lastColumn }) =>
        rows.flatMap((row, down) =>
          row.map((cell, right) => ({
            cell,
            place: { row: firstRow + down, column: firstColumn + right },
            inside: firstRow + down <= lastRow && firstColumn + right <= lastColumn,
          })),
        ),
      );
      for (const { cell, place: found, inside } of back)
        expect({ cell, inside }).toEqual({ cell: found, inside: true });
      expect(back.map(({ cell }) => key(cell)).toSorted()).toEqual(sorted.map(key).toSorted());
    }),
    { numRuns: 200, seed: 20_260_303 },
  );
});
