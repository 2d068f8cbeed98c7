// The platform's accounts servers and its OAuth dialect, as the data that a provider record starts from.
import type { ProviderPreset } from "../../src/providers";
import { DATA_CENTERS } from "../records/data-centers";

/** Consent starts here for everybody: the callback says in which data center the user's account lives. */
const ACCOUNTS = "https://accounts.zoho.com";
const TOKEN_URL = `${ACCOUNTS}/oauth/v2/token`;

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
  oauth2: {
    scope_delimiter: ",",
    pkce: { enabled: false },
    authorize_request: {
      endpoint: `${ACCOUNTS}/oauth/v2/auth`,
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
      endpoint: TOKEN_URL,
      method: "POST",
      auth_method: "client_secret_post",
      params: { grant_type: "authorization_code", redirect_uri: "{{redirect_uri}}" },
    },
    refresh_request: {
      endpoint: TOKEN_URL,
      method: "POST",
      auth_method: "client_secret_post",
      params: { grant_type: "refresh_token", refresh_token: "{{refresh_token}}" },
    },
  },
  facts: { api_domain: "$.api_domain" },
  // The token answer names no user. A grant of another data center is certainly another account's.
  account: ["api_domain"],
  scopeWords: SCOPE_WORDS,
  setup: {
    console: "https://api-console.zoho.com/",
    steps: [
      "Add a client of the type Server-based Applications.",
      "Authorized Redirect URIs: add the redirect address.",
      "Settings, Multi-DC: switch on the data centers of your users; each has a client secret of its own.",
      "Copy Client ID and Client Secret into the provider record; the scopes are asked for at consent.",
      "Set the secret VENDOR_SERVER_URL to the API address of the data center, such as https://www.zohoapis.com.",
    ],
    refusesHttp: "except_loopback",
  },
  revoke: { endpoint: `${ACCOUNTS}/oauth/v2/token/revoke`, params: { token: "{{refresh_token}}" } },
  revokesSingleGrant: true,
  tokenServers: {
    parameter: "accounts-server",
    fact: "accounts_server",
    origins: DATA_CENTERS.map(({ accounts }) => accounts),
    setting: "records.accounts_hosts",
  },
};
