// Secrets and people are used in every way, with arguments and results switched on for one project. None of the secrets is in
// anything that a collector gets, and no user either where they are not switched on.
import { beforeAll, describe, expect, test } from "bun:test";
import { Browser } from "../../support/browser";
import { at, call } from "../../support/api";
import { type Canaries, found } from "../../support/canaries";
import { startChatSite } from "../../support/chat-site";
import { chatProvider } from "../../support/site";
import { client } from "../../mcp/site";
import { say } from "../../sandbox/models/chat-server";
import { webhookPeer } from "../../hooks/webhook-peer";
import { startReceiver } from "./receiver";

const CLIENT_SECRET = "canary+of/the:client%secret=";
const HOOK_TOKEN = "canary-of-a-hook-token";
const STORED_SECRET = 'canary of a stored secret "q" +/=&%';
const COLLECTOR_KEY = "canary-of-the-collector-key";
const MESSAGE = "canary of a private message";
const QUERY = "canary-of-a-query";
const MADE_UP = "canary-of-a-made-up-name";
const USER = "canary.user@example.com";

interface Evidence {
  secrets: Canaries;
  /** Of the person who uses the tools. */
  personal: Canaries;
  bodies: string;
  names: string[];
}

async function run(content: string): Promise<Evidence> {
  using receiver = startReceiver();
  using hook = await webhookPeer();
  hook.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
  await using site = await startChatSite({
    chatOptions: { clientSecret: CLIENT_SECRET, pkce: true, rotation: { expiresIn: 3600 } },
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: `api-key=${COLLECTOR_KEY}`,
      RUNTIME_TELEMETRY_CONTENT: content,
      RUNTIME_TELEMETRY_OTLP_DELAY_MS: "10",
    },
    turn: (request, reply) => {
      const last = request.messages.at(-1);
      if (last?.role === "tool") return say(request, reply, { content: "done" });
      say(request, reply, { calls: [{ name: "Chat_WhoAmI", arguments: "{}" }] });
    },
  });
  const { runtime, chat, url } = site.site;
  const admin = await site.site.key("admin");
  const operator = await runtime.identity.operator("default");
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    call(url, { method: "POST", path, key: admin, body, headers });
  const provider = chatProvider(chat);
  await post("/v1/admin/auth_providers", {
    ...provider,
    oauth2: { ...provider.oauth2, pkce: { enabled: true } },
  });
  await post("/v1/admin/secrets/CANARY", { value: STORED_SECRET });
  await runtime.plugins.create(operator, {
    name: "guard",
    plugin_type: "webhook",
    status: "active",
    webhook_config: {
      endpoints: { pre: { url: `${hook.url}/pre`, phase: "before", failure_mode: "fail_closed" } },
      auth: { type: "bearer", token: HOOK_TOKEN },
    },
  });
  await runtime.gateways.create(operator, { name: "All", slug: "all", auth_type: "arcade_header" });

  const started = await post("/v1/tools/authorize", { tool_name: "Chat.SendMessage", user_id: USER });
  const browser = new Browser();
  const callback = new URL(await browser.toCallback(String(at(started.body, "url")), "alice"));
  await browser.answer(await browser.open(callback.href), url, "yes");
  await browser.open(`${callback.href}&error=again`);
  const execute = {
    tool_name: "Chat.SendMessage",
    user_id: USER,
    input: { channel_name: "general", message: MESSAGE },
  };
  await post("/v1/tools/execute", execute, { "idempotency-key": "canary-1" });
  await post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: USER });
  await call(url, { method: "GET", path: `/v1/tools?user_id=${USER}&toolkit=${QUERY}`, key: admin });
  await fetch(`${url}/${MADE_UP}?q=${QUERY}`, { method: "POST" });
  await client(`${url}/mcp/all`, { key: admin, user: USER }).modern("tools/call", { name: MADE_UP });
  await client(`${url}/mcp/all`, { key: admin, user: USER }).modern(`${MADE_UP}/method`);
  await client(`${url}/mcp/all`, { key: admin, user: USER }).modern("tools/call", {
    name: "Chat_WhoAmI",
    arguments: {},
  });
  await post("/v1/chat/completions", {
    model: "test-model",
    messages: [{ role: "user", content: MESSAGE }],
    user: USER,
    tools: ["Chat.WhoAmI"],
    tool_choice: "generate",
  });
  await receiver.until((spans) => spans.some(({ name }) => name === "POST /v1/chat/completions"));
  const parameter = (name: string): string =>
    chat.requests.map(({ params }) => params[name]).find((value) => value !== undefined) ?? "";
  const evidence = {
    secrets: {
      access_token: chat.requests.find(({ method }) => method === "chat.postMessage")?.token ?? "",
      client_secret: CLIENT_SECRET,
      hook_token: HOOK_TOKEN,
      stored_secret: STORED_SECRET,
      model_key: "key-of-the-upstream-CANARY",
      collector_key: COLLECTOR_KEY,
      api_key: admin,
      state: callback.searchParams.get("state") ?? "",
      code: callback.searchParams.get("code") ?? "",
      verifier: parameter("code_verifier"),
      cookie: browser.cookie("runtime_consent") ?? "",
      query: QUERY,
      made_up: MADE_UP,
    },
    personal: { user: USER, message: MESSAGE },
    bodies: receiver.requests.map(({ body }) => body.toString("latin1")).join("\n"),
    names: [...new Set(receiver.spans.map(({ name }) => name))],
  };
  expect(receiver.faults).toEqual([]);
  return evidence;
}

describe.each([
  ["another project", "other"],
  ["this project", "default"],
])("with arguments and results of %s", (_name, content) => {
  let evidence: Evidence;
  beforeAll(async () => {
    evidence = await run(content);
  });

  test("every secret was used, and every kind of span was sent", () => {
    for (const [name, secret] of Object.entries(evidence.secrets))
      expect([name, secret.length > 8]).toEqual([name, true]);
    for (const name of [
      "execute_tool Chat.SendMessage",
      "hook tool.pre",
      "chat test-model",
      "tools/call Chat.WhoAmI",
    ])
      expect(evidence.names).toContain(name);
  });

  test("no secret was sent", () => {
    expect(found(evidence.secrets, evidence.bodies)).toEqual([]);
  });

  test("people were sent only if they were switched on", () => {
    expect(found(evidence.personal, evidence.bodies)).toEqual(content === "default" ? ["message"] : []);
  });
});
