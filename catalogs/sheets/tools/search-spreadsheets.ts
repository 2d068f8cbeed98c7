// Sheets.SearchSpreadsheets: finds the user's spreadsheets by words in their titles.
import { type Static, Type } from "typebox";
import { defineTool, type JsonObject, ToolError, upstreamNotFound } from "../../../src/tools";
import { isPassing, type Missing, missingField, MISSING } from "../../upstream/missing";
import { SheetsClient } from "../client";
import { MAX_PAGES } from "../limits";
import { fileGrant, READS } from "../metadata";
import {
  DEFAULT_ORDER,
  keywordsOf,
  ORDERS,
  type Place,
  placeOf,
  SEARCH_EVERYWHERE,
  searchQuery,
  type Stage,
  stagesOf,
  tokenAt,
} from "../search";
import { listFiles } from "../upstream/calls";
import { spreadsheetLink } from "../book/spreadsheet-id";
import { nonEmptyTextIn, objectsIn } from "../../upstream/json";

const keywords = (description: string) => Type.Optional(Type.Array(Type.String(), { description }));

const Found = Type.Object({
  id: Type.String({ description: "Id of the spreadsheet" }),
  name: Type.String({ description: "Its title" }),
  url: Type.String({ description: "Its address" }),
  created_time: Type.Optional(Type.String({ description: "RFC 3339" })),
  modified_time: Type.Optional(Type.String({ description: "RFC 3339" })),
  owners: Type.Array(Type.String(), { description: "Names and e-mail addresses" }),
  shared_drive_id: Type.Optional(Type.String({ description: "The shared drive that contains it" })),
});

export const searchSpreadsheets = defineTool({
  name: "SearchSpreadsheets",
  description:
    "Finds spreadsheets by words in their titles, which match by prefix. Leaves out files in the trash. With the usual " +
    "grant it finds only spreadsheets that were created or opened through this application.",
  input: Type.Object({
    spreadsheet_contains: keywords("Words that the title must contain, all of them."),
    spreadsheet_not_contains: keywords("Words that the title must not contain."),
    search_only_in_shared_drive_id: Type.Optional(
      Type.String({ description: "Id of the only shared drive to search. Default: everywhere." }),
    ),
    include_shared_drives: Type.Optional(
      Type.Boolean({
        default: false,
        description: "Whether to search shared drives too, with the user's own files.",
      }),
    ),
    include_organization_domain_spreadsheets: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Whether to search, after the user's own files, also the files that are shared with the user's whole " +
          "organization.",
      }),
    ),
    order_by: Type.Optional(
      Type.Array(Type.Enum([...ORDERS], { type: "string" }), {
        description:
          `Sort keys, the most important first. Default: ${DEFAULT_ORDER}. createdTime may time out for users with many ` +
          "files; use modifiedTime there.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        default: 10,
        minimum: 1,
        maximum: 50,
        description: "Maximum number of results, 1 to 50; others are refused.",
      }),
    ),
    pagination_token: Type.Optional(
      Type.String({ description: "Continues an earlier search with the same parameters." }),
    ),
  }),
  singles: ["spreadsheet_contains", "spreadsheet_not_contains", "order_by"],
  output: Type.Object({
    spreadsheets_count: Type.Integer({ description: "Number of results" }),
    spreadsheets: Type.Array(Found),
    pagination_token: Type.Optional(
      Type.String({ description: "Continues this search; absent if there are no more results" }),
    ),
    incomplete_search: Type.Optional(
      Type.Literal(true, { description: "The platform did not search everywhere" }),
    ),
    missing: MISSING,
  }),
  authorization: fileGrant(),
  metadata: READS,
  judge(input) {
    stagesOf(input);
    queryOf(input);
  },
  async run(input, context) {
    const order = input.order_by ?? [];
    const stages = stagesOf(input);
    const query = {
      q: queryOf(input),
      orderBy: order.length === 0 ? DEFAULT_ORDER : order.join(","),
    };
    const place = placeOf(stages, input.pagination_token);
    return search(new SheetsClient(context), { query, stages, limit: input.limit ?? 10 }, place);
  },
});

interface Keywords {
  spreadsheet_contains?: string[];
  spreadsheet_not_contains?: string[];
}

/** Throws `ToolError` for blank words. */
function queryOf({ spreadsheet_contains: wanted, spreadsheet_not_contains: unwanted }: Keywords): string {
  return searchQuery(
    keywordsOf("spreadsheet_contains", wanted),
    keywordsOf("spreadsheet_not_contains", unwanted),
  );
}

interface Search {
  query: Readonly<Record<string, string>>;
  stages: readonly Stage[];
  limit: number;
}

async function search(client: SheetsClient, { query, stages, limit }: Search, start: Place) {
  // A file of the user may be shared with the organization as well.
  const spreadsheets = new Map<string, Static<typeof Found>>();
  let place: Place | undefined = start;
  let incomplete = false;
  const missing: Missing[] = [];
  // A page may be short although more results exist. The page size is what is missing, so no result is discarded.
  for (let page = 0; page < MAX_PAGES && place !== undefined && spreadsheets.size < limit; page++) {
    const { stage, token }: Place = place;
    const asked = { ...query, ...stages[stage]?.query };
    const answer = await pageOf(client, asked, limit - spreadsheets.size, token).catch((error: unknown) => {
      // What was read before a page that fails is returned.
      if (page === 0 || !isPassing(error) || client.context.signal.aborted) throw error;
      return error;
    });
    if (answer instanceof ToolError) {
      missing.push({
        what: "the rest of the results",
        reason: `${answer.message} Continue with pagination_token.`,
      });
      break;
    }
    for (const file of objectsIn(answer, "files").flatMap((each) => found(each) ?? []))
      spreadsheets.set(file.id, file);
    incomplete ||= answer["incompleteSearch"] === true;
    place = after(stages, stage, nonEmptyTextIn(answer, "nextPageToken"));
  }
  return {
    spreadsheets_count: spreadsheets.size,
    spreadsheets: [...spreadsheets.values()],
    ...(place === undefined ? {} : { pagination_token: tokenAt(stages, place) }),
    ...(incomplete ? { incomplete_search: true as const } : {}),
    ...missingField(client.context, missing),
  };
}

/** Where the search continues; undefined at its end. */
function after(stages: readonly Stage[], stage: number, token: string | undefined): Place | undefined {
  if (token !== undefined) return { stage, token };
  return stage + 1 < stages.length ? { stage: stage + 1 } : undefined;
}

async function pageOf(
  client: SheetsClient,
  query: Readonly<Record<string, string>>,
  size: number,
  token: string | undefined,
): Promise<JsonObject> {
  const page = { ...query, pageSize: String(size), ...(token === undefined ? {} : { pageToken: token }) };
  try {
    return await client.call(listFiles(page, { wide: query["corpora"] !== "user" }));
  } catch (error) {
    const isMissing = error instanceof ToolError && error.kind === "UPSTREAM_RUNTIME_NOT_FOUND";
    if (!isMissing || query["driveId"] === undefined) throw error;
    const message = `\`search_only_in_shared_drive_id\` was not found: ${error.message}.`;
    throw upstreamNotFound(message, { ...error.details, additionalPromptContent: SEARCH_EVERYWHERE });
  }
}

/** Undefined for a file without an id. */
function found(file: JsonObject): Static<typeof Found> | undefined {
  const id = nonEmptyTextIn(file, "id");
  if (id === undefined) return undefined;
  const created = nonEmptyTextIn(file, "createdTime");
  const modified = nonEmptyTextIn(file, "modifiedTime");
  const driveId = nonEmptyTextIn(file, "driveId");
  return {
    id,
    name: nonEmptyTextIn(file, "name") ?? "",
    url: nonEmptyTextIn(file, "webViewLink") ?? spreadsheetLink(id),
    ...(created === undefined ? {} : { created_time: created }),
    ...(modified === undefined ? {} : { modified_time: modified }),
    owners: objectsIn(file, "owners").flatMap((owner) => ownerOf(owner) ?? []),
    ...(driveId === undefined ? {} : { shared_drive_id: driveId }),
  };
}

function ownerOf(owner: JsonObject): string | undefined {
  const name = nonEmptyTextIn(owner, "displayName");
  const email = nonEmptyTextIn(owner, "emailAddress");
  return name === undefined || email === undefined ? (name ?? email) : `${name} <${email}>`;
}
