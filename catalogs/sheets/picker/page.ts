// The page on which a user picks files for the application: with the platform's scripts on our page, or by a redirect
// to the platform's page.
import type { PageContext } from "../../../src/tools";
import { googlePreset } from "../../presets/google";
import { DRIVE_FILE, PICKER_STATE_PREFIX, SPREADSHEET_TYPE } from "../platform";
import { clientOf } from "./link";
import { PICKER_SCRIPT } from "./script";

/**
 * The authorization request that shows the picker after the consent. Without `access_type=offline`: a new refresh token
 * is not needed and would invalidate an old one. Without `include_granted_scopes`, which the picker does not support.
 */
const PICK_PARAMS = {
  response_type: "code",
  client_id: "{{client_id}}",
  redirect_uri: "{{redirect_uri}}",
  scope: "{{scopes}}",
  // The platform requires the consent; the choice of account avoids the files of another signed-in account.
  prompt: "select_account consent",
  trigger_onepick: "true",
  allow_multiple: "true",
  mimetypes: SPREADSHEET_TYPE,
} as const;

/** The parameter of the callback with the ids of the picked files, separated by commas. */
const PICKED_IDS = "picked_file_ids";

const BAD_LINK =
  "This link is incomplete, or the application's settings have changed since it was created. " +
  "Ask the application for a new link.";
const AGAIN = "Open the link from the application again.";
const REFUSALS = {
  unknown: `This response does not belong to a link that was opened here. ${AGAIN}`,
  "other browser": `The link was opened in another browser, or this browser blocks cookies. ${AGAIN}`,
  expired: `This response has expired. ${AGAIN}`,
} as const;

/** GET /google/drive_picker?config=… */
export async function openPicker(context: PageContext): Promise<Response> {
  const { query, settings } = context;
  const [config = "", ...others] = query.getAll("config");
  const client = others.length > 0 ? undefined : clientOf(config);
  if (client === undefined) return refusal(context, BAD_LINK);
  const provider = await context.findProvider(googlePreset.id, client.clientId);
  if (provider === undefined) return refusal(context, BAD_LINK);
  const redirects = settings["sheets.picker"] === "redirect" || query.get(WAY) === REDIRECT;
  if (!redirects)
    return scriptsPage(context, client, await context.applicationOf(provider), otherWay(config));
  return context.authorize(provider, {
    statePrefix: PICKER_STATE_PREFIX,
    params: PICK_PARAMS,
    scopes: [DRIVE_FILE],
    exchangesCode: settings["sheets.picker_code"] !== "ignore",
  });
}

/** The parameter that chooses the platform's own page. */
const WAY = "way";
const REDIRECT = "redirect";

/** Relative, so that it keeps the path prefix of a proxy. */
function otherWay(config: string): string {
  return `?${new URLSearchParams({ config, [WAY]: REDIRECT })}`;
}

/** GET /google/drive_picker.js */
export function pickerScript(): Response {
  return new Response(PICKER_SCRIPT, {
    headers: {
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-cache",
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    },
  });
}

/** The callback of the redirect to the picker. */
export async function pickerCallback(context: PageContext, externalId: string): Promise<Response> {
  const check = await context.checkCallback(externalId, PICKER_STATE_PREFIX);
  if (check !== "valid") return refusal(context, REFUSALS[check]);
  const error = context.query.get("error");
  if (error === "access_denied") return nothingPicked(context, "You did not grant the permission.");
  if (error !== null) return nothingPicked(context, "The provider returned an error.");
  const ids = (context.query.get(PICKED_IDS) ?? "").split(",").filter((id) => id !== "");
  const count = new Set(ids).size;
  if (count === 0) return nothingPicked(context, "No file was chosen.");
  const files = count === 1 ? "1 file was" : `${count} files were`;
  const exchange = await context.exchangeCode(externalId, PICKER_STATE_PREFIX);
  const doubt = exchange === "refused" || exchange === "failed" ? `<p>${NOT_CONFIRMED}</p>` : "";
  return context.html(
    200,
    "Done",
    `<p>${files} picked. Go back to the application and run the tool again.</p>${doubt}`,
  );
}

const NOT_CONFIRMED =
  "The platform has not confirmed the choice. If the tool still does not find the files, open the link from the application again.";

function nothingPicked({ html, escape }: PageContext, reason: string): Response {
  return html(
    200,
    "Nothing was picked",
    `<p>${escape(reason)}</p><p>To pick files, open the link from the application again.</p>`,
  );
}

function refusal({ html, escape }: PageContext, reason: string): Response {
  return html(400, "This did not work", `<p>${escape(reason)}</p>`);
}

function scriptsPage(
  { html, escape, settings }: PageContext,
  { clientId, projectNumber }: { clientId: string; projectNumber: string },
  application: string,
  other: string,
): Response {
  const scripts = platformScripts(settings);
  const data = Object.entries({
    "client-id": clientId,
    "app-id": projectNumber,
    scope: DRIVE_FILE,
    "mime-type": SPREADSHEET_TYPE,
  }).map(([name, value]) => `data-${name}="${escape(value)}"`);
  const body =
    `<p>Choose the spreadsheets that <b>${escape(application)}</b> may use. It gets access to nothing else.</p>` +
    "<p>Sign in with the account that you have linked there.</p>" +
    `<button class="main" id="pick" disabled>Pick spreadsheets</button>` +
    `<p id="message" role="status"></p><noscript><p>Picking on this page needs JavaScript.</p></noscript>` +
    // Without third-party cookies the picker does not open, and the platform does not report it.
    `<p id="other">Does the picker not open, stay empty or ask you to sign in? ` +
    `<a href="${escape(other)}">Pick on the platform's own page</a></p>` +
    scripts.map(({ url }) => `<script defer src="${escape(url)}"></script>`).join("") +
    // Relative, so that it keeps the path prefix of a proxy.
    `<script defer src="drive_picker.js" ${data.join(" ")}></script>`;
  return html(200, "Pick spreadsheets", body, {
    policy: policyFor(scripts),
    headers: {
      // A stricter value would disconnect the sign-in window from this page.
      "cross-origin-opener-policy": "same-origin-allow-popups",
      // The platform requires the origin of the page that embeds it; the query is not sent.
      "referrer-policy": "strict-origin",
    },
  });
}

function policyFor(scripts: readonly PlatformScript[]): Record<string, readonly string[]> {
  const union = (kind: Exclude<keyof PlatformScript, "url">): string[] => [
    ...new Set(scripts.flatMap((script) => script[kind])),
  ];
  return {
    "script-src": ["'self'", ...union("scripts")],
    "frame-src": union("frames"),
    "connect-src": union("connects"),
    "img-src": union("images"),
    // The picker sets inline styles by script.
    "style-src": ["'unsafe-inline'", ...union("styles")],
    "form-action": ["'none'"],
  };
}

/** A script of the platform, and the origins that it needs. */
interface PlatformScript {
  url: string;
  /** Origins for the content security policy. */
  scripts: readonly string[];
  frames: readonly string[];
  connects: readonly string[];
  images: readonly string[];
  styles: readonly string[];
}

const ACCOUNTS = "https://accounts.google.com";

/** The scripts that show the picker and sign the user in. A replaced address allows only its own origin. */
function platformScripts(settings: Readonly<Record<string, unknown>>): PlatformScript[] {
  return [
    replaced(settings["sheets.picker_script_url"]) ?? {
      url: "https://apis.google.com/js/api.js",
      scripts: ["https://apis.google.com"],
      frames: ["https://docs.google.com", "https://drive.google.com", "https://content.googleapis.com"],
      connects: ["https://apis.google.com", "https://content.googleapis.com", "https://www.googleapis.com"],
      images: ["https://*.gstatic.com", "https://*.googleusercontent.com"],
      styles: [],
    },
    replaced(settings["sheets.identity_script_url"]) ?? {
      url: `${ACCOUNTS}/gsi/client`,
      scripts: [ACCOUNTS],
      frames: [ACCOUNTS],
      connects: [ACCOUNTS],
      images: [],
      styles: [`${ACCOUNTS}/gsi/style`],
    },
  ];
}

function replaced(url: unknown): PlatformScript | undefined {
  if (typeof url !== "string") return undefined;
  const { origin } = new URL(url);
  const own = [origin];
  return { url, scripts: own, frames: own, connects: own, images: own, styles: own };
}
