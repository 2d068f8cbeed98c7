// Writes to a file. The platform refuses them with the same status for a file that the user may only view and for a file that
// the application must not use. Only the former can be read, and only the latter can be mended by picking the file.
import type { JsonObject } from "../../../src/tools";
import type { SheetsClient } from "../client";
import { DRIVE, DRIVE_READONLY } from "../platform";
import type { Call } from "../upstream/call";
import { onlyViewed, problemOf } from "../upstream/failure";

/** Sends a write after the file was read in this run. Throws `ToolError`. */
export async function writeToRead(client: SheetsClient, call: Call): Promise<JsonObject> {
  try {
    return await client.call(call);
  } catch (error) {
    throw problemOf(error) === "permission" ? viewedOnly(client, error) : error;
  }
}

/** The error for a refused write to a file that this grant can read. */
export function viewedOnly({ context }: SheetsClient, refused: unknown) {
  const scopes = context.grant?.scopes ?? [];
  return onlyViewed(refused, scopes.includes(DRIVE_READONLY) && !scopes.includes(DRIVE));
}
