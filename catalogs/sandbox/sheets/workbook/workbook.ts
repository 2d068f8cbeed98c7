// One spreadsheet: its sheets in tab order, and its limits.
import { Engine } from "../engine/engine";
import { type Locale, localeNamed } from "../engine/locale";
import { invalidArgument } from "../platform-error";
import { Sheet, type SheetOptions } from "./sheet";

export const MAX_CELLS = 10_000_000;
export const MAX_COLUMNS = 18_278;

export interface WorkbookOptions {
  readonly locale?: string | undefined;
  /** Whether formulas may load something from outside. */
  readonly externalAccess?: boolean;
}

export class Workbook {
  readonly id: string;
  title: string;
  readonly sheets: Sheet[] = [];
  readonly locale: Locale;
  /** Whether formulas may load something from outside. */
  readonly externalAccess: boolean;
  readonly #engine: Engine;

  constructor(id: string, title: string, { locale = "en_US", externalAccess = false }: WorkbookOptions = {}) {
    this.id = id;
    this.locale = localeNamed(locale);
    this.externalAccess = externalAccess;
    this.#engine = new Engine(this.locale, { externalAccess });
    this.title = title;
  }

  /** Throws for a title or id in use, and beyond the limits. */
  addSheet(options: SheetOptions, index = this.sheets.length): Sheet {
    const folded = options.title.toLowerCase();
    if (this.sheets.some(({ title }) => title.toLowerCase() === folded)) {
      throw invalidArgument(
        `A sheet with the name "${options.title}" already exists. Please enter another name.`,
      );
    }
    if (this.sheets.some(({ sheetId }) => sheetId === options.sheetId)) {
      throw invalidArgument(`A sheet with the id ${options.sheetId} already exists.`);
    }
    if (options.type === "GRID")
      this.requireRoom(options.rowCount * options.columnCount, options.columnCount);
    const sheet = new Sheet(this.#engine, this.locale, options);
    this.sheets.splice(index, 0, sheet);
    return sheet;
  }

  /** Throws 400 if the added cells or columns exceed the limits. */
  requireRoom(cells: number, columns: number): void {
    const present = this.sheets.reduce((sum, { cellCount }) => sum + cellCount, 0);
    if (present + cells > MAX_CELLS || columns > MAX_COLUMNS) {
      throw invalidArgument(
        `This action would increase the number of cells in the workbook above the limit of ${MAX_CELLS} cells.`,
      );
    }
  }

  sheetWithId(sheetId: number): Sheet | undefined {
    return this.sheets.find((sheet) => sheet.sheetId === sheetId);
  }

  /** Titles are case-sensitive. */
  sheetTitled(title: string): Sheet | undefined {
    return this.sheets.find((sheet) => sheet.title === title);
  }

  /** The sheet of a range without a title. */
  firstVisible(): Sheet | undefined {
    return this.sheets.find(({ hidden }) => !hidden);
  }

  free(): void {
    this.#engine.free();
  }
}

/** A new id for a sheet: a random large number. */
export function newSheetId(): number {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  return 100_000_000 + (random % 1_900_000_000);
}
