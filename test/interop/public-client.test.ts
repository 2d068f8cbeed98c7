// The public client, as published, with only its base address changed.
import Arcade, { BadRequestError, PermissionDeniedError } from "@arcadeai/arcadejs";
import { expect, test } from "bun:test";
import { Browser } from "../support/browser";
import { startSite } from "../support/site";

test("the public client authorizes, waits and executes", async () => {
  await using site = await startSite();
  await site.addChatProvider();
  const client = new Arcade({ baseURL: site.url, apiKey: await site.key("run") });

  const tools = await client.tools.list({ toolkit: "Chat", limit: 100 });
  expect(tools.items.map(({ qualified_name }) => qualified_name)).toContain("Chat.SendMessage");

  const started = await client.auth.start("alice", "slack", { scopes: ["users:read", "users:read.email"] });
  expect(started.status).toBe("pending");
  const consent = new Browser().consent(started.url ?? "", "alice");
  const [completed] = await Promise.all([client.auth.waitForCompletion(started), consent]);
  expect(completed.status).toBe("completed");

  const whoAmI = await client.tools.execute({ tool_name: "Chat.WhoAmI", user_id: "alice" });
  expect(whoAmI.success).toBe(true);
  expect(whoAmI.output?.value).toHaveProperty("username", "alice");

  const input = { channel_name: "general", message: "from the public client" };
  const call = { tool_name: "Chat.SendMessage", user_id: "alice", input };
  expect(await refusal(client.tools.execute(call))).toBeInstanceOf(PermissionDeniedError);
  const more = await client.tools.authorize({ tool_name: "Chat.SendMessage", user_id: "alice" });
  await new Browser().consent(more.url ?? "", "alice");
  await client.auth.waitForCompletion(more);
  const sent = await client.tools.execute(call);
  expect(sent.success).toBe(true);
  expect((await site.chat.messages(site.chat.channels.general.id)).at(-1)?.text).toBe(input.message);
});

test("the public client administers providers, secrets and connections", async () => {
  await using site = await startSite();
  const client = new Arcade({ baseURL: site.url, apiKey: await site.key("admin") });

  const provider = await client.admin.authProviders.create({
    id: "slack",
    provider_id: "slack",
    oauth2: { client_id: "client", client_secret: "a secret of the client" },
  });
  expect(provider.oauth2?.redirect_uri).toStartWith(`${site.url}/api/v1/oauth/`);
  expect((await client.admin.authProviders.list()).items).toHaveLength(1);
  expect((await client.admin.authProviders.patch("slack", { description: "team chat" })).description).toBe(
    "team chat",
  );

  const secret = await client.admin.secrets.create("SERVER_URL", { value: "https://records.example" });
  expect(secret.key).toBe("SERVER_URL");
  await client.admin.secrets.delete(secret.id ?? "");
  expect((await client.admin.secrets.list()).items).toEqual([]);

  expect((await client.admin.userConnections.list()).items).toEqual([]);
  expect((await client.admin.authProviders.delete("slack")).id).toBe("slack");
  expect(await refusal(client.tools.get("SendMessage"))).toBeInstanceOf(BadRequestError);
  expect((await client.health.check()).healthy).toBe(true);
});

// The client's promises are lazy: the runner's own `rejects` does not start them.
function refusal(promise: PromiseLike<unknown>): Promise<unknown> {
  return Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );
}
