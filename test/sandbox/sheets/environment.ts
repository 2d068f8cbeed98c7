import type { SheetsPlatform } from "../../../catalogs/sandbox/sheets";

/** Environment variables of a deployment with the stand-in. */
export function sheetsEnvironment(sheets: SheetsPlatform): Record<string, string> {
  return {
    RUNTIME_SHEETS_API_URL: sheets.url,
    RUNTIME_DRIVE_API_URL: sheets.url,
    RUNTIME_USERINFO_URL: sheets.userinfoUrl,
    RUNTIME_SHEETS_PICKER_SCRIPT_URL: sheets.pickerScriptUrl,
    RUNTIME_SHEETS_IDENTITY_SCRIPT_URL: sheets.identityScriptUrl,
  };
}
