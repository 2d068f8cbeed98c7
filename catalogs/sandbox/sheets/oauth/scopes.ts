// The scopes, and those of each interface.
const BASE = "https://www.googleapis.com/auth";

const DRIVE = `${BASE}/drive`;
const DRIVE_READONLY = `${BASE}/drive.readonly`;
const DRIVE_FILE = `${BASE}/drive.file`;
const SHEETS = `${BASE}/spreadsheets`;
const SHEETS_READONLY = `${BASE}/spreadsheets.readonly`;
export const EMAIL = `${BASE}/userinfo.email`;
export const PROFILE = `${BASE}/userinfo.profile`;
export const OPENID = "openid";

/** Short names that may be requested; answers have full addresses. */
const SHORT: Readonly<Record<string, string>> = { email: EMAIL, profile: PROFILE };

/** Scopes that may be requested; others are treated as typos. */
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

/** Scopes that show every file of the user. */
export const DRIVE_SCOPES = {
  read: [DRIVE, DRIVE_READONLY, SHEETS, SHEETS_READONLY],
  write: [DRIVE, SHEETS],
  anyRead: [DRIVE, DRIVE_READONLY, DRIVE_FILE],
} as const;

/** Scopes of the spreadsheet interface. */
export const SHEETS_SCOPES = {
  read: [DRIVE, DRIVE_READONLY, DRIVE_FILE, SHEETS, SHEETS_READONLY],
  write: [DRIVE, DRIVE_FILE, SHEETS],
} as const;

export const PICKER_SCOPE = DRIVE_FILE;

/** The unknown scopes of a request. */
export function unknownScopes(scopes: readonly string[]): string[] {
  return scopes.filter((scope) => !KNOWN.has(scope));
}

/**
 * Scopes in the form of a grant: full addresses, and `openid` with identity scopes. Their order differs from the
 * request.
 */
export function grantedForm(scopes: readonly string[]): string[] {
  const long = scopes.map((scope) => SHORT[scope] ?? scope);
  const identifies = long.some((scope) => [EMAIL, PROFILE, OPENID].includes(scope));
  return [...new Set([...long, ...(identifies ? [OPENID] : [])])].toSorted().toReversed();
}
