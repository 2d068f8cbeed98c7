// Which scopes there are, and which interface takes which.
const BASE = "https://www.googleapis.com/auth";

const DRIVE = `${BASE}/drive`;
const DRIVE_READONLY = `${BASE}/drive.readonly`;
const DRIVE_FILE = `${BASE}/drive.file`;
const SHEETS = `${BASE}/spreadsheets`;
const SHEETS_READONLY = `${BASE}/spreadsheets.readonly`;
export const EMAIL = `${BASE}/userinfo.email`;
export const PROFILE = `${BASE}/userinfo.profile`;
export const OPENID = "openid";

/** Short names that may be asked for; they come back as whole addresses. */
const SHORT: Readonly<Record<string, string>> = { email: EMAIL, profile: PROFILE };

/** Everything that may be asked for; anything else is a typing mistake. */
const KNOWN = new Set([
  DRIVE,
  DRIVE_READONLY,
  DRIVE_FILE,
  SHEETS,
  SHEETS_READONLY,
  EMAIL,
  PROFILE,
  OPENID,
  ...Object.keys(SHORT),
]);

/** Scopes under which every file of the user is seen, whoever made it. */
export const DRIVE_SCOPES = {
  read: [DRIVE, DRIVE_READONLY, SHEETS, SHEETS_READONLY],
  write: [DRIVE, SHEETS],
  anyRead: [DRIVE, DRIVE_READONLY, DRIVE_FILE],
} as const;

/** Scopes that open the spreadsheet interface at all. */
export const SHEETS_SCOPES = {
  read: [DRIVE, DRIVE_READONLY, DRIVE_FILE, SHEETS, SHEETS_READONLY],
  write: [DRIVE, DRIVE_FILE, SHEETS],
} as const;

export const PICKER_SCOPE = DRIVE_FILE;

/** The scopes of a request that do not exist. */
export function unknownScopes(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => !KNOWN.has(scope));
}

/**
 * Scopes as a grant holds them: whole addresses, and `openid` beside what tells who somebody is. Their order is not
 * that of the request.
 */
export function grantedForm(scopes: readonly string[]): string[] {
  const long = scopes.map((scope) => SHORT[scope] ?? scope);
  const identifies = long.some((scope) => [EMAIL, PROFILE, OPENID].includes(scope));
  return [...new Set([...long, ...(identifies ? [OPENID] : [])])].toSorted().toReversed();
}
