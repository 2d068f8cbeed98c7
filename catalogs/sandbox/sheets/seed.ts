// Adds files without the interface, and reads them for tests.
import { parseA1 } from "./a1";
import { type File, type Library, SPREADSHEET_TYPE } from "./drive/library";
import { typed } from "./engine/typing";
import { personNamed } from "./people";
import type { SeededFile, SeededSheet, SeenCell, SeenSheet } from "./types";
import type { Sheet } from "./workbook/sheet";
import { newSheetId } from "./workbook/workbook";

/** Adds a file; returns its id. */
export function addFile(library: Library, project: string, seeded: SeededFile): string {
  const owner = personNamed(seeded.owner ?? "alice");
  const file = library.add({
    title: seeded.title ?? "Untitled spreadsheet",
    owner,
    mimeType: seeded.mimeType ?? SPREADSHEET_TYPE,
    driveId: seeded.driveId ?? null,
    domainShared: seeded.domainShared ?? false,
    trashed: seeded.trashed ?? false,
    starred: seeded.starred ?? false,
    ...(seeded.locale === undefined ? {} : { locale: seeded.locale }),
    externalAccess: seeded.externalAccess ?? false,
    ...(seeded.createdAt === undefined ? {} : { createdAt: seeded.createdAt }),
    ...(seeded.modifiedAt === undefined ? {} : { modifiedAt: seeded.modifiedAt }),
  });
  const sheets = seeded.sheets ?? [{ title: "Sheet1", sheetId: 0 }];
  for (const sheet of sheets) addSheet(file, sheet);
  if (seeded.opened !== false) library.markOpened(file, owner, project);
  return file.id;
}

function addSheet({ workbook }: File, seeded: SeededSheet): void {
  const sheet = workbook.addSheet({
    sheetId: seeded.sheetId ?? newSheetId(),
    title: seeded.title,
    rowCount: seeded.rows ?? 1000,
    columnCount: seeded.columns ?? 26,
    hidden: seeded.hidden ?? false,
    type: typeOf(seeded),
  });
  for (const [cell, value] of Object.entries(seeded.cells ?? {})) {
    const { row, column } = placeOf(cell);
    if (typeof value === "boolean") sheet.enter(row, column, { boolValue: value });
    else if (typeof value === "number") sheet.enter(row, column, { numberValue: value });
    else {
      const { entered, format } = typed(value, workbook.locale);
      sheet.enter(row, column, entered, format);
    }
  }
}

function typeOf({ chart, dataSource }: SeededSheet) {
  if (chart === true) return "OBJECT";
  return dataSource === true ? "DATA_SOURCE" : "GRID";
}

export function sheetsOf(library: Library, id: string): SeenSheet[] {
  return library.known(id).workbook.sheets.map(({ sheetId, title, rowCount, columnCount }) => ({
    sheetId,
    title,
    rowCount,
    columnCount,
  }));
}

/** The content of a cell. */
export function cellOf(library: Library, id: string, title: string, cell: string): SeenCell {
  const sheet = sheetTitled(library, id, title);
  const { row, column } = placeOf(cell);
  const { entered, shown, format, note } = sheet.shown(row, column);
  return {
    entered: entered === undefined ? null : (Object.values(entered)[0] ?? null),
    shown,
    pattern: format?.pattern ?? null,
    note: note ?? null,
  };
}

function sheetTitled(library: Library, id: string, title: string): Sheet {
  const sheet = library.known(id).workbook.sheetTitled(title);
  if (sheet === undefined) throw new Error(`There is no sheet ${title}.`);
  return sheet;
}

function placeOf(cell: string): { row: number; column: number } {
  const { startRow: row, startColumn: column } = parseA1(cell);
  return { row, column };
}
