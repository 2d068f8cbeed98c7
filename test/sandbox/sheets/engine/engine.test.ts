// The engine, with corrections where it differs from the platform.
import { afterAll, describe, expect, test } from "bun:test";
import { Engine } from "../../../../catalogs/sandbox/sheets/engine/engine";
import type { Entered } from "../../../../catalogs/sandbox/sheets/engine/entered";
import { localeNamed } from "../../../../catalogs/sandbox/sheets/engine/locale";
import { typed } from "../../../../catalogs/sandbox/sheets/engine/typing";

const US = localeNamed("en_US");

describe("typed text", () => {
  test.each<[string, Entered, string | undefined]>([
    ["10%", { numberValue: 0.1 }, "0%"],
    ["12.5%", { numberValue: 0.125 }, "0.00%"],
    ["$5", { numberValue: 5 }, "$#,##0"],
    ["$1,234.50", { numberValue: 1234.5 }, "$#,##0.00"],
    ["1,234", { numberValue: 1234 }, "#,##0"],
    ["2024-01-15", { numberValue: 45306 }, "yyyy-mm-dd"],
    ["12:30", { numberValue: 0.5208333333333334 }, "h:mm"],
    ["1:05:30", { numberValue: 0.04548611111111111 }, "h:mm:ss"],
    ["12:30 PM", { numberValue: 0.5208333333333334 }, "h:mm AM/PM"],
    ["2024-01-15 10:30", { numberValue: 45306.4375 }, "yyyy-mm-dd h:mm:ss"],
    ["TRUE", { boolValue: true }, undefined],
    ["false", { boolValue: false }, undefined],
    ["00123", { numberValue: 123 }, undefined],
    ["-3.5", { numberValue: -3.5 }, undefined],
    ["'00123", { stringValue: "00123" }, undefined],
    ["+5", { numberValue: 5 }, undefined],
    ["+1+2", { formulaValue: "=+1+2" }, undefined],
    ["+Dri7", { formulaValue: "=+Dri7" }, undefined],
    ["'+1+2", { stringValue: "+1+2" }, undefined],
    ["''x", { stringValue: "'x" }, undefined],
    ["'=1+2", { stringValue: "=1+2" }, undefined],
    ["=1+2", { formulaValue: "=1+2" }, undefined],
    ["=", { stringValue: "=" }, undefined],
    ["words", { stringValue: "words" }, undefined],
    ["1,23", { stringValue: "1,23" }, undefined],
  ])("%s", (text, entered, pattern) => {
    expect(typed(text, US)).toMatchObject({ entered });
    expect(typed(text, US).format?.pattern).toBe(pattern);
  });

  test.each(["", "'"])("%p is empty", (text) => {
    expect(typed(text, US)).toEqual({ entered: undefined, format: undefined });
  });
});

describe("typed text in other locales", () => {
  test.each<[string, string, Entered, string | undefined]>([
    ["de_DE", "1,5", { numberValue: 1.5 }, undefined],
    ["de_DE", "1.234,50", { numberValue: 1234.5 }, "#,##0.00"],
    ["de_DE", "2024-01-15", { numberValue: 45306 }, "yyyy-mm-dd"],
    ["de_DE", "2024-01-15 10:30:00", { numberValue: 45306.4375 }, "yyyy-mm-dd h:mm:ss"],
    ["fr_FR", "1,5", { numberValue: 1.5 }, undefined],
    ["tr_TR", "1,5", { numberValue: 1.5 }, undefined],
    ["de_DE", "'1,5", { stringValue: "1,5" }, undefined],
  ])("%s: %s", (locale, text, entered, pattern) => {
    expect(typed(text, localeNamed(locale))).toMatchObject({ entered });
    expect(typed(text, localeNamed(locale)).format?.pattern).toBe(pattern);
  });

  test("a point is not a decimal sign in German", () => {
    expect(typed("1.5", localeNamed("de_DE")).entered).not.toEqual({ numberValue: 1.5 });
  });
});

test.each([
  ["en_US", "=SUM(1,5)", "6"],
  ["en_US", '=IF(1>2;"a;b";"c;d")', "c;d"],
  ["de_DE", "=SUM(1,5;1)", "2,5"],
  ["de_DE", "=SUM(1;2)", "3"],
  ["tr_TR", "=SUM(1,5;1)", "2,5"],
])("a formula follows the locale: %s %s", (locale, formulaValue, shown) => {
  const engine = new Engine(localeNamed(locale));
  engine.addSheet("Sheet1");
  engine.set(0, 0, 0, { formulaValue }, undefined);
  expect(engine.shown(0, 0, 0, { formulaValue }, undefined)).toBe(shown);
  engine.free();
});

describe("a workbook", () => {
  const engine = new Engine(US);
  const titles = ["Plain", "a/b: [c]?", "😀 Jon's", "n".repeat(90)];
  const sheets = titles.map((title) => engine.addSheet(title));
  afterAll(() => engine.free());
  const shown = (row: number, column: number, entered: Entered, pattern?: string): string => {
    engine.set(0, row, column, entered, pattern);
    return engine.shown(0, row, column, entered, pattern);
  };

  test("a number keeps the general format, with an exponent too", () => {
    expect(shown(0, 0, { numberValue: 2024 })).toBe("2024");
    expect(shown(0, 0, { numberValue: 1e-7 })).not.toBe("1.00E-07");
    expect(shown(0, 0, { numberValue: 5 })).toBe("5");
  });

  test("numbers are shown in their formats, with their sign", () => {
    expect(shown(1, 4, { numberValue: -0.01 }, "0%")).toBe("-1%");
    expect(shown(1, 5, { numberValue: -5000.5 }, "$#,##0")).toBe("-$5,001");
    expect(shown(1, 0, { numberValue: 1234.5 }, "$#,##0.00")).toBe("$1,234.50");
    expect(shown(1, 1, { numberValue: 0.1 }, "0.00%")).toBe("10.00%");
    expect(shown(1, 2, { numberValue: 45306.4375 }, "yyyy-mm-dd h:mm:ss")).toBe("2024-01-15 10:30:00");
    expect(shown(1, 3, { numberValue: 61 / 1440 }, "h:mm")).toBe("1:01");
  });

  test.each(titles)("a formula refers to the sheet %s", (title) => {
    const sheet = sheets[titles.indexOf(title)] ?? 0;
    engine.set(sheet, 8, 8, { numberValue: 40 }, undefined);
    expect(shown(2, 0, { formulaValue: `='${title.replaceAll("'", "''")}'!I9+2` })).toBe("42");
  });

  test("a formula fills its neighbours", () => {
    expect(shown(20, 0, { formulaValue: "=SEQUENCE(2,2)" })).toBe("1");
    expect(engine.shown(0, 21, 1, undefined, undefined)).toBe("4");
  });

  test("errors and empty cells are shown", () => {
    expect(shown(30, 0, { formulaValue: "=1/0" })).toBe("#DIV/0!");
    expect(shown(30, 1, { formulaValue: "=ISBLANK(Z99)" })).toBe("TRUE");
    expect(shown(30, 2, { formulaValue: "=COUNTA(Y90:Z99)" })).toBe("0");
  });

  test("beyond the engine's grid values are shown and formulas computed", () => {
    const column = 17_000;
    expect(shown(0, column, { numberValue: 1234.5 }, "$#,##0.00")).toBe("$1,234.50");
    expect(shown(0, column, { numberValue: 7 })).toBe("7");
    expect(shown(0, column, { boolValue: true })).toBe("TRUE");
    expect(shown(0, column, { stringValue: "far" })).toBe("far");
    expect(shown(2_000_000, 0, { formulaValue: "=1+2" })).toBe("3");
    expect(engine.shown(0, 1_048_575, 16_383, undefined, undefined)).toBe("");
  });
});
