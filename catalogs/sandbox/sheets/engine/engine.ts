// The real spreadsheet engine, one per workbook: it computes formulas and formats plain numbers.
//
// `numfmt` formats numbers: the engine loses the sign of small ones and truncates minutes. Its grid ends
// at column 16,384 and row 1,048,576, before the platform's; what lies beyond is shown by `numfmt` too and computed in a
// spare cell. It refuses titles that the platform allows: those get a name of its own.
import { readFileSync } from "node:fs";
import { initSync, Model } from "@ironcalc/wasm";
import program from "@ironcalc/wasm/wasm_bg.wasm" with { type: "file" };
import { format } from "numfmt";
import { BLOCKED, loadsFromOutside } from "../behaviour/external-functions";
import type { Entered } from "./entered";
import { formulaText, type Locale, numberText } from "./locale";

const LAST_ROW = 1_048_576;
const LAST_COLUMN = 16_384;

/** The types of cell values, by the engine's numbers. */
export const CELL_TYPES = { number: 1, text: 2, logical: 4, error: 16 } as const;

// In the executable, the path leads into it.
initSync({ module: readFileSync(program) });

export class Engine {
  readonly #model: Model;
  readonly #locale: Locale;
  readonly #externalAccess: boolean;
  /** The engine's names of sheets, by title. */
  readonly #names = new Map<string, string>();
  #sheets = 0;
  #stale = false;

  constructor(locale: Locale, { externalAccess } = { externalAccess: false }) {
    this.#locale = locale;
    this.#externalAccess = externalAccess;
    this.#model = new Model("workbook", locale.engine, "UTC", "en");
    this.#model.pauseEvaluation();
  }

  /** Adds a sheet with a fixed number. */
  addSheet(title: string): number {
    const sheet = this.#sheets++;
    if (sheet > 0) this.#model.newSheet();
    this.renameSheet(sheet, undefined, title);
    return sheet;
  }

  renameSheet(sheet: number, from: string | undefined, to: string): void {
    if (from !== undefined) this.#names.delete(from);
    const name = this.#rename(sheet, to) ? to : `sheet ${sheet}`;
    if (name !== to) this.#rename(sheet, name);
    this.#names.set(to, name);
    this.#stale = true;
  }

  /** Rows and columns count from 0. `pattern`: the number format, undefined for the general one. */
  set(
    sheet: number,
    row: number,
    column: number,
    entered: Entered | undefined,
    pattern: string | undefined,
  ): void {
    if (!isInside(row, column)) return;
    this.#model.setUserInput(sheet, row + 1, column + 1, this.#inputOf(entered));
    const area = { sheet, row: row + 1, column: column + 1, width: 1, height: 1 };
    // A number with an exponent would otherwise get a format.
    this.#model.updateRangeStyle(area, "num_fmt", pattern ?? "general");
    this.#stale = true;
  }

  /** The displayed text of a cell. */
  shown(
    sheet: number,
    row: number,
    column: number,
    entered: Entered | undefined,
    pattern: string | undefined,
  ): string {
    if (entered !== undefined && "stringValue" in entered) return entered.stringValue;
    if (entered !== undefined && "numberValue" in entered && pattern !== undefined) {
      return this.#format(pattern, entered.numberValue);
    }
    if (this.#isBlocked(entered)) return BLOCKED;
    this.#evaluate();
    if (isInside(row, column)) return this.#model.getFormattedCellValue(sheet, row + 1, column + 1);
    if (entered === undefined) return "";
    if ("boolValue" in entered) return entered.boolValue ? "TRUE" : "FALSE";
    if ("numberValue" in entered) return this.#format(pattern ?? "General", entered.numberValue);
    return this.#computed(sheet, entered, pattern);
  }

  /** The type of value of a cell inside the engine's grid. */
  typeOf(sheet: number, row: number, column: number): number {
    this.#evaluate();
    return isInside(row, column) ? this.#model.getCellType(sheet, row + 1, column + 1) : CELL_TYPES.text;
  }

  #isBlocked(entered: Entered | undefined): boolean {
    if (this.#externalAccess || entered === undefined || !("formulaValue" in entered)) return false;
    return loadsFromOutside(entered.formulaValue);
  }

  #format(pattern: string, number: number): string {
    return format(pattern, number, { locale: this.#locale.format });
  }

  free(): void {
    this.#model.free();
  }

  /** A formula beyond the engine's grid, computed in the grid's last cell. */
  #computed(sheet: number, entered: Entered, pattern: string | undefined): string {
    this.set(sheet, LAST_ROW - 1, LAST_COLUMN - 1, entered, pattern);
    this.#evaluate();
    const shown = this.#model.getFormattedCellValue(sheet, LAST_ROW, LAST_COLUMN);
    this.set(sheet, LAST_ROW - 1, LAST_COLUMN - 1, undefined, undefined);
    return shown;
  }

  #evaluate(): void {
    if (this.#stale) this.#model.evaluate();
    this.#stale = false;
  }

  #inputOf(entered: Entered | undefined): string {
    if (entered === undefined) return "";
    if ("stringValue" in entered) return entered.stringValue === "" ? "" : `'${entered.stringValue}`;
    if ("numberValue" in entered) return numberText(entered.numberValue, this.#locale);
    if ("boolValue" in entered) return entered.boolValue ? "TRUE" : "FALSE";
    return formulaText(entered.formulaValue, this.#locale).replaceAll(
      /'((?:[^']|'')+)'!/g,
      (whole, quoted: string) => {
        const name = this.#names.get(quoted.replaceAll("''", "'"));
        return name === undefined ? whole : `'${name.replaceAll("'", "''")}'!`;
      },
    );
  }

  #rename(sheet: number, name: string): boolean {
    try {
      this.#model.renameSheet(sheet, name);
      return true;
    } catch {
      return false;
    }
  }
}

function isInside(row: number, column: number): boolean {
  return row < LAST_ROW && column < LAST_COLUMN;
}
