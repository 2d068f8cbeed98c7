// The criteria language: matches and syntax errors.
import { describe, expect, test } from "bun:test";
import type { Kind, Value } from "../../../../catalogs/sandbox/records/world/fields";
import { matcher } from "../../../../catalogs/sandbox/records/criteria/evaluate";
import { CriteriaError } from "../../../../catalogs/sandbox/records/criteria/tokens";

const KINDS: Readonly<Record<string, Kind>> = {
  Name: "text",
  Grüße: "text",
  Quantity: "number",
  Price: "decimal",
  Active: "checkbox",
  Released: "date",
  Tags: "choices",
  Supplier: "lookup",
};
const RECORD: Readonly<Record<string, Value>> = {
  ID: "3888833000000114003",
  Name: 'A&B #1 + "100%" \\',
  Grüße: "Ünï – 日本",
  Quantity: "12",
  Price: "1.10",
  Active: "true",
  Released: "05-Jan-2026",
  Tags: ["new", "heavy"],
  Supplier: "3888833000000114002",
  Added_Time: "06-Jan-2026 10:00:00",
};
const kindOf = (name: string): Kind | undefined => KINDS[name];
const matches = (text: string): boolean => matcher(text, kindOf)((field) => RECORD[field]);

describe("matches", () => {
  test.each([
    String.raw`Name == "A&B #1 + \"100%\" \\"`,
    'Grüße == "Ünï – 日本"',
    'Grüße.contains("–") && Grüße.startsWith("Ü") && Grüße.endsWith("本")',
    "Quantity == 12",
    "Quantity >= 12 && Quantity <= 12 && Quantity < 12.5 && Quantity > -1",
    "Price == 1.1",
    "Active == true",
    "Active != false",
    "Released == '05-Jan-2026'",
    "Released < '06-Jan-2026' && Added_Time > '06-Jan-2026'",
    'Tags == "new" && Tags == "heavy" && Tags != "fragile"',
    "ID == 3888833000000114003",
    "ID != 3888833000000114002",
    "ID!=0",
    "Supplier == 3888833000000114002",
    "Name != null",
    "Quantity == 1 || Active == true && Quantity == 12",
    "Quantity == 12 || Active == false && Quantity == 1",
    "!(Quantity == 1 || Active == false)",
    "!Quantity == 1",
  ])("%s", (text) => {
    expect(matches(text)).toBe(true);
  });
});

describe("does not match", () => {
  test.each([
    'Name == "A"',
    "(Quantity == 12 || Active == true) && Quantity == 1",
    "ID == 3888833000000114002",
    'Tags == "fragile"',
    "Name == null",
    'Name == "A&B #1   \\"100%\\" \\\\"',
  ])("%s", (text) => {
    expect(matches(text)).toBe(false);
  });
});

describe("is refused", () => {
  test.each([
    ["text without quotes", "Name == Lamp"],
    ["a single =", 'Name = "Lamp"'],
    ["a single &", "Quantity == 1 & Quantity == 2"],
    ["an unknown field", "Colour == 1"],
    ["an unknown function", 'Name.matches("x")'],
    ["an open quote", 'Name == "Lamp'],
    ["an unknown escape", String.raw`Name == "a\nb"`],
    ["an open parenthesis", "(Quantity == 1"],
    ["nothing", ""],
    ["half of a comparison", "Quantity =="],
    ["text after the end", "Quantity == 1 Quantity == 1"],
    ["single quotes for text", "Name == 'Lamp'"],
    ["double quotes for a date", 'Released == "05-Jan-2026"'],
    ["a date of another form", "Released == '2026-01-05'"],
    ["a quoted number", 'Quantity == "12"'],
    ["a quoted id", 'ID == "3888833000000114003"'],
    ["an order of null", "Quantity < null"],
    ["an order of lists", 'Tags < "new"'],
    ["a text function on a number", 'Quantity.contains("1")'],
  ])("%s", (_, text) => {
    expect(() => matches(text)).toThrow(CriteriaError);
  });
});
