// Finds a sheet of a spreadsheet by its name, its id or its position.
import { closedList, retryableInput, type ToolError } from "../../../src/tools";
import type { Book, Sheet } from "./metadata";

export interface SheetChoice {
  sheet_position?: number;
  sheet_id_or_name?: string;
}

/** The chosen sheet. Throws a `ToolError` that lists the existing sheets. */
export function chooseSheet(book: Book, choice: SheetChoice): Sheet {
  const { sheet_id_or_name: name = "", sheet_position: position = 1 } = choice;
  const found =
    name.trim() === "" ? book.sheets[position - 1] : (sheetTitled(book, name) ?? sheetWithId(book, name));
  if (found !== undefined) return found;
  throw name.trim() === ""
    ? noSuchPosition(book, position)
    : noSuchSheet(book, "sheet_id_or_name", name, `with the name or id ${JSON.stringify(name)}`);
}

/** By title: the exact one, otherwise ignoring case. */
export function sheetTitled({ sheets }: Book, title: string): Sheet | undefined {
  const folded = title.toLowerCase();
  return (
    sheets.find((sheet) => sheet.title === title) ??
    sheets.find((sheet) => sheet.title.toLowerCase() === folded)
  );
}

/** Only used if no sheet has this text as its title. */
function sheetWithId({ sheets }: Book, text: string): Sheet | undefined {
  const id = text.trim();
  return /^\d+$/.test(id) ? sheets.find(({ sheetId }) => String(sheetId) === id) : undefined;
}

/** @param which completes "there is no sheet …" */
export function noSuchSheet({ sheets }: Book, parameter: string, given: string, which: string): ToolError {
  const rule = closedList(
    sheets.map(({ title }) => title),
    given,
  );
  return retryableInput(`There is no sheet ${which}: \`${parameter}\` ${rule}.`, {
    additionalPromptContent: `${sheetList(sheets)} Call again with one of them.`,
  });
}

function noSuchPosition({ sheets }: Book, position: number): ToolError {
  return retryableInput(
    `There is no sheet at position ${position}: \`sheet_position\` must be <= ${sheets.length}.`,
    { additionalPromptContent: `${sheetList(sheets)} Call again with one of them.` },
  );
}

/** A sentence that lists the sheets, for errors. */
export function sheetList(sheets: Book["sheets"]): string {
  const known = sheets.map(
    ({ position, title, sheetId }) => `${position}: ${JSON.stringify(title)} (id ${sheetId})`,
  );
  return `The spreadsheet has these sheets: ${known.join("; ")}.`;
}
