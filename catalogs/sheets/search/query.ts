// The search expression of the platform's file listing.
import { badInput } from "../../../src/tools";
import { SPREADSHEET_TYPE } from "../platform";

const SPREADSHEETS = `mimeType = '${SPREADSHEET_TYPE}' and trashed = false`;

/**
 * Spreadsheets whose titles have all of the one words and none of the other. Titles only: a term for the cells'
 * contents would forbid any order.
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

/** Backslashes first: those that escape quotes must stay single. */
function quoted(keyword: string): string {
  return `'${keyword.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
