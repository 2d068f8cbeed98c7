// The calls of the tools. Each requests only the fields that are used.
import type { JsonObject } from "../../../src/tools";
import { DRIVE_FILE, EMAIL, PROFILE } from "../platform";
import { type Call, segment } from "./call";

const SPREADSHEETS = "v4/spreadsheets";
const ofFile = (fileId: string) => ({ scopes: [DRIVE_FILE], ofFile: true, fileId });

/** Creates a spreadsheet. */
export function createSpreadsheet(body: JsonObject): Call {
  return {
    method: "spreadsheets.create",
    base: "sheets",
    verb: "POST",
    path: SPREADSHEETS,
    query: { fields: "spreadsheetId,spreadsheetUrl,properties(title),sheets(properties(sheetId,title))" },
    body,
    quota: "writes",
    once: true,
    scopes: [DRIVE_FILE],
  };
}

/** Title and sheets of a spreadsheet, without any cells. */
export function getMetadata(spreadsheetId: string): Call {
  return getSpreadsheet(spreadsheetId, {
    fields:
      "spreadsheetId,spreadsheetUrl,properties(title)," +
      "sheets(properties(sheetId,title,index,sheetType,hidden,gridProperties(rowCount,columnCount)))",
  });
}

/** The cells of one range. Rows and columns of the answer start at `startRow` and `startColumn`. */
export function getCells(spreadsheetId: string, range: string): Call {
  return getSpreadsheet(spreadsheetId, {
    ranges: range,
    fields:
      "sheets(properties(sheetId)," +
      "data(startRow,startColumn,rowData(values(userEnteredValue,formattedValue,note))))",
  });
}

function getSpreadsheet(spreadsheetId: string, query: Record<string, string>): Call {
  return {
    method: "spreadsheets.get",
    base: "sheets",
    verb: "GET",
    path: `${SPREADSHEETS}/${segment(spreadsheetId)}`,
    query,
    quota: "reads",
    ...ofFile(spreadsheetId),
  };
}

/** Changes of a spreadsheet other than values. `once`: a second request would do them twice. */
export function batchUpdate(
  spreadsheetId: string,
  requests: JsonObject[],
  { once }: { once: boolean },
): Call {
  return {
    method: "spreadsheets.batchUpdate",
    base: "sheets",
    verb: "POST",
    path: `${SPREADSHEETS}/${segment(spreadsheetId)}:batchUpdate`,
    query: { fields: "spreadsheetId" },
    body: { requests },
    quota: "writes",
    once,
    ...ofFile(spreadsheetId),
  };
}

/** Writes one value, parsed as if it were typed. The answer has the displayed value. */
export function updateValue(spreadsheetId: string, range: string, value: string | number): Call {
  return {
    method: "spreadsheets.values.update",
    base: "sheets",
    verb: "PUT",
    path: `${SPREADSHEETS}/${segment(spreadsheetId)}/values/${segment(range)}`,
    query: {
      valueInputOption: "USER_ENTERED",
      includeValuesInResponse: "true",
      fields: "spreadsheetId,updatedRange,updatedCells,updatedData(range,values)",
    },
    body: { range, majorDimension: "ROWS", values: [[value]] },
    quota: "writes",
    ...ofFile(spreadsheetId),
  };
}

/** Writes the values of many ranges, parsed as if they were typed; all of them or none. `shown`: also answers what they show. */
export function updateValues(spreadsheetId: string, data: JsonObject[], answer: { shown: boolean }): Call {
  return {
    method: "spreadsheets.values.batchUpdate",
    base: "sheets",
    verb: "POST",
    path: `${SPREADSHEETS}/${segment(spreadsheetId)}/values:batchUpdate`,
    query: {
      fields:
        "spreadsheetId,totalUpdatedRows,totalUpdatedColumns,totalUpdatedCells," +
        (answer.shown ? "responses(updatedRange,updatedData(values))" : "responses(updatedRange)"),
    },
    body: { valueInputOption: "USER_ENTERED", includeValuesInResponse: answer.shown, data },
    quota: "writes",
    ...ofFile(spreadsheetId),
  };
}

/** One page of the user's files. `wide`: beyond the user's own corpus; the required scopes are then not known. */
export function listFiles(query: Record<string, string>, { wide }: { wide: boolean }): Call {
  return {
    method: "files.list",
    base: "drive",
    verb: "GET",
    path: "drive/v3/files",
    query: {
      ...query,
      fields:
        "nextPageToken,incompleteSearch," +
        "files(id,name,createdTime,modifiedTime,webViewLink,driveId,owners(displayName,emailAddress))",
    },
    scopes: wide ? [] : [DRIVE_FILE],
  };
}

/** The user's storage. The platform refuses this call without a field mask. */
export function getAbout(): Call {
  return {
    method: "about.get",
    base: "drive",
    verb: "GET",
    path: "drive/v3/about",
    query: {
      fields:
        "user(displayName,emailAddress,photoLink,permissionId),storageQuota(limit,usage),canCreateDrives",
    },
    scopes: [DRIVE_FILE],
  };
}

/** The user's profile. The base is the full address. */
export function getUserInfo(): Call {
  return { method: "userinfo", base: "userinfo", verb: "GET", path: "", scopes: [PROFILE, EMAIL] };
}
