// The platform's data centers, from its help pages. An account belongs to one of them; its tokens are not valid in the
// others.

export interface DataCenter {
  location: string;
  /** Origin of the authorization and token endpoints. */
  accounts: string;
  /** Value of `VENDOR_SERVER_URL` for its users. */
  api: string;
  /** Origin of the application in the browser. It does not serve the API. */
  web: string;
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
];

function center(location: string, domain: string, apiDomain: string): DataCenter {
  return {
    location,
    accounts: `https://accounts.${domain}`,
    api: `https://www.${apiDomain}`,
    web: `https://creator.${domain}`,
  };
}
