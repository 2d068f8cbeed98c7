// A deployment whose model `claude-test` is behind a stand-in of the messages protocol.
import { type MessagesServer, startMessagesServer } from "../sandbox/models/messages-server";
import { type Stage, startStage } from "./behaviours/stage";

export interface AnthropicStage extends AsyncDisposable {
  readonly stage: Stage;
  readonly claude: MessagesServer;
}

export async function startAnthropicStage(): Promise<AnthropicStage> {
  const claude = await startMessagesServer("claude-key");
  const stage = await startStage();
  const { runtime } = stage.chat.site;
  await runtime.models.create(await runtime.identity.operator("default"), {
    id: "claude",
    models: ["claude-test"],
    anthropic: { base_url: claude.url, api_key: "claude-key" },
  });
  return {
    stage,
    claude,
    [Symbol.asyncDispose]: async () => {
      await stage[Symbol.asyncDispose]();
      await claude[Symbol.asyncDispose]();
    },
  };
}
