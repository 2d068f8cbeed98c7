// The platform's data centers, as its help pages list them. An account lives in one of them; a token of one is not
// valid at another.

export interface DataCenter {
  location: string;
  /** Origin of consent and tokens. */
  accounts: string;
  /** What `VENDOR_SERVER_URL` holds for its users. */
  api: string;
  /** Where people work in the browser. It does not serve the API's routes. */
  web: string;
}

export const DATA_CENTERS: readonly DataCenter[] = [
  center("us", "zoho.com", "zohoapis.com"),
  center("eu", "zoho.eu", "zohoapis.eu"),
  center("in", "zoho.in", "zohoapis.in"),
  center("au", "zoho.com.au", "zohoapis.com.au"),
  center("cn", "zoho.com.cn", "zohoapis.com.cn"),
  center("jp", "zoho.jp", "zohoapis.jp"),
  // The only one whose names do not follow from each other.
  center("ca", "zohocloud.ca", "zohoapis.ca"),
  center("sa", "zoho.sa", "zohoapis.sa"),
  center("ae", "zoho.ae", "zohoapis.ae"),
];

function center(location: string, domain: string, apiDomain: string): DataCenter {
  return {
    location,
    accounts: `https://accounts.${domain}`,
    api: `https://www.${apiDomain}`,
    web: `https://creator.${domain}`,
  };
}
