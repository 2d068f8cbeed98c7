// The names of platforms with a self-check, for the command line, which does not load the catalogs to parse a line.

export const SELF_CHECKED = ["slack", "google", "zoho"] as const;
