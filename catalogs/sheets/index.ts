// The spreadsheet toolkit: tools over the spreadsheet, file and profile APIs of one platform.
import type { Catalog } from "../../src/tools";
import { pickerCallback, pickerPages } from "./picker";
import { DRIVE_URL, SHEETS_URL, USERINFO_URL } from "./platform";
import { sheetsSelfCheck } from "./self-check";
import { addNoteToCell } from "./tools/add-note-to-cell";
import { createSpreadsheet } from "./tools/create-spreadsheet";
import { generateGoogleFilePickerUrl } from "./tools/generate-google-file-picker-url";
import { getSpreadsheet } from "./tools/get-spreadsheet";
import { getSpreadsheetMetadata } from "./tools/get-spreadsheet-metadata";
import { searchSpreadsheets } from "./tools/search-spreadsheets";
import { updateCells } from "./tools/update-cells";
import { whoAmI } from "./tools/who-am-i";
import { writeToCell } from "./tools/write-to-cell";

export const sheetsCatalog: Catalog = {
  toolkit: {
    name: "Sheets",
    description: "Creates, reads, writes and finds spreadsheets as the user.",
    version: "1.0.0",
  },
  everydayWords: {
    spreadsheet: "sheet workbook excel table",
    sheet: "spreadsheet tab workbook",
    tab: "sheet",
    picker: "choose select pick",
  },
  bases: {
    sheets: { url: SHEETS_URL, setting: "sheets.api_url" },
    drive: { url: DRIVE_URL, setting: "drive.api_url" },
    userinfo: { url: USERINFO_URL, setting: "userinfo.url" },
  },
  pages: pickerPages,
  callback: pickerCallback,
  selfCheck: sheetsSelfCheck,
  tools: [
    createSpreadsheet,
    writeToCell,
    updateCells,
    addNoteToCell,
    searchSpreadsheets,
    whoAmI,
    generateGoogleFilePickerUrl,
    getSpreadsheet,
    getSpreadsheetMetadata,
  ],
};
