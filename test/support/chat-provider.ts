// The auth provider record that leads to the chat stand-in.
import type { ChatSandbox } from "../sandbox/chat";

export function chatProvider(chat: ChatSandbox, id = "slack") {
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
