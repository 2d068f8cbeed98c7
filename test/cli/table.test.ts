import { expect, test } from "bun:test";
import { plainPaint as paint } from "../../cli/io";
import { type Column, fittedTable, linesOf, tableOf } from "../../cli/table";

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

test("never cuts what is always kept, and leaves out the last columns that can be missed", () => {
  const columns: Column<Row>[] = [
    { title: "name", keep: "always", value: ({ name }) => name },
    { title: "text", value: ({ text }) => text },
    { title: "time", keep: "whole", value: () => "2030-01-31T09:30:00Z" },
  ];
  const rows = [{ name: "a".repeat(30), text: "x".repeat(500) }];
  const at = (width: number) => fittedTable(rows, columns, { paint, width });

  expect(at(70).text).toContain(`${"a".repeat(30)}  ${"x".repeat(15)}…  2030-01-31T09:30:00Z\n`);
  expect(at(45)).toEqual({
    text: `NAME${" ".repeat(28)}TEXT\n${"a".repeat(30)}  ${"x".repeat(12)}…\n`,
    hidden: ["time"],
  });
  expect(at(10)).toEqual({ text: `NAME\n${"a".repeat(30)}\n`, hidden: ["text", "time"] });
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
