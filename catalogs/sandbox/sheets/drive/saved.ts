// Files with their contents as data, so that a later run has them.
import { personNamed } from "../people";
import type { SheetOptions, StoredCell } from "../workbook/sheet";
import type { File, Library } from "./library";

type Kept = Pick<
  File,
  "id" | "mimeType" | "driveId" | "domainShared" | "createdAt" | "modifiedAt" | "trashed" | "starred"
>;

interface SavedFile extends Kept {
  title: string;
  owner: string;
  locale: string;
  externalAccess: boolean;
  roles: [person: string, role: "reader" | "writer"][];
  opened: string[];
  sheets: (SheetOptions & { cells: [row: number, column: number, cell: StoredCell][] })[];
}

export interface SavedLibrary {
  files: SavedFile[];
  drives: { id: string; members: string[] }[];
}

export function savedLibrary(library: Library): SavedLibrary {
  return {
    files: library.files.map(savedFile),
    drives: [...library.drives.values()].map(({ id, members }) => ({ id, members: [...members] })),
  };
}

export function restoreLibrary(library: Library, { files, drives }: SavedLibrary): void {
  for (const { id, members } of drives) library.drives.set(id, { id, members: new Set(members) });
  for (const { owner, roles, opened, sheets, ...kept } of files) {
    const file = library.add({
      ...kept,
      owner: personNamed(owner),
      roles: new Map(roles),
      opened: new Set(opened),
    });
    for (const { cells, ...options } of sheets) {
      const sheet = file.workbook.addSheet(options);
      for (const [row, column, cell] of cells) sheet.store(row, column, cell);
    }
  }
}

function savedFile({ workbook, owner, roles, opened, ...kept }: File): SavedFile {
  return {
    ...kept,
    title: workbook.title,
    owner: owner.name,
    locale: workbook.locale.name,
    externalAccess: workbook.externalAccess,
    roles: [...roles],
    opened: [...opened],
    sheets: workbook.sheets.map((sheet) => ({
      sheetId: sheet.sheetId,
      title: sheet.title,
      rowCount: sheet.rowCount,
      columnCount: sheet.columnCount,
      hidden: sheet.hidden,
      type: sheet.type,
      cells: [...sheet.cells()],
    })),
  };
}
