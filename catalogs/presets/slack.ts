// The platform's addresses and its OAuth dialect, as the data that a provider record starts from.
import type { ProviderPreset } from "../../src/providers";

const TOKEN_URL = "https://slack.com/api/oauth.v2.access";

/** The user scopes, by what the platform's documentation says that they allow. */
const SCOPE_WORDS = {
  "channels:read": "See the public channels and their members",
  "groups:read": "See the private channels that you are in",
  "im:read": "See with whom you have direct messages",
  "mpim:read": "See the group direct messages that you are in",
  "channels:history": "Read messages in public channels",
  "groups:history": "Read messages in private channels that you are in",
  "im:history": "Read your direct messages",
  "mpim:history": "Read messages in group direct messages that you are in",
  "channels:write": "Manage public channels, and create new ones",
  "groups:write": "Manage private channels that you are in, and create new ones",
  "im:write": "Start direct messages with people",
  "mpim:write": "Start group direct messages with people",
  "chat:write": "Send messages as you",
  "users:read": "See the people in your workspace",
  "users:read.email": "See the e-mail addresses of the people in your workspace",
  "users.profile:read": "See the profiles of the people in your workspace",
  "users.profile:write": "Change your profile",
  "team:read": "See the name and domain of your workspace",
  "files:read": "See files that you can open",
  "files:write": "Upload, change and delete files as you",
  "reactions:read": "See reactions to messages",
  "reactions:write": "Add and remove your reactions",
  "pins:read": "See pinned messages and files",
  "pins:write": "Pin and unpin messages and files",
  "reminders:read": "See your reminders",
  "reminders:write": "Add, complete and remove your reminders",
  "search:read": "Search the messages and files that you can open",
  "usergroups:read": "See the groups of people in your workspace",
} as const;

export const slackPreset: ProviderPreset = {
  id: "slack",
  name: "Slack",
  description: "Slack, with a grant of the user (not of a bot)",
  oauth2: {
    scope_delimiter: ",",
    // Only apps that were switched to PKCE accept it; the others answer `pkce_not_allowed`. The switch cannot be undone, and
    // ends refresh tokens after 30 days.
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
  scopeWords: SCOPE_WORDS,
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
