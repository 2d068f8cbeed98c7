// Addresses, scopes and types of the platform.

/** Settings can replace the addresses of the APIs; provider records contain those for OAuth. */
export const SHEETS_URL = "https://sheets.googleapis.com";
export const DRIVE_URL = "https://www.googleapis.com";
export const USERINFO_URL = "https://openidconnect.googleapis.com/v1/userinfo";

/** Scopes are addresses below this one. The platform compares and returns them in full. */
const SCOPE_BASE = "https://www.googleapis.com/auth";

/** Files that the application created, or that the user opened or picked with it. Sufficient for all calls here. */
export const DRIVE_FILE = `${SCOPE_BASE}/drive.file`;
export const PROFILE = `${SCOPE_BASE}/userinfo.profile`;
export const EMAIL = `${SCOPE_BASE}/userinfo.email`;
/** Broader scopes, which an administrator may configure at a provider. No tool declares them. */
export const DRIVE = `${SCOPE_BASE}/drive`;
export const DRIVE_READONLY = `${SCOPE_BASE}/drive.readonly`;

/** Base of the addresses of spreadsheets in the browser. */
export const LINK_BASE = "https://docs.google.com/spreadsheets";

export const SPREADSHEET_TYPE = "application/vnd.google-apps.spreadsheet";

/** The form of client ids. Access to files belongs to the project. */
export const CLIENT_ID_FORM = "{project number}-….apps.googleusercontent.com";

/** Our page on which users pick files, and the prefix of the `state` of its redirects. */
export const PICKER_PATH = "/google/drive_picker";
export const PICKER_STATE_PREFIX = "pick.";
