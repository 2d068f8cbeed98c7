// The platform's accounts servers and its OAuth dialect, as the data that a provider record starts from.
import type { ProviderPreset } from "../../src/providers";
import { DATA_CENTERS, SEPARATE_DATA_CENTER } from "../records/data-centers";

/** Consent starts here for almost everybody: the callback says in which data center the user's account lives. */
const ACCOUNTS = "https://accounts.zoho.com";

/** Most an application gets in this time: ten access tokens for a refresh token, ten codes in all. */
const THROTTLE_MS = 10 * 60_000;

const STEPS = {
  client: "Add a client of the type Server-based Applications.",
  redirect: "Authorized Redirect URIs: add the redirect address.",
  copy: "Copy Client ID and Client Secret into the provider record; the scopes are asked for at consent.",
} as const;

/** The scopes for applications that users have built. */
const SCOPE_WORDS = {
  "ZohoCreator.dashboard.READ": "See which applications you have",
  "ZohoCreator.meta.application.READ": "See the forms, reports and pages of your applications",
  "ZohoCreator.meta.form.READ": "See the fields of the forms in your applications",
  "ZohoCreator.form.CREATE": "Add records with the forms of your applications",
  "ZohoCreator.report.READ": "Read records in the reports of your applications",
  "ZohoCreator.report.CREATE": "Add files to records in your applications",
  "ZohoCreator.report.UPDATE": "Change records in your applications",
  "ZohoCreator.report.DELETE": "Delete records in your applications",
  "ZohoCreator.bulk.CREATE": "Start exports of many records",
  "ZohoCreator.bulk.READ": "See and download exports of many records",
} as const;

export const zohoPreset: ProviderPreset = {
  id: "zoho",
  name: "Zoho",
  description: "Zoho, with the user's grant for Creator applications",
  ...presetAt(ACCOUNTS),
  setup: {
    console: "https://api-console.zoho.com/",
    steps: [
      STEPS.client,
      STEPS.redirect,
      "Settings, Multi-DC: switch on the data centers of your users, and tick the box for " +
        "the same OAuth credentials for all data centers: a provider record has one client secret.",
      STEPS.copy,
      "Set the secret VENDOR_SERVER_URL to the API address of the data center of your users, such as " +
        "https://www.zohoapis.com or https://www.zohoapis.eu; users of several data centers need a project for each.",
      "Users in China need a client of their own: see the provider zoho-cn.",
    ],
    refusesHttp: "except_loopback",
  },
  tokenServers: {
    parameter: "accounts-server",
    fact: "accounts_server",
    origins: DATA_CENTERS.map(({ accounts }) => accounts),
    setting: "records.accounts_hosts",
    clientRefused:
      "The user's account is in another data center than the client. An administrator must tick the use of the same OAuth " +
      "credentials for all data centers in the platform's console (Settings, Multi-DC), or create a provider record with " +
      "the addresses and the client secret of that data center.",
  },
};

/** Users of this data center cannot start a consent at the other servers, and it has a console of its own. */
export const zohoChinaPreset: ProviderPreset = {
  id: "zoho-cn",
  name: "Zoho",
  description: "Zoho in China, with the user's grant for Creator applications",
  variantOf: zohoPreset.id,
  ...presetAt(SEPARATE_DATA_CENTER.accounts),
  setup: {
    console: "https://api-console.zoho.com.cn/",
    steps: [
      STEPS.client,
      STEPS.redirect,
      STEPS.copy,
      `Set the secret VENDOR_SERVER_URL to ${SEPARATE_DATA_CENTER.api}.`,
    ],
    refusesHttp: "except_loopback",
  },
  tokenServers: {
    parameter: "accounts-server",
    fact: "accounts_server",
    origins: [SEPARATE_DATA_CENTER.accounts],
    setting: "records.accounts_hosts",
  },
};

function presetAt(accounts: string) {
  const token = { endpoint: `${accounts}/oauth/v2/token`, method: "POST", auth_method: "client_secret_post" };
  return {
    oauth2: {
      scope_delimiter: ",",
      pkce: { enabled: false },
      authorize_request: {
        endpoint: `${accounts}/oauth/v2/auth`,
        method: "GET",
        // Only offline access gives a refresh token, and a repeated consent gives it only when consent is prompted for.
        params: {
          response_type: "code",
          client_id: "{{client_id}}",
          redirect_uri: "{{redirect_uri}}",
          scope: "{{scopes}}",
          access_type: "offline",
          prompt: "consent",
        },
      },
      token_request: {
        ...token,
        params: { grant_type: "authorization_code", redirect_uri: "{{redirect_uri}}" },
      },
      refresh_request: {
        ...token,
        params: { grant_type: "refresh_token", refresh_token: "{{refresh_token}}" },
      },
    },
    facts: { api_domain: "$.api_domain" },
    // The token answer names no user. A grant of another data center is certainly another account's.
    account: ["api_domain"],
    scopeWords: SCOPE_WORDS,
    revoke: { endpoint: `${accounts}/oauth/v2/token/revoke`, params: { token: "{{refresh_token}}" } },
    revokesSingleGrant: true,
    tokenThrottle: { errors: ["Access Denied"], waitMs: THROTTLE_MS },
    callbackErrors: {
      access_denied:
        "the user declined at the provider, or the client had more than ten authorizations within ten minutes; in the " +
        "latter case try again ten minutes later",
    },
  };
}
