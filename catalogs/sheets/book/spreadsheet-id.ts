// The ids of spreadsheets and their addresses in the browser.
import { badInput } from "../../../src/tools";
import { LINK_BASE } from "../platform";

const ID = /^[A-Za-z0-9_-]+$/;
/** Below the base; contains `/u/1` for people who are signed in with several accounts. */
const PATH = /^\/(?:u\/\d+\/)?d\/([^/?#]+)(?:[/?#].*)?$/s;

/** The id in the parameter `spreadsheet_id`, which is an id or an address. Throws `ToolError` for anything else. */
export function spreadsheetIdOf(text: string): string {
  const trimmed = text.trim();
  const path = trimmed.startsWith(LINK_BASE) ? trimmed.slice(LINK_BASE.length) : "";
  const id = PATH.exec(path)?.[1] ?? trimmed;
  if (ID.test(id)) return id;
  throw badInput(
    "`spreadsheet_id` must be the id of a spreadsheet (letters, digits, - and _) or its address " +
      `${LINK_BASE}/d/{id}/edit.`,
  );
}

export function spreadsheetLink(spreadsheetId: string): string {
  return `${LINK_BASE}/d/${encodeURIComponent(spreadsheetId)}/edit`;
}

export function sheetLink(spreadsheetId: string, sheetId: number): string {
  return `${spreadsheetLink(spreadsheetId)}#gid=${sheetId}`;
}
