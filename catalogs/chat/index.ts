// The chat toolkit: tools over the Web API of a team-chat platform, called with the user's own token.
import type { Catalog } from "../../src/tools";
import { TOOLKIT } from "./metadata";
import { chatSelfCheck } from "./self-check";
import { deprecatedTools } from "./tools/deprecated";
import { getConversationMetadata } from "./tools/get-conversation-metadata";
import { getMessages } from "./tools/get-messages";
import { getUsersInConversation } from "./tools/get-users-in-conversation";
import { getUsersInfo } from "./tools/get-users-info";
import { listConversations } from "./tools/list-conversations";
import { listUsers } from "./tools/list-users";
import { sendMessage } from "./tools/send-message";
import { whoAmI } from "./tools/who-am-i";

/** Deployments replace it by the setting `chat.api_url`. */
const API_URL = "https://slack.com/api/";

export const chatCatalog: Catalog = {
  toolkit: {
    name: TOOLKIT,
    description: "Reads and writes in a team-chat workspace as the user: people, conversations, messages.",
    version: "1.0.0",
  },
  bases: { api: { url: API_URL, setting: "chat.api_url" } },
  // Rate limits are per app and workspace.
  accountOf: ({ team_id: team, enterprise_id: organization }) =>
    [team, organization].find((id) => typeof id === "string" && id !== "") as string | undefined,
  selfCheck: chatSelfCheck,
  tools: [
    whoAmI,
    getUsersInfo,
    listUsers,
    sendMessage,
    getUsersInConversation,
    getMessages,
    getConversationMetadata,
    listConversations,
    ...deprecatedTools,
  ],
};
