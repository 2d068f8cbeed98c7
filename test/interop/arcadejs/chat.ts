// Chat completions through the public client.
import { BadRequestError, RateLimitError } from "@arcadeai/arcadejs";
import { describe, expect, test } from "bun:test";
import { startModelServer } from "../../sandbox/models/chat-server";
import { startSite } from "../../support/site";
import { clientOf, refusal } from "./client";

const HELLO = [{ role: "user", content: "Say hello." }];

export function chat(): void {
  describe("the public client chats", () => {
    test("with a model of a configured server, whose errors keep their class", async () => {
      await using upstream = await startModelServer();
      const entry = { id: "local", models: ["test-model"], openai: { base_url: upstream.url } };
      await using site = await startSite({ environment: { RUNTIME_MODELS: JSON.stringify([entry]) } });
      const client = clientOf(site.url, await site.key("run"), { maxRetries: 0 });

      const answer = await client.chat.completions.create({ model: "test-model", messages: HELLO });
      expect(answer.choices?.[0]?.message?.content).toBe("Hello.");
      expect(answer.usage?.total_tokens).toBe(15);

      const unknown = client.chat.completions.create({ model: "another", messages: HELLO });
      expect(await refusal(unknown)).toBeInstanceOf(BadRequestError);
      upstream.script((_request, reply) => reply.json(429, { error: { message: "slow down" } }));
      const limited = client.chat.completions.create({ model: "test-model", messages: HELLO });
      expect(await refusal(limited)).toBeInstanceOf(RateLimitError);
    });
  });
}
