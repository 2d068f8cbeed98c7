// The platform's addresses, scopes, types and forms of names.

/** Deployments replace the API's addresses by settings, the OAuth addresses per provider record. */
export const SHEETS_URL = "https://sheets.googleapis.com";
export const DRIVE_URL = "https://www.googleapis.com";
export const USERINFO_URL = "https://openidconnect.googleapis.com/v1/userinfo";

/** Scopes are addresses below this one. The platform compares and returns them whole. */
const SCOPE_BASE = "https://www.googleapis.com/auth";

/** Files that the application made, or that the user opened or picked with it. Enough for every call of this catalog. */
export const DRIVE_FILE = `${SCOPE_BASE}/drive.file`;
export const PROFILE = `${SCOPE_BASE}/userinfo.profile`;
export const EMAIL = `${SCOPE_BASE}/userinfo.email`;
/** Wider scopes, of providers that an administrator configured so. No tool declares them. */
export const DRIVE = `${SCOPE_BASE}/drive`;
export const DRIVE_READONLY = `${SCOPE_BASE}/drive.readonly`;

/** What people see of spreadsheets stands below this address. */
export const LINK_BASE = "https://docs.google.com/spreadsheets";

export const SPREADSHEET_TYPE = "application/vnd.google-apps.spreadsheet";

/** How client ids are written. Access to files belongs to the project. */
export const CLIENT_ID_FORM = "{project number}-….apps.googleusercontent.com";

/** Our page on which users pick files, and what the states of its redirects begin with. */
export const PICKER_PATH = "/google/drive_picker";
export const PICKER_STATE_PREFIX = "pick.";
