// The ids of spreadsheets and their addresses in the browser.
import { badInput } from "../../../src/tools";
import { LINK_BASE } from "../platform";

const ID = /^[A-Za-z0-9_-]+$/;

/**
 * Paths of addresses, by host. Before the id there may be `/a/<domain>` for an organization's own address, and `/u/1` for
 * people who are signed in with several accounts.
 */
const PATHS: Readonly<Record<string, RegExp>> = {
  "docs.google.com": /^(?:\/a\/[^/]+)?\/spreadsheets\/(?:u\/\d+\/)?d\/([^/]+)/,
  "drive.google.com": /^(?:\/a\/[^/]+)?\/file\/(?:u\/\d+\/)?d\/([^/]+)/,
};

/** Addresses with the id in the query, such as `https://drive.google.com/open?id=…`. */
const WITH_QUERY = /^(?:\/a\/[^/]+)?\/(?:u\/\d+\/)?open$/;

/** A published copy: it has a key of its own where others have the id. */
const PUBLISHED = /\/spreadsheets\/(?:u\/\d+\/)?d\/e\/|^2PACX-/;

/** The id in the parameter `spreadsheet_id`, which is an id or an address. Throws `ToolError` for anything else. */
export function spreadsheetIdOf(text: string): string {
  const trimmed = text.trim();
  if (PUBLISHED.test(trimmed)) throw published();
  const id = idInAddress(trimmed) ?? trimmed;
  if (ID.test(id)) return id;
  throw badInput(
    "`spreadsheet_id` must be the id of a spreadsheet (letters, digits, - and _) or its address " +
      `${LINK_BASE}/d/{id}/edit.`,
    {
      additionalPromptContent:
        "Correct it and call again. Sheets.SearchSpreadsheets finds spreadsheets by their titles and returns their ids.",
    },
  );
}

function idInAddress(text: string): string | undefined {
  const url = /^https?:/i.test(text) ? URL.parse(text) : null;
  const path = url === null ? undefined : PATHS[url.hostname];
  if (url === null || path === undefined) return undefined;
  if (WITH_QUERY.test(url.pathname)) return url.searchParams.get("id") ?? undefined;
  return path.exec(url.pathname)?.[1];
}

function published() {
  return badInput(
    "`spreadsheet_id` is the address of a published copy (File > Share > Publish to web), which does not contain the " +
      `spreadsheet's id. Give the address of the spreadsheet itself, ${LINK_BASE}/d/{id}/edit; a person who can edit it sees ` +
      "it in the browser.",
  );
}

export function spreadsheetLink(spreadsheetId: string): string {
  return `${LINK_BASE}/d/${encodeURIComponent(spreadsheetId)}/edit`;
}

export function sheetLink(spreadsheetId: string, sheetId: number): string {
  return `${spreadsheetLink(spreadsheetId)}#gid=${sheetId}`;
}
