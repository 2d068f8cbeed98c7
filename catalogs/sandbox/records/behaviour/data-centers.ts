// The platform's data centers, written by hand from its public pages. An account lives in one of them.

export interface DataCenterRow {
  readonly location: string;
  /** Where consents start for its users. */
  readonly consentAt: string;
  /** Its accounts server: the code exchange and refreshes of its users. */
  readonly accounts: string;
  /** `api_domain` of its token answers, and the address of its API. */
  readonly api: string;
  /** The same address in the vendor's page on base URLs, and in the documentation of the mirrored toolkit. */
  readonly named: string;
  readonly source: string;
}

const MULTI_DC = "https://zoho.com/accounts/protocol/oauth/multi-dc.html";
const BASE_URLS = "https://zoho.com/creator/newhelp/account-setup/base-url.html";
const CRM_MULTI_DC = "https://www.zoho.com/crm/developer/docs/api/multi-dc.html";

const US = "https://accounts.zoho.com";

export const DATA_CENTER_ROWS: readonly DataCenterRow[] = [
  {
    location: "us",
    consentAt: US,
    accounts: US,
    api: "https://www.zohoapis.com",
    named: "https://creator.zoho.com",
    source: `${MULTI_DC}, ${BASE_URLS}`,
  },
  {
    location: "eu",
    consentAt: US,
    accounts: "https://accounts.zoho.eu",
    api: "https://www.zohoapis.eu",
    named: "https://creator.zoho.eu",
    source: `${MULTI_DC}, ${BASE_URLS}`,
  },
  {
    location: "in",
    consentAt: US,
    accounts: "https://accounts.zoho.in",
    api: "https://www.zohoapis.in",
    named: "https://creator.zoho.in",
    source: `${MULTI_DC}, ${BASE_URLS}`,
  },
  {
    location: "au",
    consentAt: US,
    accounts: "https://accounts.zoho.com.au",
    api: "https://www.zohoapis.com.au",
    named: "https://creator.zoho.com.au",
    source: `${MULTI_DC}, ${BASE_URLS}`,
  },
  {
    // The only one whose users cannot start at the server of the United States; its console is another, too.
    location: "cn",
    consentAt: "https://accounts.zoho.com.cn",
    accounts: "https://accounts.zoho.com.cn",
    api: "https://www.zohoapis.com.cn",
    named: "https://creator.zoho.com.cn",
    source: `${CRM_MULTI_DC} ("For the CN domain, make the authorization request from https://accounts.zoho.com.cn")`,
  },
  {
    location: "jp",
    consentAt: US,
    accounts: "https://accounts.zoho.jp",
    api: "https://www.zohoapis.jp",
    named: "https://creator.zoho.jp",
    source: `${MULTI_DC}, ${BASE_URLS}`,
  },
  {
    location: "ca",
    consentAt: US,
    accounts: "https://accounts.zohocloud.ca",
    api: "https://www.zohoapis.ca",
    named: "https://creator.zohocloud.ca",
    source: `${MULTI_DC}, https://www.bigin.com/developer/docs/apis/multi-dc.html`,
  },
  {
    location: "sa",
    consentAt: US,
    accounts: "https://accounts.zoho.sa",
    api: "https://www.zohoapis.sa",
    named: "https://creator.zoho.sa",
    source: `${MULTI_DC}, https://www.bigin.com/developer/docs/apis/multi-dc.html`,
  },
  {
    location: "ae",
    consentAt: US,
    accounts: "https://accounts.zoho.ae",
    api: "https://www.zohoapis.ae",
    named: "https://creator.zoho.ae",
    source: "the platform's directory, https://accounts.zoho.com/oauth/serverinfo",
  },
  {
    location: "uk",
    consentAt: US,
    accounts: "https://accounts.zoho.uk",
    api: "https://www.zohoapis.uk",
    named: "https://creator.zoho.uk",
    source: `${MULTI_DC} (accounts server); the API's address follows the form of the others`,
  },
];

/**
 * With several data centers switched on, a client has either one secret for all of them, if "use the same OAuth credentials for
 * all data centers" is ticked, or one for each. A server refuses the secret of another one.
 * https://zoho.com/accounts/protocol/oauth/multi-dc.html
 */
export const SECRET_OF_ANOTHER_CENTER = { status: 200, error: "invalid_client" } as const;

/** Seen in an example of the same page for users of Europe; the other answers name the address of the API. */
export const OTHER_API_DOMAIN = { location: "eu", api_domain: "https://api.zoho.eu" } as const;
