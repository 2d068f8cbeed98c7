// Where the platform is to look for files. It refuses some of these choices unless every flag is sent along.
import { badInput } from "../../../src/tools";

export interface CorpusChoice {
  search_only_in_shared_drive_id?: string;
  include_shared_drives?: boolean;
  include_organization_domain_spreadsheets?: boolean;
}

const WITH_SHARED_DRIVES = { includeItemsFromAllDrives: "true", supportsAllDrives: "true" };

/** Query parameters for the narrowest choice that was made. Throws `ToolError` for an id that cannot be one. */
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
