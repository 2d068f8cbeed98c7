// Names and values of the one platform whose picker we offer.
import type { Settings } from "../config";

/** Well-known id of its provider records. */
export const PICKER_PROVIDER = "google";

/** Single files that the user opened or picked with the application: all that picking may ask for. */
export const PICKER_SCOPE = "https://www.googleapis.com/auth/drive.file";

export const SPREADSHEET_TYPE = "application/vnd.google-apps.spreadsheet";

/**
 * The authorize request that shows the picker after the consent. Without `access_type=offline`: no refresh token is
 * wanted, and each would push out an old one. Without `include_granted_scopes`, which the picker does not take.
 */
export const PICK_PARAMS = {
  response_type: "code",
  client_id: "{{client_id}}",
  redirect_uri: "{{redirect_uri}}",
  scope: "{{scopes}}",
  prompt: "consent",
  trigger_onepick: "true",
  allow_multiple: "true",
  mimetypes: SPREADSHEET_TYPE,
} as const;

/** A script of the platform, and where else the page must let it go. */
export interface PlatformScript {
  url: string;
  /** Origins, as a content policy names them. */
  scripts: readonly string[];
  frames: readonly string[];
  connects: readonly string[];
}

/** The scripts that show the picker and sign the person in. A replaced address brings its own origin and no other. */
export function pickerScripts(settings: Settings): { picker: PlatformScript; identity: PlatformScript } {
  const accounts = "https://accounts.google.com";
  return {
    picker: replaced(settings["sheets.picker_script_url"]) ?? {
      url: "https://apis.google.com/js/api.js",
      scripts: ["https://apis.google.com"],
      frames: ["https://docs.google.com", "https://drive.google.com"],
      connects: [],
    },
    identity: replaced(settings["sheets.identity_script_url"]) ?? {
      url: `${accounts}/gsi/client`,
      scripts: [accounts],
      frames: [accounts],
      connects: [accounts],
    },
  };
}

function replaced(url: string | undefined): PlatformScript | undefined {
  if (url === undefined) return undefined;
  const { origin } = new URL(url);
  return { url, scripts: [origin], frames: [origin], connects: [origin] };
}

/** The parameter of the callback that names what was picked, with commas between. */
export const PICKED_IDS = "picked_file_ids";

/** Number of the project that owns a client: access to files belongs to the project. */
export function projectNumberOf(clientId: string): string | undefined {
  return /^(\d+)-/.exec(clientId)?.[1];
}
