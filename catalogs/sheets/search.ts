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
  if (keywords.includes("")) {
    throw badInput(`\`${parameter}\` must not have blank words. Leave them out and call again.`);
  }
  return keywords;
}

/** Escapes backslashes first, so that those before quotes are not doubled. */
function quoted(keyword: string): string {
  return `'${keyword.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** What to do about a shared drive that cannot be searched. */
export const SEARCH_EVERYWHERE =
  "Call again with the id of a shared drive, or without `search_only_in_shared_drive_id` to search everywhere.";

/** Where to search. The platform refuses some of these choices unless all flags are sent. */
export interface CorpusChoice {
  search_only_in_shared_drive_id?: string;
  include_shared_drives?: boolean;
  include_organization_domain_spreadsheets?: boolean;
}

const WITH_SHARED_DRIVES = { includeItemsFromAllDrives: "true", supportsAllDrives: "true" };

/** One corpus of the platform, by the name that a token begins with. */
export interface Stage {
  name: "user" | "allDrives" | "domain" | "drive";
  query: Readonly<Record<string, string>>;
}

/**
 * What to search, one after the other: the user's files, with or without those of shared drives, and then those of the
 * organization. The platform searches one corpus at a time. Throws `ToolError` for an invalid id.
 */
export function stagesOf(choice: CorpusChoice): readonly [Stage, ...Stage[]] {
  const driveId = choice.search_only_in_shared_drive_id?.trim() ?? "";
  if (driveId !== "") {
    if (!/^[A-Za-z0-9_-]+$/.test(driveId)) {
      throw badInput("`search_only_in_shared_drive_id` must be an id: letters, digits, - and _.", {
        additionalPromptContent: SEARCH_EVERYWHERE,
      });
    }
    return [{ name: "drive", query: { corpora: "drive", driveId, ...WITH_SHARED_DRIVES } }];
  }
  const own: Stage =
    choice.include_shared_drives === true
      ? { name: "allDrives", query: { corpora: "allDrives", ...WITH_SHARED_DRIVES } }
      : { name: "user", query: { corpora: "user" } };
  if (choice.include_organization_domain_spreadsheets !== true) return [own];
  return [own, { name: "domain", query: { corpora: "domain", ...WITH_SHARED_DRIVES } }];
}

/** Where a search continues: the stage and the platform's token, which is absent at the beginning of the stage. */
export interface Place {
  stage: number;
  token?: string | undefined;
}

/** The token that the caller gets. In the first stage it is the platform's own. */
export function tokenAt(stages: readonly Stage[], { stage, token = "" }: Place): string {
  return stage === 0 ? token : `${stages[stage]?.name ?? ""}:${token}`;
}

/** Throws a retryable `ToolError` for a token of another search. */
export function placeOf(stages: readonly Stage[], given: string | undefined): Place {
  if (given === undefined || given === "") return { stage: 0 };
  const later = stages.findIndex(({ name }, index) => index > 0 && given.startsWith(`${name}:`));
  if (later < 0) return { stage: 0, token: given };
  const token = given.slice(given.indexOf(":") + 1);
  return { stage: later, token: token === "" ? undefined : token };
}
