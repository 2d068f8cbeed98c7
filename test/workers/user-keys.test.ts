// Workers that send a user's own keys: whose key a call has, what happens without one, and where keys never go.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { ApiKeyConfig } from "../../src/providers";
import {
  addKeyProvider,
  authorizeKey,
  enterKey,
  giveKey,
  type KeyService,
  startKeyService,
} from "../authorization/key-page";
import { api, at } from "../support/api";
import { Browser } from "../support/browser";
import { originOf } from "../../src/origins";
import { type Site, startSite } from "../support/site";
import { found } from "../support/canaries";
import { events, Upstream } from "../support/mcp-upstream";
import { keyedHttp, keyedMcp, type KeyedUpstream, markOf, TOOLS } from "./keyed";

const ALICE = "alice-key-CANARY-a1b2c3";
const BOB = "bob-key-CANARY-d4e5f6";
const SECOND = "alice-second-CANARY-g7h8";

let site: Site;
let service: KeyService;
let admin: ReturnType<typeof api>;
let agent: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite();
  service = startKeyService();
  admin = api(site.url, await site.key("admin"));
  agent = api(site.url, await site.key("run"));
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await service.stop();
});
beforeEach(async () => {
  const operator = await site.runtime.identity.operator("default");
  for (const { id } of (await site.runtime.workers.list(operator)).items)
    await site.runtime.workers.delete(operator, id);
  for (const { id } of (await site.runtime.providers.list(operator)).items)
    await site.runtime.providers.delete(operator, id);
  service.good.clear();
  for (const key of [ALICE, BOB, SECOND]) service.good.add(key);
  service.status = undefined;
});

const keysFor = (upstream: KeyedUpstream, more: Partial<ApiKeyConfig> = {}): ApiKeyConfig => ({
  location: "header",
  addresses: [originOf(upstream.uri) ?? "", service.url],
  ...more,
});
const tested = (): Pick<ApiKeyConfig, "test"> => ({ test: { url: service.url } });
const createMcp = (upstream: KeyedUpstream, headers: object = { "X-Key": "${user.tracker}" }) =>
  admin.post("/v1/workers", { id: "keyed", mcp: { uri: upstream.uri, timeout: 10, retry: 0, headers } });
const run = async (user_id: string, tool_name = "Keyed.who") =>
  agent.post("/v1/tools/execute", { tool_name, user_id, input: {} });
const valueOf = async (user: string, tool?: string): Promise<unknown> =>
  at((await run(user, tool)).body, "output.value");

describe("an MCP worker", () => {
  test("gets the key of the calling user", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream));
    await createMcp(upstream);
    await giveKey(site, "alice", ALICE);
    await giveKey(site, "bob", BOB);

    expect([await valueOf("alice"), await valueOf("bob"), await valueOf("alice")]).toEqual([
      markOf(ALICE),
      markOf(BOB),
      markOf(ALICE),
    ]);
    expect(new Set(upstream.calls.map(({ session }) => session)).size).toBe(2);
    expect(upstream.listings.flatMap(({ keys }) => keys)).toEqual([]);
  });

  test("gets several keys and the user's id, each in its place", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream));
    await addKeyProvider(site, keysFor(upstream), { id: "second" });
    await createMcp(upstream, {
      "X-Key": "${user.tracker}",
      "X-Second": "${user.second}",
      "X-User": "u-${user_id}",
    });
    await giveKey(site, "al%ice ü", ALICE);
    await giveKey(site, "al%ice ü", SECOND, "second");
    await run("al%ice ü");

    expect(upstream.calls.map(({ keys, userId }) => [keys, userId])).toEqual([
      [[ALICE, SECOND], "u-al%25ice%20%C3%BC"],
    ]);
  });

  test("gets basic credentials in their encoding", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream, { location: "basic" }));
    await createMcp(upstream, { "X-Key": "Basic ${user.tracker}" });
    await giveKey(site, "alice", "alice:pass word");
    await run("alice");

    expect(upstream.calls[0]?.keys).toEqual([`Basic ${btoa("alice:pass word")}`]);
  });

  test("has another session after a key was replaced", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream));
    await createMcp(upstream);
    await giveKey(site, "alice", ALICE);
    await run("alice");
    const { items } = (await admin.get("/v1/admin/user_connections")).body as { items: { id: string }[] };
    for (const { id } of items) await admin.delete(`/v1/admin/user_connections/${id}`);
    expect((await run("alice")).status).toBe(403);
    await giveKey(site, "alice", SECOND);
    await run("alice");

    expect(upstream.calls.map(({ keys }) => keys)).toEqual([[ALICE], [SECOND]]);
    expect(new Set(upstream.calls.map(({ session }) => session)).size).toBe(2);
  });

  test("is listed with the administrator's own key, if it lists nothing without", async () => {
    await using upstream = keyedMcp({ listsWithoutKey: false });
    await addKeyProvider(site, keysFor(upstream));
    const created = (await createMcp(upstream)).body;
    expect([at(created, "catalog.tools"), at(created, "requirements")]).toEqual([
      0,
      { met: false, authorization: { met: false } },
    ]);

    const { body: started } = await admin.get("/v1/workers/keyed/authorize?user_id=root");
    expect([at(started, "status"), at(started, "user_id")]).toEqual(["pending", "root"]);
    await enterKey(String(at(started, "url")), SECOND);
    expect(at((await admin.get("/v1/workers/keyed/authorize?user_id=root")).body, "status")).toBe(
      "completed",
    );
    expect(at((await admin.get("/v1/workers/keyed")).body, "catalog.tools")).toBe(1);
    expect(upstream.listings.map(({ keys }) => keys)).toContainEqual([SECOND]);
    // That key is for the catalog only.
    expect((await run("alice")).status).toBe(403);
  });
});

test.each(["result", "error", "log line"])(
  "a server that sends a key back in a %s does not show it",
  async (where) => {
    const keys = { plain: ALICE, basic: "alice:pass-CANARY-0123" };
    const told = ({ headers }: { headers: Headers }): string => JSON.stringify(Object.fromEntries(headers));
    await using upstream = new Upstream({
      capabilities: { tools: {}, logging: {} },
      methods: {
        "tools/list": () => ({ tools: TOOLS }),
        "tools/call": (asked) => {
          const text = told(asked);
          if (where === "error")
            return Response.json({
              jsonrpc: "2.0",
              id: asked.id,
              error: { code: -32000, message: text, data: { text } },
            });
          const log = {
            jsonrpc: "2.0",
            method: "notifications/message",
            params: { level: "info", data: text },
          };
          const answer = { content: [{ type: "text", text }], structuredContent: { text, nested: { text } } };
          const answered = { jsonrpc: "2.0", id: asked.id, result: answer };
          return events(where === "result" ? [answered] : [log, answered]);
        },
      },
    });
    const addresses = [originOf(upstream.url) ?? ""];
    await addKeyProvider(site, { location: "header", addresses });
    await addKeyProvider(site, { location: "basic", addresses }, { id: "second" });
    const headers = { "X-Key": "${user.tracker}", Authorization: "Basic ${user.second}" };
    await admin.post("/v1/workers", {
      id: "keyed",
      mcp: { uri: upstream.url, timeout: 10, retry: 0, headers },
    });
    await giveKey(site, "alice", keys.plain);
    await giveKey(site, "alice", keys.basic, "second");
    const { text } = await run("alice");

    expect(text).toContain("[redacted]");
    expect(found(keys, text)).toEqual([]);
    expect(upstream.calls("tools/call").map((call) => call.headers.get("x-key"))).toEqual([keys.plain]);
  },
);

describe("an HTTP worker", () => {
  test("gets the key of the calling user as its token", async () => {
    await using upstream = keyedHttp("tracker");
    await addKeyProvider(site, keysFor(upstream));
    await admin.post("/v1/workers", {
      id: "keyed",
      http: { uri: upstream.uri, secret: "s", timeout: 10, retry: 0 },
    });
    await giveKey(site, "alice", ALICE);
    await giveKey(site, "bob", BOB);

    expect([await valueOf("alice", "Keyed.Who"), await valueOf("bob", "Keyed.Who")]).toEqual([
      markOf(ALICE),
      markOf(BOB),
    ]);
    expect((await run("carol", "Keyed.Who")).status).toBe(403);
  });
});

describe("a user without the keys of a tool", () => {
  test("is sent to the page of the first one that is missing, then to the next", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream));
    await addKeyProvider(site, keysFor(upstream), { id: "second" });
    await createMcp(upstream, { "X-Key": "${user.tracker}", "X-Second": "${user.second}" });
    const authorize = async () =>
      (await agent.post("/v1/tools/authorize", { tool_name: "Keyed.who", user_id: "alice" })).body;

    const refused = await run("alice");
    expect([refused.status, at(refused.body, "name")]).toEqual([403, "tool_requirements_not_met"]);
    expect(String(at(refused.body, "message"))).toContain("own key for Tracker");
    for (const [provider, key] of [
      ["tracker", ALICE],
      ["second", SECOND],
    ]) {
      const started = await authorize();
      expect([at(started, "status"), at(started, "provider_id")]).toEqual(["pending", provider ?? ""]);
      await enterKey(String(at(started, "url")), key ?? "");
    }
    expect(at(await authorize(), "status")).toBe("completed");
    expect((await run("alice")).status).toBe(200);
  });

  test("sees what is missing in requirements and records", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream));
    await addKeyProvider(site, keysFor(upstream), { id: "second" });
    await createMcp(upstream, { "X-Key": "${user.tracker}", "X-Second": "${user.second}" });
    await giveKey(site, "alice", ALICE);
    const { body } = await agent.post("/v1/tools/requirements", {
      tool_names: ["Keyed.who"],
      user_id: "alice",
      authorize: true,
    });

    expect(at(body, "authorization")).toMatchObject({
      met: false,
      items: {
        tracker: { met: true, provider_type: "api_key", token_status: "completed", scopes: [] },
        second: { met: false, provider_type: "api_key", token_status: "pending" },
      },
    });
    expect(at((await agent.get("/v1/tools/Keyed.who?user_id=alice")).body, "requirements")).toMatchObject({
      met: false,
      authorization: { id: "second", provider_type: "api_key" },
    });
  });
});

describe("keys never go", () => {
  test("to a worker whose address the provider does not name", async () => {
    await using upstream = keyedMcp();
    const elsewhere = { addresses: ["https://tracker.example"] };
    await addKeyProvider(site, keysFor(upstream, elsewhere));
    const refused = await createMcp(upstream);

    expect([refused.status, String(at(refused.body, "message"))]).toEqual([
      400,
      expect.stringContaining("must not be sent to the worker's address"),
    ]);
  });

  test.each<[string, object, string]>([
    ["an unknown provider", { "X-Key": "${user.nothing}" }, "does not exist"],
    ["a provider of tokens", { "X-Key": "${user.slack}" }, "not of the type api_key"],
  ])("where a worker names %s", async (_name, headers, said) => {
    await using upstream = keyedMcp();
    await site.addChatProvider();
    const refused = await createMcp(upstream, headers);

    expect([refused.status, String(at(refused.body, "message"))]).toEqual([
      400,
      expect.stringContaining(said),
    ]);
  });

  test("to a worker any more whose address was taken from the provider", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream));
    await createMcp(upstream);
    await giveKey(site, "alice", ALICE);
    await admin.patch("/v1/admin/auth_providers/tracker", { api_key: { addresses: [service.url] } });
    const refused = await run("alice");

    expect([refused.status, String(at(refused.body, "message"))]).toEqual([
      400,
      expect.stringContaining("its address is not among api_key.addresses"),
    ]);
    expect(upstream.calls).toEqual([]);
  });

  test("to an HTTP worker whose address the provider does not name", async () => {
    await using upstream = keyedHttp("tracker");
    await addKeyProvider(site, keysFor(upstream, { addresses: [service.url] }));
    await admin.post("/v1/workers", {
      id: "keyed",
      http: { uri: upstream.uri, secret: "s", timeout: 10, retry: 0 },
    });
    await giveKey(site, "alice", ALICE);

    expect((await run("alice", "Keyed.Who")).status).toBe(400);
    expect(upstream.calls).toEqual([]);
  });

  test("to a platform of this server's own tools", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream), { id: "slack" });
    await giveKey(site, "alice", ALICE, "slack");
    const refused = await run("alice", "Chat.WhoAmI");

    expect([refused.status, String(at(refused.body, "message"))]).toEqual([
      400,
      expect.stringContaining("takes users' own keys, which this tool cannot use"),
    ]);
    expect(JSON.stringify(site.chat.requests)).not.toContain(ALICE);
  });
});

describe("a call that is refused with 401", () => {
  test("ends the connection if the service refuses the key, and answers with the page for another one", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream, tested()));
    await createMcp(upstream);
    await giveKey(site, "alice", ALICE);
    service.good.delete(ALICE);
    upstream.refuses = ({ keys }) => keys.includes(ALICE);
    const { body } = await run("alice");

    expect(at(body, "output.error.kind")).toBe("UPSTREAM_RUNTIME_AUTH_ERROR");
    expect(String(at(body, "output.error.message"))).toContain("The user's key for Tracker was refused");
    expect(at(body, "output.authorization.status")).toBe("pending");
    await enterKey(String(at(body, "output.authorization.url")), SECOND);
    expect(await valueOf("alice")).toBe(markOf(SECOND));
  });

  test("keeps the connection if the service accepts the key", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream, tested()));
    await createMcp(upstream);
    await giveKey(site, "alice", ALICE);
    upstream.refuses = () => true;
    const { body } = await run("alice");

    expect(String(at(body, "output.error.message"))).toContain("is valid: it may not allow this call");
    expect(at(body, "output.authorization")).toBeUndefined();
    upstream.refuses = undefined;
    expect(await valueOf("alice")).toBe(markOf(ALICE));
  });

  test("keeps the connection while the service cannot be asked", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream, tested()));
    await createMcp(upstream);
    await giveKey(site, "alice", ALICE);
    upstream.refuses = () => true;
    service.status = 503;
    const { body } = await run("alice");

    expect(String(at(body, "output.error.message"))).toContain("it is not known whether");
    upstream.refuses = undefined;
    expect(await valueOf("alice")).toBe(markOf(ALICE));
  });

  test("ends the connection without a test if only one key was sent", async () => {
    await using upstream = keyedHttp("tracker");
    await addKeyProvider(site, keysFor(upstream));
    await admin.post("/v1/workers", {
      id: "keyed",
      http: { uri: upstream.uri, secret: "s", timeout: 10, retry: 0 },
    });
    await giveKey(site, "alice", ALICE);
    upstream.refuses = () => true;
    const { body } = await run("alice", "Keyed.Who");

    expect(at(body, "output.authorization.status")).toBe("pending");
    expect((await run("alice", "Keyed.Who")).status).toBe(403);
  });

  test("does not guess which of two keys was meant", async () => {
    await using upstream = keyedMcp();
    await addKeyProvider(site, keysFor(upstream));
    await addKeyProvider(site, keysFor(upstream), { id: "second" });
    await createMcp(upstream, { "X-Key": "${user.tracker}", "X-Second": "${user.second}" });
    await giveKey(site, "alice", ALICE);
    await giveKey(site, "alice", SECOND, "second");
    upstream.refuses = () => true;
    const { body } = await run("alice");

    expect(String(at(body, "output.error.message"))).toContain("Tracker and Tracker");
    expect(at(body, "output.authorization")).toBeUndefined();
  });
});

test("a key that is opened in another browser meanwhile is not stored", async () => {
  await using upstream = keyedMcp();
  await addKeyProvider(site, keysFor(upstream));
  const started = await authorizeKey(site, "alice");
  const browser = new Browser();
  const page = await browser.open(started.url);
  await new Browser().open(started.url);
  const { sendForm, statusOf } = await import("../authorization/key-page");
  expect((await sendForm(browser, page, { key: ALICE })).status).toBe(400);
  expect(await statusOf(site, started.id)).toEqual(["pending", undefined]);
});
