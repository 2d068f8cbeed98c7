// The account, its files, and what is refused.
import {
  type JsonObject,
  judged,
  kindOf,
  observed,
  type PlatformCheck,
  withoutExample,
} from "../../../src/tools";
import { nonEmptyTextIn, objectIn, objectsIn, textIn } from "../../upstream/json";
import { SPREADSHEET_TYPE } from "../platform";
import { getAbout, getCells, getMetadata, getUserInfo, listFiles } from "../upstream/calls";
import { refusalIn } from "../upstream/refusal";
import { type Asked, codeSeen, type SheetsProbe } from "./probe";

const SEARCH = "SearchSpreadsheets";
const GET = "GetSpreadsheetMetadata";

const SPREADSHEETS = `mimeType = '${SPREADSHEET_TYPE}' and trashed = false`;
const OFFICE_FILES =
  "(mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' or " +
  "mimeType = 'application/vnd.ms-excel') and trashed = false";

/** Spreadsheets whose sheets are looked at. */
const LOOKED_AT = 5;
const SPREADSHEET_FIELDS = ["spreadsheetId", "spreadsheetUrl", "properties", "sheets"];
const FILE_FIELDS = ["id", "name", "createdTime", "modifiedTime", "webViewLink", "driveId", "owners"];

export const READING: readonly PlatformCheck<SheetsProbe>[] = [
  {
    name: "own-profile",
    expects: "the profile has the user's id (sub), and email_verified is a boolean where it is sent",
    tool: "WhoAmI",
    async run(probe) {
      const asked = await probe.ask(getUserInfo());
      const { sub, email_verified: verified } = asked.body;
      const fits = kindOf(sub) === "text" && ["boolean", "absent"].includes(kindOf(verified));
      return judged(asked.ok && fits, {
        ...codeSeen(asked),
        sub: kindOf(sub),
        email_verified: kindOf(verified),
      });
    },
  },
  {
    name: "storage-as-text",
    expects: "64-bit numbers such as the used storage are sent as text of digits",
    tool: "WhoAmI",
    async run(probe) {
      const asked = await probe.ask(getAbout());
      const usage = objectIn(asked.body, "storageQuota")["usage"];
      const isDigits = typeof usage === "string" && /^\d+$/.test(usage);
      return judged(asked.ok && isDigits, { ...codeSeen(asked), usage: kindOf(usage), digits: isDigits });
    },
  },
  {
    name: "unknown-file",
    expects: "an unknown id is 404 with an error of code, message and status NOT_FOUND",
    tool: GET,
    async run(probe) {
      const asked = await probe.ask(getMetadata("1-self-check-does-not-exist"));
      const error = objectIn(asked.body, "error");
      const fits =
        error["code"] === 404 && error["status"] === "NOT_FOUND" && kindOf(error["message"]) === "text";
      return judged(asked.status === 404 && fits, {
        ...codeSeen(asked),
        error_code: kindOf(error["code"]),
        message: kindOf(error["message"]),
      });
    },
  },
  {
    name: "file-fields",
    expects: "files.list returns only the fields of the mask, with an id and a time for each file",
    tool: SEARCH,
    async run(probe) {
      const asked = await files(probe);
      const found = objectsIn(asked.body, "files");
      const more = found.filter((file) => Object.keys(file).some((key) => !FILE_FIELDS.includes(key))).length;
      const without = found.filter(
        (file) =>
          textIn(file, "id") === undefined || Number.isNaN(Date.parse(textIn(file, "createdTime") ?? "")),
      ).length;
      return judged(asked.ok && more === 0 && without === 0, {
        ...codeSeen(asked),
        files: found.length,
        with_other_fields: more,
        without_id_or_time: without,
      });
    },
  },
  {
    name: "search-is-complete",
    expects: "a search in the user's own files is complete (incompleteSearch is false or not sent)",
    tool: SEARCH,
    async run(probe) {
      const asked = await files(probe);
      const kind = kindOf(asked.body["incompleteSearch"]);
      return judged(
        asked.ok && asked.body["incompleteSearch"] !== true && ["boolean", "absent"].includes(kind),
        {
          ...codeSeen(asked),
          incomplete: asked.body["incompleteSearch"] === true,
        },
      );
    },
  },
  {
    name: "file-pages",
    expects: "files.list keeps to pageSize, and nextPageToken leads to other files",
    tool: SEARCH,
    async run(probe) {
      const query = { q: SPREADSHEETS, pageSize: "1" };
      const first = await probe.ask(listFiles(query, { wide: false }));
      const token = nonEmptyTextIn(first.body, "nextPageToken");
      const ids = idsIn(first);
      if (token === undefined)
        return first.ok ? withoutExample({ files: ids.length }) : judged(false, codeSeen(first));
      const next = await probe.ask(listFiles({ ...query, pageToken: token }, { wide: false }));
      const repeated = idsIn(next).filter((id) => ids.includes(id)).length;
      return judged(next.ok && ids.length <= 1 && repeated === 0, {
        ...codeSeen(next),
        page: ids.length,
        repeated,
      });
    },
  },
  {
    name: "file-order",
    expects: "files.list sorts by the asked time, newest first",
    tool: SEARCH,
    async run(probe) {
      const asked = await files(probe);
      const times = objectsIn(asked.body, "files").map((file) =>
        Date.parse(textIn(file, "modifiedTime") ?? ""),
      );
      const isSorted = times.every((time, index) => index === 0 || time <= (times[index - 1] ?? Infinity));
      return times.length < 2
        ? withoutExample()
        : judged(asked.ok && isSorted, { files: times.length, newest_first: isSorted });
    },
  },
  {
    name: "invalid-page-token",
    expects: "a page token that was never given is 400 and names pageToken",
    tool: SEARCH,
    async run(probe) {
      const query = { q: SPREADSHEETS, pageToken: "self-check" };
      const asked = await probe.ask(listFiles(query, { wide: false }));
      const named = refusalIn(asked.answer).locations.includes("pageToken");
      return judged(asked.status === 400 && named, { ...codeSeen(asked), names_the_parameter: named });
    },
  },
  {
    name: "invalid-query",
    expects: "a query that cannot be read is 400",
    tool: SEARCH,
    async run(probe) {
      const asked = await probe.ask(listFiles({ q: "self check", pageSize: "1" }, { wide: false }));
      return judged(asked.status === 400, codeSeen(asked));
    },
  },
  {
    name: "spreadsheet-fields",
    expects: "spreadsheets.get returns only the fields of the mask",
    tool: GET,
    async run(probe) {
      const [file] = idsIn(await files(probe));
      if (file === undefined) return withoutExample();
      const asked = await probe.ask(getMetadata(file));
      const more = Object.keys(asked.body).filter((key) => !SPREADSHEET_FIELDS.includes(key)).length;
      return judged(asked.ok && more === 0, { ...codeSeen(asked), other_fields: more });
    },
  },
  {
    name: "sheet-types",
    expects: "sheets are GRID, OBJECT or DATA_SOURCE, and those with cells tell the size of their grid",
    tool: GET,
    async run(probe) {
      const sheets = await sheetsOf(probe);
      if (sheets.length === 0) return withoutExample();
      const types = sheets.map(({ properties }) => textIn(properties, "sheetType"));
      const unknown = types.filter((type) => !["GRID", "OBJECT", "DATA_SOURCE"].includes(type ?? "")).length;
      const unsized = sheets.filter(
        ({ properties }) =>
          properties["sheetType"] === "GRID" &&
          kindOf(objectIn(properties, "gridProperties")["rowCount"]) !== "number",
      ).length;
      return judged(unknown === 0 && unsized === 0, {
        sheets: sheets.length,
        data_sources: types.filter((type) => type === "DATA_SOURCE").length,
        of_unknown_types: unknown,
        without_size: unsized,
      });
    },
  },
  {
    name: "data-source-ranges",
    expects: "Not settled: the error with which a range of a connected sheet is refused",
    tool: "GetSpreadsheet",
    async run(probe) {
      const sheet = (await sheetsOf(probe)).find(
        ({ properties }) => properties["sheetType"] === "DATA_SOURCE",
      );
      const title = sheet === undefined ? undefined : textIn(sheet.properties, "title");
      if (sheet === undefined || title === undefined) return withoutExample();
      const asked = await probe.ask(getCells(sheet.file, `'${title.replaceAll("'", "''")}'!A1`));
      return asked.ok ? judged(false, codeSeen(asked)) : observed(codeSeen(asked));
    },
  },
  {
    name: "office-file",
    expects:
      "an Excel file is 400 FAILED_PRECONDITION for every call; whether access is noticed before is not settled",
    tool: GET,
    async run(probe) {
      const found = await probe.ask(listFiles({ q: OFFICE_FILES, pageSize: "1" }, { wide: false }));
      const [id] = idsIn(found);
      if (id === undefined) return withoutExample();
      const asked = await probe.ask(getMetadata(id));
      return judged(asked.status === 400 && codeSeen(asked)["problem"] === "office_file", codeSeen(asked));
    },
  },
];

function files(probe: SheetsProbe): Promise<Asked> {
  const query = { q: SPREADSHEETS, pageSize: String(LOOKED_AT), orderBy: "modifiedTime desc" };
  return probe.once("files", () => probe.ask(listFiles(query, { wide: false })));
}

/** The sheets of the newest files. */
function sheetsOf(probe: SheetsProbe): Promise<{ file: string; properties: JsonObject }[]> {
  return probe.once("sheets", async () => {
    const found: { file: string; properties: JsonObject }[] = [];
    for (const file of idsIn(await files(probe))) {
      const { body } = await probe.ask(getMetadata(file));
      for (const sheet of objectsIn(body, "sheets"))
        found.push({ file, properties: objectIn(sheet, "properties") });
    }
    return found;
  });
}

function idsIn({ body }: Asked): string[] {
  return objectsIn(body, "files").flatMap((file) => nonEmptyTextIn(file, "id") ?? []);
}
