// The platform's addresses, types and forms of names.

/** Deployments replace the API's addresses by settings, the OAuth addresses per provider record. */
export const SHEETS_URL = "https://sheets.googleapis.com";
export const DRIVE_URL = "https://www.googleapis.com";
export const USERINFO_URL = "https://openidconnect.googleapis.com/v1/userinfo";

/** Scopes are addresses below this one. */
export const SCOPE_BASE = "https://www.googleapis.com/auth";

/** What people see of spreadsheets stands below this address. */
export const LINK_BASE = "https://docs.google.com/spreadsheets";

export const SPREADSHEET_TYPE = "application/vnd.google-apps.spreadsheet";

/** How client ids are written. Access to files belongs to the project. */
export const CLIENT_ID_FORM = "{project number}-….apps.googleusercontent.com";

/** Our page on which users pick files, and what the states of its redirects begin with. */
export const PICKER_PATH = "/google/drive_picker";
export const PICKER_STATE_PREFIX = "pick.";
