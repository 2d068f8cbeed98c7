// The platform's addresses and its OAuth dialect, as the data that a provider record starts from.
import type { ProviderPreset } from "../../src/providers";

const TOKEN_URL = "https://slack.com/api/oauth.v2.access";

export const slackPreset: ProviderPreset = {
  id: "slack",
  description: "Slack, with a grant of the user (not of a bot)",
  oauth2: {
    scope_delimiter: ",",
    // Only apps that were switched to PKCE accept it; the others answer `pkce_not_allowed`.
    pkce: { enabled: false },
    authorize_request: {
      endpoint: "https://slack.com/oauth/v2/authorize",
      method: "GET",
      // Scopes of the user go in `user_scope`. The same names in `scope` would ask for a bot.
      params: {
        client_id: "{{client_id}}",
        user_scope: "{{scopes}}",
        redirect_uri: "{{redirect_uri}}",
      },
    },
    token_request: {
      endpoint: TOKEN_URL,
      method: "POST",
      auth_method: "client_secret_basic",
      params: { grant_type: "authorization_code", redirect_uri: "{{redirect_uri}}" },
      // The top level of this answer is the bot's grant, empty or absent here; the user's is nested.
      response_map: {
        access_token: "$.authed_user.access_token",
        refresh_token: "$.authed_user.refresh_token",
        expires_in: "$.authed_user.expires_in",
        scope: "$.authed_user.scope",
        token_type: "$.authed_user.token_type",
      },
    },
    refresh_request: {
      endpoint: TOKEN_URL,
      method: "POST",
      auth_method: "client_secret_basic",
      params: { grant_type: "refresh_token", refresh_token: "{{refresh_token}}" },
      // A refresh answers flat.
      response_map: {
        access_token: "$.access_token",
        refresh_token: "$.refresh_token",
        expires_in: "$.expires_in",
        scope: "$.scope",
        token_type: "$.token_type",
      },
    },
  },
  // Whose token it is.
  tokenTypes: ["user", "bot"],
  facts: {
    user_id: "$.authed_user.id",
    team_id: "$.team.id",
    team_name: "$.team.name",
    enterprise_id: "$.enterprise.id",
    is_enterprise_install: "$.is_enterprise_install",
  },
  account: ["team_id", "user_id"],
  setup: {
    console: "https://api.slack.com/apps",
    steps: [
      "Create an app (from scratch) in your workspace, or open yours.",
      "OAuth & Permissions, Redirect URLs: add the redirect address and save.",
      "OAuth & Permissions, User Token Scopes (not Bot Token Scopes): add the scopes.",
      "Basic Information, App Credentials: copy Client ID and Client Secret into the provider record.",
    ],
    refusesHttp: "always",
  },
  revoke: { endpoint: "https://slack.com/api/auth.revoke", auth_method: "bearer_access_token" },
};
