// The spreadsheets that can be opened, for the error of an id that cannot: one more call after such a failure.
import { type JsonObject, nearestOf, ToolError } from "../../../src/tools";
import { nonEmptyTextIn, objectsIn } from "../../upstream/json";
import { DEFAULT_ORDER, searchQuery } from "../search";
import type { Call } from "./call";
import { listFiles } from "./calls";

/** Ids to compare with, and spreadsheets to name. */
const COMPARED = 100;
const NAMED = 10;

/** The error with the nearest id and the last changed spreadsheets, if it says that the file of a call was not found. */
export async function withKnownFiles(
  error: unknown,
  call: Call,
  ask: (call: Call) => Promise<JsonObject>,
): Promise<unknown> {
  const isMissing = error instanceof ToolError && error.kind === "UPSTREAM_RUNTIME_NOT_FOUND";
  if (!isMissing || call.fileId === undefined) return error;
  const files = await filesOf(ask);
  if (files.length === 0) return error;
  const { additionalPromptContent = "", ...details } = error.details;
  const ids = files.map(({ id }) => id);
  return new ToolError(error.kind, error.canRetry, `${error.message}${nearestTo(ids, call.fileId)}`, {
    ...details,
    additionalPromptContent: `${additionalPromptContent} Spreadsheets that can be opened: ${JSON.stringify(files.slice(0, NAMED))}`,
    cause: error,
  });
}

function nearestTo(ids: readonly string[], given: string): string {
  const nearest = nearestOf(ids, given);
  return nearest === "" ? "" : ` \`spreadsheet_id\` must be the id of one that can be opened${nearest}.`;
}

async function filesOf(ask: (call: Call) => Promise<JsonObject>): Promise<{ id: string; name: string }[]> {
  try {
    const query = {
      q: searchQuery([], []),
      orderBy: DEFAULT_ORDER,
      corpora: "user",
      pageSize: String(COMPARED),
    };
    const answer = await ask(listFiles(query, { wide: false }));
    return objectsIn(answer, "files").flatMap((file) => {
      const id = nonEmptyTextIn(file, "id");
      return id === undefined ? [] : [{ id, name: nonEmptyTextIn(file, "name") ?? "" }];
    });
  } catch {
    // The first failure is the one to tell.
    return [];
  }
}
