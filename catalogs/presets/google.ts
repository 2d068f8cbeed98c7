// The platform's addresses and its OAuth dialect, as the data that a provider record starts from.
import type { ProviderPreset } from "../../src/providers";

const TOKEN_URL = "https://oauth2.googleapis.com/token";

export const googlePreset: ProviderPreset = {
  id: "google",
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
