// The auth provider record and the settings for the stand-in.
import type { SheetsPlatform } from "./sandbox";

export function googleProvider(sheets: SheetsPlatform, id = "google") {
  return {
    id,
    provider_id: "google",
    description: "Spreadsheets (sandbox)",
    oauth2: {
      client_id: sheets.clientId,
      client_secret: sheets.clientSecret,
      authorize_request: { endpoint: sheets.authorizeUrl },
      token_request: { endpoint: sheets.tokenUrl },
      refresh_request: { endpoint: sheets.tokenUrl },
    },
  };
}

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
