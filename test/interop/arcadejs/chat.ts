// Chat completions with the public client: a conversation, and one in which the server runs a tool.
import { BadRequestError, RateLimitError } from "@arcadeai/arcadejs";
import { describe, expect, test } from "bun:test";
import { say } from "../../sandbox/models/chat-server";
import { Browser } from "../../support/browser";
import { startChatSite } from "../../support/chat-site";
import { clientOf, refusal } from "./client";

const HELLO = { model: "test-model", messages: [{ role: "user", content: "Say hello." }] };

export function chat(): void {
  describe("the public client chats", () => {
    test("with a configured model, whose errors keep their class", async () => {
      await using chatSite = await startChatSite();
      const client = clientOf(chatSite.site.url, chatSite.key, { maxRetries: 0 });

      const answer = await client.chat.completions.create(HELLO);
      expect(answer.choices?.[0]?.message?.content).toBe("Hello.");
      expect(answer.usage?.total_tokens).toBe(15);

      const unknown = client.chat.completions.create({ ...HELLO, model: "another" });
      expect(await refusal(unknown)).toBeInstanceOf(BadRequestError);
      chatSite.upstream.script((_request, reply) => reply.json(429, { error: { message: "slow down" } }));
      expect(await refusal(client.chat.completions.create(HELLO))).toBeInstanceOf(RateLimitError);
    });

    test("and runs a tool: it gets the consent address first and the tool's result afterwards", async () => {
      await using chatSite = await startChatSite();
      const { site, upstream } = chatSite;
      await site.addChatProvider();
      upstream.script((request, reply) => {
        const done = request.messages.some(({ role }) => role === "tool");
        const input = JSON.stringify({ channel_name: "general", message: "written by a model" });
        say(
          request,
          reply,
          done ? { content: "Sent." } : { calls: [{ name: "Chat_SendMessage", arguments: input }] },
        );
      });
      const client = clientOf(site.url, chatSite.key);
      const request = { ...HELLO, user: "alice", tools: ["Chat.SendMessage"], tool_choice: "generate" };

      const [pending] = (await client.chat.completions.create(request)).choices ?? [];
      const [authorization] = pending?.tool_authorizations ?? [];
      const { id = "", url = "" } = Object(authorization);
      await new Browser().consent(url, "alice");
      expect((await client.auth.waitForCompletion(id)).status).toBe("completed");
      const [done] = (await client.chat.completions.create(request)).choices ?? [];

      expect(done?.message?.content).toBe("Sent.");
      expect(done?.tool_messages?.map(({ role }) => role)).toContain("tool");
      const messages = await site.chat.messages(site.chat.channels.general.id);
      expect(messages.filter(({ text }) => text === "written by a model")).toHaveLength(1);
    });
  });
}
