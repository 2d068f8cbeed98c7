// A deployment with the spreadsheet stand-in behind a front that deviates.
import { ALL_SCOPES } from "../catalogs/sheets/run";
import { googleProvider, type SheetsSandbox } from "../sandbox/sheets";
import { type Checked, checkedPlatform } from "./deployment";

export function sheetsChecked(
  sheets: SheetsSandbox,
  { accessToken } = sheets.issueToken("alice", ALL_SCOPES),
): Promise<Checked> {
  return checkedPlatform("google", sheets, {
    environment: (front) => ({
      RUNTIME_SHEETS_API_URL: front,
      RUNTIME_DRIVE_API_URL: front,
      RUNTIME_USERINFO_URL: `${front}/v1/userinfo`,
    }),
    provider: googleProvider(sheets),
    grant: { access: accessToken, scopes: [...ALL_SCOPES], expiresIn: null },
  });
}
