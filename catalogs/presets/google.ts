// The platform's addresses and its OAuth dialect, as the data that a provider record starts from.
import type { ProviderPreset } from "../../src/providers";

const TOKEN_URL = "https://oauth2.googleapis.com/token";

/** Each of these is also granted by its full address. */
const SHORT_SCOPES = {
  openid: "Know which account is yours",
  email: "See your e-mail address",
  profile: "See your name and your picture",
};

const SCOPE_WORDS = {
  ...SHORT_SCOPES,
  "https://www.googleapis.com/auth/userinfo.email": SHORT_SCOPES.email,
  "https://www.googleapis.com/auth/userinfo.profile": SHORT_SCOPES.profile,
  "https://www.googleapis.com/auth/drive.file":
    "See, change, create and delete only the files that you open or create with it",
  "https://www.googleapis.com/auth/drive": "See, change, create and delete all of your files in Drive",
  "https://www.googleapis.com/auth/drive.readonly": "See and download all of your files in Drive",
  "https://www.googleapis.com/auth/drive.metadata.readonly":
    "See the names and details of your files in Drive",
  "https://www.googleapis.com/auth/spreadsheets": "See, change, create and delete all of your spreadsheets",
  "https://www.googleapis.com/auth/spreadsheets.readonly": "See all of your spreadsheets",
  "https://www.googleapis.com/auth/documents": "See, change, create and delete all of your documents",
  "https://www.googleapis.com/auth/documents.readonly": "See all of your documents",
  "https://www.googleapis.com/auth/calendar": "See, change and delete all of your calendars",
  "https://www.googleapis.com/auth/calendar.readonly": "See your calendars and their events",
  "https://www.googleapis.com/auth/calendar.events": "See and change the events in your calendars",
  "https://www.googleapis.com/auth/contacts.readonly": "See your contacts",
  "https://www.googleapis.com/auth/gmail.readonly": "Read your e-mail",
  "https://www.googleapis.com/auth/gmail.send": "Send e-mail as you",
  "https://www.googleapis.com/auth/gmail.modify": "Read, write and send your e-mail",
};

export const googlePreset: ProviderPreset = {
  id: "google",
  name: "Google",
  description: "Google, with a grant of the user",
  oauth2: {
    scope_delimiter: " ",
    pkce: { enabled: true, code_challenge_method: "S256" },
    authorize_request: {
      endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
      method: "GET",
      params: {
        response_type: "code",
        client_id: "{{client_id}}",
        redirect_uri: "{{redirect_uri}}",
        scope: "{{scopes}}",
        // A refresh token comes with `offline` only, and after the first consent only when the user is asked again.
        access_type: "offline",
        prompt: "consent",
        // The new grant then holds what was granted earlier too.
        include_granted_scopes: "true",
      },
    },
    token_request: {
      endpoint: TOKEN_URL,
      method: "POST",
      auth_method: "client_secret_post",
      params: { grant_type: "authorization_code", redirect_uri: "{{redirect_uri}}" },
    },
    // Its answer has no refresh token as a rule: the old one lives on.
    refresh_request: {
      endpoint: TOKEN_URL,
      method: "POST",
      auth_method: "client_secret_post",
      params: { grant_type: "refresh_token", refresh_token: "{{refresh_token}}" },
    },
  },
  // Told only when the user's profile or e-mail address was asked for: the platform then adds an id token.
  facts: {
    user_id: "jwt_decode('$.id_token','$.sub')",
    email: "jwt_decode('$.id_token','$.email')",
    organization_domain: "jwt_decode('$.id_token','$.hd')",
  },
  account: ["user_id"],
  // Asked for by their short names, granted by the long ones.
  scopeAliases: {
    email: "https://www.googleapis.com/auth/userinfo.email",
    profile: "https://www.googleapis.com/auth/userinfo.profile",
  },
  scopeWords: SCOPE_WORDS,
  setup: {
    console: "https://console.cloud.google.com/auth/clients",
    steps: [
      "Enable the Google Sheets API and the Google Drive API for the project.",
      "Enable the Google Picker API, too, so that users can pick files.",
      "Data access: add the scopes.",
      "Clients: create a client of the type Web application.",
      "Authorized redirect URIs: add the redirect address.",
      "Authorized JavaScript origins: add the origin of this server, for the file picker.",
      "Copy client ID and client secret into the provider record.",
    ],
    refusesHttp: "except_loopback",
  },
  revoke: { endpoint: "https://oauth2.googleapis.com/revoke", params: { token: "{{refresh_token}}" } },
};
