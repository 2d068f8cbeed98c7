// A deployment with the chat stand-in behind a front that deviates.
import type { ChatSandbox } from "../sandbox/chat";
import { chatProvider } from "../sandbox/chat";
import { CHAT_SCOPES } from "./chat-scopes";
import type { GrantOptions } from "../tools/deployment";
import { type Checked, checkedPlatform } from "./deployment";

export function chatChecked(
  chat: ChatSandbox,
  { accessToken } = chat.issueToken("alice", CHAT_SCOPES),
  more: GrantOptions = {},
): Promise<Checked> {
  return checkedPlatform("slack", chat, {
    environment: (front) => ({ RUNTIME_CHAT_API_URL: `${front}/api/` }),
    provider: chatProvider(chat),
    grant: {
      access: accessToken,
      scopes: CHAT_SCOPES,
      expiresIn: null,
      facts: { team_id: chat.team.id, user_id: chat.people.alice.id },
      ...more,
    },
  });
}
