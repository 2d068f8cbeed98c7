// One sheet: its grid, the stored cells, and their displayed values.
import { type Engine, CELL_TYPES } from "../engine/engine";
import type { Entered, NumberFormat } from "../engine/entered";
import { type Locale, numberIn } from "../engine/locale";

/** The stored parts of a cell. */
export interface StoredCell {
  readonly entered?: Entered;
  readonly format?: NumberFormat;
  readonly note?: string;
}

/** The displayed parts of a cell. */
export interface ShownCell extends StoredCell {
  readonly shown: string;
  readonly effective: Entered | { readonly errorValue: { type: string; message: string } } | undefined;
}

/** `OBJECT`: without a grid. `DATA_SOURCE`: shows a data source, its cells are not in the file. */
export type SheetType = "GRID" | "OBJECT" | "DATA_SOURCE";

export interface SheetOptions {
  readonly sheetId: number;
  readonly title: string;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly hidden: boolean;
  readonly type: SheetType;
}

const EMPTY: StoredCell = {};

/** Rows and columns count from 0. */
export class Sheet {
  readonly sheetId: number;
  readonly type: SheetType;
  title: string;
  hidden: boolean;
  rowCount: number;
  columnCount: number;
  readonly #engine: Engine;
  readonly locale: Locale;
  readonly #number: number;
  readonly #rows = new Map<number, Map<number, StoredCell>>();
  #formulas = 0;

  constructor(engine: Engine, locale: Locale, options: SheetOptions) {
    this.locale = locale;
    this.sheetId = options.sheetId;
    this.type = options.type;
    this.title = options.title;
    this.hidden = options.hidden;
    this.rowCount = options.type === "OBJECT" ? 0 : options.rowCount;
    this.columnCount = options.type === "OBJECT" ? 0 : options.columnCount;
    this.#engine = engine;
    this.#number = engine.addSheet(options.title);
  }

  get cellCount(): number {
    return this.type === "GRID" ? this.rowCount * this.columnCount : 0;
  }

  rename(title: string): void {
    this.#engine.renameSheet(this.#number, this.title, title);
    this.title = title;
  }

  stored(row: number, column: number): StoredCell {
    return this.#rows.get(row)?.get(column) ?? EMPTY;
  }

  /** The cells with anything in them. */
  *cells(): Generator<[row: number, column: number, cell: StoredCell]> {
    for (const [row, cells] of this.#rows) for (const [column, cell] of cells) yield [row, column, cell];
  }

  /** Sets a value; format and note are kept, unless the value has a format. */
  enter(row: number, column: number, entered: Entered | undefined, format?: NumberFormat): void {
    const { entered: _, ...rest } = this.stored(row, column);
    this.store(row, column, {
      ...rest,
      ...(entered === undefined ? {} : { entered }),
      ...(format === undefined ? {} : { format }),
    });
  }

  /** Replaces all stored parts of a cell. */
  store(row: number, column: number, cell: StoredCell): void {
    const before = this.stored(row, column);
    const cells = this.#rows.get(row) ?? new Map<number, StoredCell>();
    if (Object.keys(cell).length === 0) cells.delete(column);
    else cells.set(column, cell);
    if (cells.size === 0) this.#rows.delete(row);
    else this.#rows.set(row, cells);
    this.#formulas += Number(isFormula(cell)) - Number(isFormula(before));
    this.#engine.set(this.#number, row, column, cell.entered, cell.format?.pattern);
  }

  shown(row: number, column: number): ShownCell {
    const cell = this.stored(row, column);
    // Only a formula can fill an empty cell.
    if (cell.entered === undefined && this.#formulas === 0)
      return { ...cell, shown: "", effective: undefined };
    const shown = this.#engine.shown(this.#number, row, column, cell.entered, cell.format?.pattern);
    return { ...cell, shown, effective: this.#effective(row, column, cell, shown) };
  }

  #effective(row: number, column: number, { entered }: StoredCell, shown: string): ShownCell["effective"] {
    if (entered !== undefined && !("formulaValue" in entered)) return entered;
    if (shown === "") return undefined;
    const type = this.#engine.typeOf(this.#number, row, column);
    if (type === CELL_TYPES.error) return { errorValue: errorOf(shown) };
    if (type === CELL_TYPES.logical) return { boolValue: shown === "TRUE" };
    const number = numberIn(shown, this.locale);
    return type === CELL_TYPES.number && Number.isFinite(number)
      ? { numberValue: number }
      : { stringValue: shown };
  }
}

function isFormula(cell: StoredCell): boolean {
  return cell.entered !== undefined && "formulaValue" in cell.entered;
}

const ERROR_TYPES: Readonly<Record<string, string>> = {
  "#DIV/0!": "DIVIDE_BY_ZERO",
  "#VALUE!": "VALUE",
  "#REF!": "REF",
  "#NAME?": "NAME",
  "#NUM!": "NUM",
  "#N/A": "N_A",
};

function errorOf(shown: string): { type: string; message: string } {
  return { type: ERROR_TYPES[shown] ?? "ERROR", message: `The cell shows ${shown}.` };
}
