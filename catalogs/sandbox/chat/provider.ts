// The auth provider record that leads to the chat stand-in.
import type { ChatPlatform } from "./sandbox";

export function chatProvider(chat: ChatPlatform, id = "slack") {
  return {
    id,
    provider_id: "slack",
    description: "Team chat (sandbox)",
    oauth2: {
      client_id: chat.clientId,
      client_secret: chat.clientSecret,
      authorize_request: { endpoint: chat.authorizeUrl },
      token_request: { endpoint: chat.tokenUrl },
      refresh_request: { endpoint: chat.tokenUrl },
    },
  };
}
