// Parses text typed into a cell. The engine reads numbers, money, percentages and dates; `numfmt` also reads times in
// the remaining text.
import { Model } from "@ironcalc/wasm";
import { parseValue } from "numfmt";
// The engine must be set up before a model is made.
import { CELL_TYPES } from "./engine";
import type { NumberFormat, Typed } from "./entered";
import { type Locale, numberIn } from "./locale";

const GENERAL = "general";

/** Formats by their numbers in spreadsheet files. */
const PATTERNS: Readonly<Record<number, string>> = {
  3: "#,##0",
  4: "#,##0.00",
  6: "$#,##0",
  8: "$#,##0.00",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  14: "m/d/yyyy",
  15: "d-mmm-yyyy",
  16: "d-mmm",
  17: "mmm-yyyy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm:ss",
  45: "mm:ss",
  46: "[h]:mm:ss",
};

export function typed(text: string, locale: Locale): Typed {
  if (text === "") return { entered: undefined, format: undefined };
  if (text.startsWith("'")) return plain(text.slice(1));
  if (text.startsWith("=") && text.length > 1) {
    return { entered: { formulaValue: text }, format: undefined };
  }
  const value = read(text, locale);
  if (value !== undefined) return value;
  // A sign begins a formula, unless it belongs to a number.
  if (text.startsWith("+") && text.length > 1) {
    return { entered: { formulaValue: `=${text}` }, format: undefined };
  }
  return plain(text);
}

function plain(text: string): Typed {
  return { entered: text === "" ? undefined : { stringValue: text }, format: undefined };
}

/** Undefined for text. */
function read(text: string, locale: Locale): Typed | undefined {
  using model = new Model("typing", locale.engine, "UTC", "en");
  model.setUserInput(0, 1, 1, text);
  const type = model.getCellType(0, 1, 1);
  if (type === CELL_TYPES.logical) {
    return { entered: { boolValue: model.getCellContent(0, 1, 1) === "TRUE" }, format: undefined };
  }
  // The engine computes what begins with a sign.
  if (model.getCellContent(0, 1, 1).startsWith("=")) return undefined;
  const other = parseValue(text, { locale: locale.format });
  const value = typeof other?.value === "number" ? other.value : undefined;
  if (type !== CELL_TYPES.number) {
    if (value === undefined) return undefined;
    return { entered: { numberValue: value }, format: formatOf(PATTERNS[other?.formatId ?? 0]) };
  }
  const { num_fmt: pattern } = model.getCellStyle(0, 1, 1).style;
  model.updateRangeStyle({ sheet: 0, row: 1, column: 1, width: 1, height: 1 }, "num_fmt", GENERAL);
  const number = value ?? numberIn(model.getCellContent(0, 1, 1), locale);
  return { entered: { numberValue: number }, format: formatOf(pattern) };
}

function formatOf(pattern: string | undefined): NumberFormat | undefined {
  if (pattern === undefined || pattern === GENERAL) return undefined;
  return { type: typeOf(pattern), pattern: pattern.replace(/^#,##(0[.0]*%)$/, "$1") };
}

function typeOf(pattern: string): string {
  if (pattern.endsWith("%")) return "PERCENT";
  if (/[$€£¥]/.test(pattern)) return "CURRENCY";
  if (pattern.includes("E+")) return "SCIENTIFIC";
  const hasTime = pattern.includes("h") || pattern.includes("ss");
  const hasDate = /[yd]/.test(pattern);
  if (hasDate && hasTime) return "DATE_TIME";
  if (hasDate) return "DATE";
  return hasTime ? "TIME" : "NUMBER";
}
