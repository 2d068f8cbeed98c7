// The parameters of the platform's file search: query, corpus and order.
import { badInput } from "../../src/tools";
import { SPREADSHEET_TYPE } from "./platform";

const KEYS = [
  "createdTime",
  "folder",
  "modifiedByMeTime",
  "modifiedTime",
  "name",
  "name_natural",
  "quotaBytesUsed",
  "recency",
  "sharedWithMeTime",
  "starred",
  "viewedByMeTime",
] as const;

/** Each ascending and descending. `name` sorts 1, 12, 2; `name_natural` 1, 2, 12. */
export const ORDERS = KEYS.flatMap((key) => [key, `${key} desc`] as const);

export const DEFAULT_ORDER = "modifiedTime desc";

const SPREADSHEETS = `mimeType = '${SPREADSHEET_TYPE}' and trashed = false`;

/**
 * Query for spreadsheets whose titles contain all `wanted` and no `unwanted` words. Only titles: the platform cannot sort
 * a search in the contents.
 */
export function searchQuery(wanted: readonly string[], unwanted: readonly string[]): string {
  return [
    SPREADSHEETS,
    ...wanted.map((keyword) => `name contains ${quoted(keyword)}`),
    ...unwanted.map((keyword) => `not name contains ${quoted(keyword)}`),
  ].join(" and ");
}

/** The keywords of a parameter, trimmed. Throws `ToolError` for a blank one. */
export function keywordsOf(parameter: string, given: readonly string[] | undefined): string[] {
  const keywords = (given ?? []).map((keyword) => keyword.trim());
  if (keywords.includes("")) throw badInput(`\`${parameter}\` has a blank keyword.`);
  return keywords;
}

/** Escapes backslashes first, so that those before quotes are not doubled. */
function quoted(keyword: string): string {
  return `'${keyword.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** Where to search. The platform refuses some of these choices unless all flags are sent. */
export interface CorpusChoice {
  search_only_in_shared_drive_id?: string;
  include_shared_drives?: boolean;
  include_organization_domain_spreadsheets?: boolean;
}

const WITH_SHARED_DRIVES = { includeItemsFromAllDrives: "true", supportsAllDrives: "true" };

/** Query parameters for the narrowest choice. Throws `ToolError` for an invalid id. */
export function corpusOf(choice: CorpusChoice): Record<string, string> {
  const driveId = choice.search_only_in_shared_drive_id?.trim() ?? "";
  if (driveId !== "") {
    if (!/^[A-Za-z0-9_-]+$/.test(driveId)) {
      throw badInput("`search_only_in_shared_drive_id` must be an id: letters, digits, - and _.");
    }
    return { corpora: "drive", driveId, ...WITH_SHARED_DRIVES };
  }
  if (choice.include_organization_domain_spreadsheets === true) {
    return { corpora: "domain", ...WITH_SHARED_DRIVES };
  }
  if (choice.include_shared_drives === true) return { corpora: "allDrives", ...WITH_SHARED_DRIVES };
  return { corpora: "user" };
}
