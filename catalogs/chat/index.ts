// The chat toolkit: tools over the Web API of a team-chat platform, called with the user's own token.
import type { Catalog } from "../../src/tools";
import { API_URL, chatPreset } from "./preset";
import { sendMessage } from "./tools/send-message";
import { whoAmI } from "./tools/who-am-i";

export const chatCatalog: Catalog = {
  toolkit: {
    name: "Chat",
    description: "Reads and writes in a team-chat workspace as the user: people, conversations, messages.",
    version: "1.0.0",
  },
  bases: { api: { url: API_URL, setting: "chat.api_url" } },
  presets: [chatPreset],
  tools: [whoAmI, sendMessage],
};
