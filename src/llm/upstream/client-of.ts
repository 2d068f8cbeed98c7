// The client for what a server speaks.
import type { Core } from "../../core";
import type { ModelServer } from "../server-of";
import { anthropicClient } from "./anthropic";
import type { ModelClient } from "./client";
import { openAiClient } from "./openai";

export function clientOf(core: Core, server: ModelServer): ModelClient {
  return server.type === "anthropic" ? anthropicClient(core, server) : openAiClient(core, server);
}
