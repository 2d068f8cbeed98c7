// What the spreadsheet platform might do otherwise.
import type { JsonObject } from "../../src/base";
import { type Deviation, eachOf, instead, listed, withFields, withoutFields } from "./deviating";

const SPREADSHEET = /^v4\/spreadsheets\/[^/:]+$/;
const VALUES = /values:batchUpdate$/;

const refused = (code: number, message: string, status: string): Required<Deviation>["answers"] =>
  instead(code, { error: { code, message, status } });

/** Typed text is stored as it is, or as something else. */
const typedAs = (from: string, to: string | number | boolean): Required<Deviation>["sendsBody"] => {
  return (body) => body.replace(JSON.stringify(from), JSON.stringify(to));
};

const ofSheets = (change: (properties: JsonObject) => JsonObject): Required<Deviation>["answers"] =>
  eachOf("sheets", (sheet) => ({ ...sheet, properties: change(objectIn(sheet, "properties")) }));

export const SHEETS_DEVIATIONS: readonly Deviation[] = [
  {
    behaviour: "the profile has no id",
    check: "own-profile",
    at: "v1/userinfo",
    answers: withoutFields("sub"),
  },
  {
    behaviour: "the used storage is a number",
    check: "storage-as-text",
    at: "drive/v3/about",
    answers: withFields({ storageQuota: { usage: 1024 } }),
  },
  {
    behaviour: "an unknown file is refused like a forbidden one",
    check: "unknown-file",
    at: SPREADSHEET,
    when: ({ path }) => path.includes("does-not-exist"),
    answers: refused(403, "The caller does not have permission", "PERMISSION_DENIED"),
  },
  {
    behaviour: "errors have no status",
    check: "unknown-file",
    at: SPREADSHEET,
    when: ({ path }) => path.includes("does-not-exist"),
    answers: instead(404, { error: { code: 404, message: "Not found." } }),
  },
  {
    behaviour: "field masks of file lists are ignored",
    check: "file-fields",
    at: "drive/v3/files",
    answers: eachOf("files", (file) => ({ ...file, kind: "drive#file" })),
  },
  {
    behaviour: "searches are incomplete",
    check: "search-is-complete",
    at: "drive/v3/files",
    answers: withFields({ incompleteSearch: true }),
  },
  {
    behaviour: "pages of files are larger than asked for",
    check: "file-pages",
    at: "drive/v3/files",
    when: ({ params }) => params["pageSize"] === "1",
    answers: withFields({ files: [{ id: "1" }, { id: "2" }], nextPageToken: "more" }),
  },
  {
    behaviour: "the page token leads to the first page",
    check: "file-pages",
    at: "drive/v3/files",
    sends: ({ params }) => (params["pageSize"] === "1" ? { pageToken: undefined } : {}),
  },
  {
    behaviour: "files are sorted by nothing",
    check: "file-order",
    at: "drive/v3/files",
    answers: listed("files", (files) => files.toReversed()),
  },
  {
    behaviour: "field masks of spreadsheets are ignored",
    check: "spreadsheet-fields",
    at: SPREADSHEET,
    answers: (answer) =>
      answer.status === 200 ? { ...answer, body: { ...answer.body, namedRanges: [] } } : answer,
  },
  {
    behaviour: "an answer to a written value has no data",
    check: "shown-value",
    at: /values\/Sheet1!D1$/,
    answers: withoutFields("updatedData"),
  },
  {
    behaviour: "invalid page tokens are ignored",
    check: "invalid-page-token",
    at: "drive/v3/files",
    sends: ({ params }) => (params["pageToken"] === "self-check" ? { pageToken: undefined } : {}),
  },
  {
    behaviour: "invalid queries are ignored",
    check: "invalid-query",
    at: "drive/v3/files",
    sends: ({ params }) => (params["q"] === "self check" ? { q: undefined } : {}),
  },
  {
    behaviour: "sheets have another type",
    check: "sheet-types",
    at: SPREADSHEET,
    verb: "GET",
    answers: ofSheets((properties) => ({ ...properties, sheetType: "CANVAS" })),
  },
  {
    behaviour: "sheets do not tell their size",
    check: "sheet-types",
    at: SPREADSHEET,
    verb: "GET",
    answers: ofSheets((properties) => ({ ...properties, gridProperties: {} })),
  },
  {
    behaviour: "connected sheets have ranges",
    check: "data-source-ranges",
    at: SPREADSHEET,
    when: ({ params }) => params["ranges"]?.startsWith("'Query'") === true,
    answers: instead(200, { sheets: [] }),
  },
  {
    behaviour: "Excel files can be read",
    check: "office-file",
    at: SPREADSHEET,
    answers: (answer) => (answer.status === 400 ? { ...answer, status: 200, body: { sheets: [] } } : answer),
  },
  {
    behaviour: "Excel files are refused with other words",
    check: "office-file",
    at: SPREADSHEET,
    answers: (answer, sent) =>
      answer.status === 400 ? refused(400, "Bad document.", "FAILED_PRECONDITION")(answer, sent) : answer,
  },
  {
    behaviour: "new files have the locale of the user",
    check: "own-file",
    at: "v4/spreadsheets",
    sendsBody: (body) => body.replace('"de_DE"', '"en_US"'),
  },
  {
    behaviour: "the address of a new file has another form",
    check: "own-file",
    at: "v4/spreadsheets",
    answers: withFields({ spreadsheetUrl: "https://example.com/spreadsheets/d/1" }),
  },
  {
    behaviour: "JSON numbers are read by the locale",
    check: "json-numbers",
    at: VALUES,
    sendsBody: (body) => body.replace("[1.5]", '["1.5"]'),
  },
  {
    behaviour: "JSON booleans become text",
    check: "json-booleans",
    at: VALUES,
    sendsBody: (body) => body.replace("[true]", '["\'true"]'),
  },
  {
    behaviour: "an apostrophe is stored",
    check: "apostrophe",
    at: VALUES,
    sendsBody: typedAs("'0050", "''0050"),
  },
  { behaviour: "a plus is text", check: "plus-formula", at: VALUES, sendsBody: typedAs("+1+1", "'+1+1") },
  {
    behaviour: "leading zeros are kept",
    check: "leading-zeros",
    at: VALUES,
    sendsBody: typedAs("0050", "'0050"),
  },
  {
    behaviour: "ISO dates are text",
    check: "iso-date",
    at: VALUES,
    sendsBody: typedAs("2026-03-01", "'2026-03-01"),
  },
  {
    behaviour: "ISO dates lose their time",
    check: "iso-date-time",
    at: VALUES,
    sendsBody: typedAs("2026-03-01 09:30:00", "2026-03-01"),
  },
  {
    behaviour: "semicolons are not read",
    check: "semicolons",
    at: VALUES,
    sendsBody: typedAs("=SUM(1;2)", "=SUM(1;;"),
  },
  {
    behaviour: "a decimal comma is text",
    check: "decimal-comma",
    at: VALUES,
    sendsBody: typedAs("1,5", "'1,5"),
  },
  {
    behaviour: "a decimal point is a number everywhere",
    check: "decimal-point",
    at: VALUES,
    sendsBody: typedAs("1.5", 1.5),
  },
  {
    behaviour: "functions load from outside at once",
    check: "blocked-functions",
    at: VALUES,
    sendsBody: (body) => body.replace("=IMAGE(", "=LEN("),
  },
  {
    behaviour: "notes are not kept",
    check: "notes",
    at: /:batchUpdate$/,
    when: ({ path }) => !path.includes("values:"),
    sendsBody: (body) => body.replace('"note":"self-check"', '"note":""'),
  },
  {
    behaviour: "an unknown range has other words",
    check: "unknown-range",
    at: SPREADSHEET,
    when: ({ params }) => params["ranges"]?.startsWith("Self-check") === true,
    answers: refused(400, "No such range.", "INVALID_ARGUMENT"),
  },
  {
    behaviour: "a write below the last row adds rows",
    check: "outside-the-grid",
    at: /values\/Sheet1!A99999$/,
    answers: instead(200, { updatedCells: 1 }),
  },
];

function objectIn(body: JsonObject, field: string): JsonObject {
  const value = body[field];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
