// How the platform refuses files, sheets and cells that look usable. One row per fact, with the public source that reports it.

export interface RefusalRow {
  readonly code: number;
  readonly status: string;
  readonly message: string;
  readonly source: string;
}

/** A person who may only view a file reads it, and may not write to it. */
export const VIEWER_WRITES: RefusalRow = {
  code: 403,
  status: "PERMISSION_DENIED",
  message: "The caller does not have permission",
  source: "https://github.com/theoephraim/node-google-spreadsheet/issues/702",
};

/** A workbook in Microsoft's format, which the platform's pages open and its interface does not. */
export const OFFICE_FILE: RefusalRow = {
  code: 400,
  status: "FAILED_PRECONDITION",
  message: "This operation is not supported for this document. The document must not be an Office file.",
  source:
    "https://github.com/brekkylab/backlot/issues/36 (measured), https://github.com/burnash/gspread/issues/732",
};

/** The same in answers before about 2023. */
export const OFFICE_FILE_EARLIER: RefusalRow = {
  ...OFFICE_FILE,
  message: "This operation is not supported for this document",
  source: "https://github.com/theoephraim/node-google-spreadsheet/issues/651",
};

/** A file of another kind that is not the platform's own, such as a PDF. */
export const FOREIGN_FILE: RefusalRow = {
  code: 400,
  status: "INVALID_ARGUMENT",
  message: "Request contains an invalid argument.",
  source: "https://github.com/brekkylab/backlot/issues/36 (measured)",
};

/** A sheet that shows a data source has no ranges; its grid properties can only be read. The text is not documented. */
export const DATA_SOURCE_RANGE: RefusalRow = {
  code: 400,
  status: "INVALID_ARGUMENT",
  message: "Ranges of a data source sheet are not supported.",
  source:
    "https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets/sheets (SheetType, GridProperties)",
};

/** Types of files in Microsoft's format that the platform's pages open as spreadsheets. */
export const OFFICE_TYPES: ReadonlySet<string> = new Set([
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.ms-excel",
]);
