// Errors by their class, and the client's automatic retries.
import Arcade, {
  AuthenticationError,
  BadRequestError,
  ConflictError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from "@arcadeai/arcadejs";
import { describe, expect, test } from "bun:test";
import { breakableStore } from "../../support/breakable-store";
import { startSite } from "../../support/site";
import { clientOf, refusal } from "./client";
import { type Front, headerOf, startFront } from "./front";
import type { World } from "./world";

/** One connection per request, so that each gets its own fault. */
const ONE_EACH = { fetchOptions: { keepalive: false } };
const OVERLOADED = "HTTP/1.1 503 Service Unavailable\r\nretry-after-ms: 5\r\ncontent-length: 0\r\n\r\n";
const HOOK = { url: "https://hooks.example/pre", phase: "before", failure_mode: "fail_closed" };
const CLOSED = "connection: close\r\n";

export function troubles(world: () => World): void {
  const agent = (url = world().site.url) => clientOf(url, world().keys.run, ONE_EACH);

  describe("the public client's errors", () => {
    const cases: [string, number, unknown, (client: Arcade) => PromiseLike<unknown>][] = [
      ["a tool without toolkit", 400, BadRequestError, (client) => client.tools.get("SendMessage")],
      ["an insufficient role", 403, PermissionDeniedError, (client) => client.admin.secrets.list()],
      ["a missing consent", 403, PermissionDeniedError, (client) => client.tools.execute(withoutConsent)],
      ["an unknown path", 404, NotFoundError, (client) => client.get("/v1/made_up")],
    ];
    const withoutConsent = { tool_name: "Chat.WhoAmI", user_id: "without-consent" };

    test.each(cases)("%s is %i", async (_what, status, type, act) => {
      const error = await refusal(act(agent()));
      expect(error).toBeInstanceOf(type as typeof Arcade.APIError);
      expect(error).toHaveProperty("status", status);
      expect(error).toHaveProperty("error.name", expect.stringMatching(/^[a-z_]+$/));
      expect(String(error)).toContain(String(Object(error).error.message));
    });

    test("lists and records of a made-up path are 404, not 401", async () => {
      const client = agent();
      const path = { path: "/_stainless_unknown_path" };
      const calls = [
        () => client.tools.list({ limit: 0, offset: 0, toolkit: "toolkit", user_id: "user_id" }, path),
        () => client.tools.get("name", { include_format: ["arcade"] }, path),
        () => client.tools.scheduled.list({ limit: 0, offset: 0 }, path),
      ];
      for (const call of calls) expect(await refusal(call())).toBeInstanceOf(NotFoundError);
    });

    test("an unknown key is 401", async () => {
      const error = await refusal(clientOf(world().site.url, "My API Key").tools.list());
      expect(error).toBeInstanceOf(AuthenticationError);
    });

    test("a conflict is 409 and is not retried", async () => {
      using front = await startFront(world().site.url);
      const client = clientOf(front.url, world().keys.admin, ONE_EACH);
      const body = { name: "twice", plugin_type: "webhook", webhook_config: { endpoints: { pre: HOOK } } };
      await client.post("/v1/plugins", { body });
      expect(await refusal(client.post("/v1/plugins", { body }))).toBeInstanceOf(ConflictError);
      expect(front.heads).toHaveLength(2);
    });

    test("a missing server is a connection error", async () => {
      using gone = await startFront(world().site.url);
      gone.next("refused");
      const client = clientOf(gone.url, "x", { ...ONE_EACH, maxRetries: 0 });
      expect(await refusal(client.health.check())).toBeInstanceOf(Arcade.APIConnectionError);
    });
  });

  describe("the public client's retries", () => {
    const say = (message: string) => ({
      tool_name: "Chat.SendMessage",
      user_id: "repeating",
      input: { channel_name: "random", message },
    });
    const messagesWith = async (message: string): Promise<number> => {
      const { chat } = world().site;
      const messages = await chat.messages(chat.channels.random.id);
      return messages.filter(({ text }) => text === message).length;
    };
    const keysOf = (front: Front): Set<string | undefined> =>
      new Set(front.heads.map((head) => headerOf(head, "idempotency-key")));

    test("a run whose answer is lost twice is done once and answered", async () => {
      await world().connect("repeating");
      using front = await startFront(world().site.url);
      front.next("lost", "lost");

      const sent = await agent(front.url).tools.execute(say("lost twice"));

      expect(sent.success).toBe(true);
      expect(await messagesWith("lost twice")).toBe(1);
      expect(front.heads).toHaveLength(3);
      expect(keysOf(front).size).toBe(1);
    });

    test("a provider whose first answer is lost is created once", async () => {
      using front = await startFront(world().site.url);
      front.next("lost");
      const client = clientOf(front.url, world().keys.admin, ONE_EACH);
      const body = { id: "lost-answer", provider_id: "slack", oauth2: { client_id: "c" } };

      expect((await client.admin.authProviders.create(body)).id).toBe("lost-answer");
      expect(front.heads).toHaveLength(2);
      await client.admin.authProviders.delete("lost-answer");
    });

    test("retry after an overloaded proxy or a broken connection", async () => {
      using front = await startFront(world().site.url);
      front.next({ answer: OVERLOADED.replace("content-length", `${CLOSED}content-length`) }, "refused");
      expect((await agent(front.url).health.check()).healthy).toBe(true);
      expect(front.heads).toHaveLength(3);
    });

    test("a permanent refusal is not retried", async () => {
      using front = await startFront(world().site.url);
      await refusal(agent(front.url).tools.get("SendMessage"));
      expect(front.heads).toHaveLength(1);
    });
  });

  test("the public client waits for the rate limit as long as Retry-After says", async () => {
    await using site = await startSite({ environment: { RUNTIME_HTTP_RATE_LIMIT: "30" } });
    const client = clientOf(site.url, await site.key("read"));
    await Promise.all(Array.from({ length: 30 }, () => client.tools.list({ limit: 1 })));

    const impatient = client.withOptions({ maxRetries: 0 });
    const error = await refusal(impatient.tools.list({ limit: 1 }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect((await client.tools.list({ limit: 1 })).items).toHaveLength(1);
  });

  test("a server error is retried, and is an internal error if it persists", async () => {
    let broken = 0;
    let sent = 0;
    await using site = await startSite({ parts: { openStore: breakableStore(() => broken > 0) } });
    const key = await site.key("admin");
    const client = clientOf(site.url, key, {
      fetch: async (...request) => {
        const response = await fetch(...request);
        sent++;
        broken--;
        return response;
      },
    });
    broken = 1;
    expect((await client.admin.secrets.list()).items).toEqual([]);
    expect(sent).toBe(2);

    broken = 3;
    expect(await refusal(client.admin.secrets.list())).toBeInstanceOf(InternalServerError);
    expect(sent).toBe(5);
  });
}
