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
