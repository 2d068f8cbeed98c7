// The known names in requests and answers. Other names are refused, as the platform refuses unknown ones.
import type { Shape } from "./field-mask";

const EXTENDED_VALUE = {
  numberValue: true,
  stringValue: true,
  boolValue: true,
  formulaValue: true,
  errorValue: { type: true, message: true },
} as const;

const CELL_FORMAT = { numberFormat: { type: true, pattern: true } } as const;

const CELL = {
  userEnteredValue: EXTENDED_VALUE,
  effectiveValue: EXTENDED_VALUE,
  formattedValue: true,
  userEnteredFormat: CELL_FORMAT,
  effectiveFormat: CELL_FORMAT,
  note: true,
} as const;

const SHEET_PROPERTIES: Shape = {
  sheetId: true,
  title: true,
  index: true,
  sheetType: true,
  hidden: true,
  gridProperties: { rowCount: true, columnCount: true, frozenRowCount: true, frozenColumnCount: true },
};

export const ROW_DATA: Shape = { values: CELL };

export const SPREADSHEET: Shape = {
  spreadsheetId: true,
  spreadsheetUrl: true,
  properties: { title: true, locale: true, timeZone: true, autoRecalc: true },
  sheets: {
    properties: SHEET_PROPERTIES,
    data: { startRow: true, startColumn: true, rowData: ROW_DATA },
  },
};

export const VALUE_RANGE: Shape = { range: true, majorDimension: true, values: true };

export const UPDATE_VALUES: Shape = {
  spreadsheetId: true,
  updatedRange: true,
  updatedRows: true,
  updatedColumns: true,
  updatedCells: true,
  updatedData: VALUE_RANGE,
};

export const BATCH_UPDATE_VALUES: Shape = {
  spreadsheetId: true,
  totalUpdatedRows: true,
  totalUpdatedColumns: true,
  totalUpdatedCells: true,
  totalUpdatedSheets: true,
  responses: UPDATE_VALUES,
};

export const BATCH_GET_VALUES: Shape = { spreadsheetId: true, valueRanges: VALUE_RANGE };

export const BATCH_UPDATE: Shape = {
  spreadsheetId: true,
  replies: true,
  updatedSpreadsheet: SPREADSHEET,
};

const DRIVE_USER: Shape = {
  kind: true,
  displayName: true,
  photoLink: true,
  me: true,
  permissionId: true,
  emailAddress: true,
};

export const FILE: Shape = {
  kind: true,
  id: true,
  name: true,
  mimeType: true,
  starred: true,
  trashed: true,
  createdTime: true,
  modifiedTime: true,
  modifiedByMeTime: true,
  viewedByMeTime: true,
  sharedWithMeTime: true,
  quotaBytesUsed: true,
  webViewLink: true,
  driveId: true,
  owners: DRIVE_USER,
};

export const FILE_LIST: Shape = { kind: true, nextPageToken: true, incompleteSearch: true, files: FILE };

export const ABOUT: Shape = {
  kind: true,
  user: DRIVE_USER,
  storageQuota: { limit: true, usage: true, usageInDrive: true, usageInDriveTrash: true },
  canCreateDrives: true,
};
