// The one rule for user ids, at every entry point: requests, headers, tokens, keys, settings and the command line.
import { invalidParameter } from "../errors";

/** UTF-16 code units. */
export const MAX_USER_ID = 256;

/**
 * What two ids could differ in without anybody seeing it: control and format characters (among them those that change the
 * direction of text), separators of lines and paragraphs, and characters that are usually not displayed.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
/** A decoder writes U+FFFD for what it could not read, so that different ids would become equal. */
const NOT_TEXT = /[\uFFFD\p{Noncharacter_Code_Point}]/u;

/** What is wrong with a user id, as the end of a sentence that begins with its name; undefined for a valid id. */
export function userIdFault(id: string): string | undefined {
  if (id.trim() === "") return "is blank";
  if (id.length > MAX_USER_ID) return `is longer than ${MAX_USER_ID} characters`;
  // A lone surrogate is stored as U+FFFD, like every other one.
  if (!id.isWellFormed() || NOT_TEXT.test(id)) return "is not valid Unicode";
  return INVISIBLE.test(id) ? "contains control or invisible characters" : undefined;
}

/** What users begin with that belong to a worker: with their accounts its catalog is read, and no caller acts for them. */
const OF_WORKERS = "worker:";

/** The user of a worker. */
export function userOfWorker(id: string): string {
  return OF_WORKERS + id;
}

export function isUserOfWorker(id: string): boolean {
  return id.toLowerCase().startsWith(OF_WORKERS);
}

/** The same as `userIdFault` for a user that a caller acts for, or is. */
export function callerIdFault(id: string): string | undefined {
  return (
    userIdFault(id) ??
    (isUserOfWorker(id) ? `begins with ${OF_WORKERS}, like the users of workers` : undefined)
  );
}

/** The id. Throws `invalid_parameter`, which names the field and what is wrong with the id. */
export function checkUserId(id: string, field = "user_id"): string {
  return withoutFault(id, field, userIdFault(id));
}

/** The same for a user that a caller acts for. */
export function checkCallerId(id: string, field = "user_id"): string {
  return withoutFault(id, field, callerIdFault(id));
}

function withoutFault(id: string, field: string, fault: string | undefined): string {
  if (fault === undefined) return id;
  const message = `${fault}; send an id of at most ${MAX_USER_ID} visible characters`;
  throw invalidParameter(`${field} ${message}.`, { fieldErrors: [{ field, rule: "user_id", message }] });
}
