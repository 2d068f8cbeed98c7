// The platform's data centers, from its help pages. An account belongs to one of them; its tokens are not valid in the
// others.

export interface DataCenter {
  location: string;
  /** Origin of the authorization and token endpoints. */
  accounts: string;
  /** Value of `VENDOR_SERVER_URL` for its users. */
  api: string;
  /**
   * Other origins that mean its API: the vendor's page on base URLs names that of the application, other sources see it
   * redirect, and some token answers name a third one.
   */
  aliases: readonly string[];
}

export const DATA_CENTERS: readonly DataCenter[] = [
  center("us", "zoho.com", "zohoapis.com"),
  center("eu", "zoho.eu", "zohoapis.eu"),
  center("in", "zoho.in", "zohoapis.in"),
  center("au", "zoho.com.au", "zohoapis.com.au"),
  center("cn", "zoho.com.cn", "zohoapis.com.cn"),
  center("jp", "zoho.jp", "zohoapis.jp"),
  // The only one with different domains.
  center("ca", "zohocloud.ca", "zohoapis.ca"),
  center("sa", "zoho.sa", "zohoapis.sa"),
  center("ae", "zoho.ae", "zohoapis.ae"),
  center("uk", "zoho.uk", "zohoapis.uk"),
];

/** The one whose users cannot start a consent anywhere else. */
export const SEPARATE_DATA_CENTER = centerAt("cn");

/** Other names of APIs → their origins. */
export const API_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  DATA_CENTERS.flatMap(({ aliases, api }) => aliases.map((alias) => [alias, api])),
);

function centerAt(location: string): DataCenter {
  const found = DATA_CENTERS.find((one) => one.location === location);
  if (found === undefined) throw new Error(`There is no data center ${location}.`);
  return found;
}

function center(location: string, domain: string, apiDomain: string): DataCenter {
  return {
    location,
    accounts: `https://accounts.${domain}`,
    api: `https://www.${apiDomain}`,
    aliases: [`https://creator.${domain}`, `https://creatorapp.${domain}`, `https://api.${domain}`],
  };
}
