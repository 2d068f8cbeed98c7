// Users' own keys are connections: they live and end with everything that connections live and end with.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { addKeyProvider, authorizeKey, enterKey, giveKey, statusOf } from "../authorization/key-page";
import { query } from "../../src/store";
import { originOf } from "../../src/origins";
import { api, at } from "../support/api";
import { type Site, startSite } from "../support/site";
import { keyedMcp, type KeyedUpstream, markOf } from "../workers/keyed";
import { mcpWorker } from "../workers/site";
import { Browser } from "../support/browser";

const KEY = "key-of-alice-CANARY-0123456789";

let site: Site;
let upstream: KeyedUpstream;
let agent: ReturnType<typeof api>;
let admin: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite();
  upstream = keyedMcp();
  agent = api(site.url, await site.key("run"));
  admin = api(site.url, await site.key("admin"));
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await upstream[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await admin.delete("/v1/workers/peer");
  await admin.delete("/v1/admin/auth_providers/tracker");
  await setUp("default");
});

async function setUp(project: string): Promise<void> {
  const operator = await site.runtime.identity.operator(project);
  const addresses = [originOf(upstream.uri) ?? ""];
  await addKeyProvider(site, { location: "header", addresses }, { project });
  const headers = { "X-Key": "${user.tracker}" };
  await site.runtime.workers.create(operator, mcpWorker("peer", upstream.uri, { headers }));
}

const run = (user_id = "alice") =>
  agent.post("/v1/tools/execute", { tool_name: "Peer.who", user_id, input: {} });

test("a key works after the data key was rotated", async () => {
  await giveKey(site, "alice", KEY);
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.rotation.rotateDataKey(operator);

  expect(at((await run()).body, "output.value")).toBe(markOf(KEY));
});

test("a deleted provider ends its keys, and calls say what is missing", async () => {
  await giveKey(site, "alice", KEY);
  await admin.delete("/v1/admin/auth_providers/tracker");
  const refused = await run();

  expect([refused.status, String(at(refused.body, "message"))]).toEqual([
    400,
    expect.stringContaining("no auth provider"),
  ]);
  expect(at((await admin.get("/v1/admin/user_connections")).body, "total_count")).toBe(0);
});

test("an inactive provider stops calls, and keeps the keys", async () => {
  await giveKey(site, "alice", KEY);
  await admin.patch("/v1/admin/auth_providers/tracker", { status: "inactive" });
  expect((await run()).status).toBe(400);
  await admin.patch("/v1/admin/auth_providers/tracker", { status: "active" });

  expect(at((await run()).body, "output.value")).toBe(markOf(KEY));
});

test("a change of the provider ends its open pages", async () => {
  const started = await authorizeKey(site, "alice");
  await admin.patch("/v1/admin/auth_providers/tracker", { api_key: { help: "New" } });
  await enterKey(started.url, KEY).catch(() => undefined);

  expect((await statusOf(site, started.id))[0]).toBe("failed");
  expect((await run()).status).toBe(403);
});

test("a key of one project is not one of another", async () => {
  const operator = await site.runtime.identity.operator("default");
  await site.runtime.identity.createProject(operator, "other", "Other");
  await setUp("other");
  await giveKey(site, "alice", KEY);
  const other = api(site.url, await site.key("run", undefined, "other"));
  const refused = await other.post("/v1/tools/execute", {
    tool_name: "Peer.who",
    user_id: "alice",
    input: {},
  });

  expect(refused.status).toBe(403);
});

test("a run is not scheduled without the key", async () => {
  await giveKey(site, "alice", KEY);
  const { items } = (await admin.get("/v1/admin/user_connections")).body as { items: { id: string }[] };
  await admin.delete(`/v1/admin/user_connections/${items[0]?.id ?? ""}`);
  const refused = await agent.post("/v1/tools/execute", {
    tool_name: "Peer.who",
    user_id: "alice",
    input: {},
    run_at: "2030-01-01T00:00:00",
  });

  expect(refused.status).toBe(403);
});

test("the audit trail tells of a key without it", async () => {
  await giveKey(site, "alice", KEY);
  const { text } = await admin.get("/v1/admin/audit?limit=100");

  for (const word of ["consent.started", "consent.granted", "tracker"]) expect(text).toContain(word);
  expect(text).not.toContain("CANARY");
});

test("a page that was opened twice in one browser stores one key", async () => {
  const started = await authorizeKey(site, "alice");
  const browser = new Browser();
  await enterKey(started.url, KEY, browser);
  const again = await enterKey(started.url, "another-key", browser).catch((error: unknown) => error);

  expect(again).toBeDefined();
  expect(at((await run()).body, "output.value")).toBe(markOf(KEY));
});

test("an erased user has no key any more, and an export names it without its value", async () => {
  await giveKey(site, "erin", KEY);
  await giveKey(site, "alice", "key-of-alice-stays");
  const exported = await admin.post("/v1/admin/users/export", { user_id: "erin" });
  expect([exported.status, exported.text]).toEqual([200, expect.stringContaining("tracker")]);
  expect(exported.text).not.toContain("CANARY");
  expect((await admin.post("/v1/admin/users/erase", { user_id: "erin" })).status).toBe(200);

  expect((await run("erin")).status).toBe(403);
  expect(at((await run("alice")).body, "output.value")).toBe(markOf("key-of-alice-stays"));
  const orders = query<{ count: number }>("SELECT COUNT(*) AS count FROM revocations");
  expect(await site.runtime.core.store.get(orders)).toEqual({ count: 0 });
});
