// The parameter `spreadsheet_id`: the id, or the address under which a person sees the spreadsheet.
import { badInput } from "../../../src/tools";

const ID = /^[A-Za-z0-9_-]+$/;
const ADDRESS = /^https:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d+\/)?d\/([^/?#]+)(?:[/?#].*)?$/s;

/** The id. Throws `ToolError` for anything else. */
export function spreadsheetIdOf(text: string): string {
  const trimmed = text.trim();
  const id = ADDRESS.exec(trimmed)?.[1] ?? trimmed;
  if (ID.test(id)) return id;
  throw badInput(
    "`spreadsheet_id` must be the id of a spreadsheet (letters, digits, - and _) or its address " +
      "https://docs.google.com/spreadsheets/d/{id}/edit.",
  );
}
