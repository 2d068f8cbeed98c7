// The platform's scripts for the picker page.

/** A script of the platform, and what else the page must let it reach. */
export interface PlatformScript {
  url: string;
  /** Origins, as a content policy names them. */
  scripts: readonly string[];
  frames: readonly string[];
  connects: readonly string[];
}

const ACCOUNTS = "https://accounts.google.com";

/** The scripts that show the picker and sign the person in. A replaced address brings its own origin and no other. */
export function platformScripts(settings: Readonly<Record<string, unknown>>): PlatformScript[] {
  return [
    replaced(settings["sheets.picker_script_url"]) ?? {
      url: "https://apis.google.com/js/api.js",
      scripts: ["https://apis.google.com"],
      frames: ["https://docs.google.com", "https://drive.google.com"],
      connects: [],
    },
    replaced(settings["sheets.identity_script_url"]) ?? {
      url: `${ACCOUNTS}/gsi/client`,
      scripts: [ACCOUNTS],
      frames: [ACCOUNTS],
      connects: [ACCOUNTS],
    },
  ];
}

function replaced(url: unknown): PlatformScript | undefined {
  if (typeof url !== "string") return undefined;
  const { origin } = new URL(url);
  return { url, scripts: [origin], frames: [origin], connects: [origin] };
}
