import { expect, test } from "bun:test";
import { plainPaint as paint } from "../../cli/io";
import { type Column, linesOf, tableOf } from "../../cli/table";

interface Row {
  name: string;
  text?: string;
}

const COLUMNS: Column<Row>[] = [
  { title: "name", value: ({ name }) => name },
  { title: "text", value: ({ text }) => text },
];

test("aligns columns with their titles", () => {
  const rows = [{ name: "a", text: "one" }, { name: "longer" }];

  expect(tableOf(rows, COLUMNS, { paint, width: undefined })).toBe("NAME    TEXT\na       one\nlonger\n");
});

test("does not truncate in a pipe", () => {
  const text = "x".repeat(500);

  expect(tableOf([{ name: "a", text }], COLUMNS, { paint, width: undefined })).toContain(text);
});

test("shortens the widest column on a terminal", () => {
  const table = tableOf([{ name: "short", text: "x".repeat(500) }], COLUMNS, { paint, width: 40 });

  const lines = table.trimEnd().split("\n");
  expect(lines.map((line) => Bun.stringWidth(line))).toEqual([11, 40]);
  expect(lines[1]).toBe(`short  ${"x".repeat(32)}…`);
});

test("truncates between graphemes, by their width", () => {
  const table = tableOf([{ name: "日本語日本語日本語", text: "👩‍👩‍👧‍👦".repeat(20) }], COLUMNS, {
    paint,
    width: 30,
  });

  for (const line of table.trimEnd().split("\n")) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(30);
  expect(table).not.toContain("\uFFFD");
});

test("escapes control characters in cells", () => {
  const table = tableOf([{ name: "\u001b[2J", text: "a\nb" }], COLUMNS, { paint, width: undefined });

  expect(table).toContain("\\x1b[2J  a\\nb\n");
});

test("prints labels and values, and omits entries without a value", () => {
  const text = linesOf(
    [
      ["id", "1"],
      ["longer", "a\nb"],
      ["none", undefined],
    ],
    paint,
  );

  expect(text).toBe("id      1\nlonger  a\n        b\n");
});
