// Clients of both families hear of it when the list of tools that their user sees has changed, and of nothing else.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { hooked, type Hooked } from "../hooks/hooked";
import { operator } from "../tools/deployment";
import { type Family, heardIn, listen, type Listener, open } from "./listener";
import { client, valueAt } from "./site";
import { upstream } from "./upstream-catalog";

const LIST_CHANGED = "notifications/tools/list_changed";
const ONLY_ACT = { only: { Test: { tools: { Act: [{}] } } } };
const families: Family[] = ["legacy", "modern"];

const wiki = upstream("Wiki", { prompts: [{ name: "ask" }], resources: [{ uri: "demo://x", name: "x" }] });

let hooks: Hooked;
let key: string;
let url: string;
let id: string;
let slug = "";
const opened: Listener[] = [];
beforeAll(async () => {
  hooks = await hooked({ catalogs: [wiki.catalog], environment: { RUNTIME_AUTH_URL: "http://127.0.0.1:9" } });
  key =
    (await hooks.deployment.runtime.identity.createKey(operator(), { name: "run", role: "run" })).key ?? "";
});
afterAll(() => hooks[Symbol.asyncDispose]());
beforeEach(async () => {
  slug = `g${crypto.randomUUID().slice(0, 8)}`;
  url = `${hooks.url}/mcp/${slug}`;
  ({ id } = await runtime().gateways.create(operator(), {
    name: "Watched",
    slug,
    auth_type: "arcade_header",
    tool_filter: { allowed_tools: ["Test.Act", "Test.Echo"] },
  }));
});
afterEach(async () => {
  for (const listener of opened.splice(0)) await listener.close();
});

const runtime = () => hooks.deployment.runtime;
const patch = (fields: object) => runtime().gateways.patch(operator(), id, fields);
const allow = (...allowed_tools: string[]) => patch({ tool_filter: { allowed_tools } });
const remove = () => runtime().gateways.delete(operator(), id);
async function listener(family: Family, user: string, more: Parameters<typeof listen>[3] = {}, by = key) {
  const one = await listen(family, url, { key: by, user }, more);
  opened.push(one);
  return one;
}
async function toolsOf(family: Family, user: string): Promise<string[]> {
  const tools = valueAt(await client(url, { key, user })[family]("tools/list"), "result.tools");
  return (tools as { name: string }[]).map(({ name }) => name);
}
const heard = async (one: Listener) => (await one.next())?.message["method"];

test("a gateway announces that it tells of changes", async () => {
  const alice = client(url, { key, user: "alice" });
  const { answer } = await alice.initialize();
  const capabilities = { tools: { listChanged: true } };
  expect(valueAt(answer, "result.capabilities")).toEqual(capabilities);
  expect(valueAt(await alice.modern("server/discover"), "result.capabilities")).toEqual(capabilities);
});

describe.each(families)("a %s client", (family) => {
  test("hears of a tool that the gateway gains, and lists it", async () => {
    const alice = await listener(family, "alice");
    await allow("Test.Act", "Test.Echo", "Test.Call");

    expect(await heard(alice)).toBe(LIST_CHANGED);
    expect(await toolsOf(family, "alice")).toContain("Test_Call");
  });

  test("hears of an access hook that hides a tool from its user; another user hears nothing", async () => {
    hooks.project.respond = ({ body }) => (body["user_id"] === "alice" ? ONLY_ACT : {});
    const alice = await listener(family, "alice");
    const bob = await listener(family, "bob");
    const { id: plugin } = await hooks.plugin({
      points: ["access"],
      priority: families.indexOf(family),
    });

    expect(await heard(alice)).toBe(LIST_CHANGED);
    expect(await toolsOf(family, "alice")).toEqual(["Test_Act"]);
    await runtime().plugins.update(operator(), plugin, { status: "inactive" });
    expect(await heard(alice)).toBe(LIST_CHANGED);
    expect(await toolsOf(family, "alice")).toEqual(["Test_Act", "Test_Echo"]);
    await remove();
    const end = family === "legacy" ? [] : ["notifications/cancelled", "reply"];
    expect(await bob.rest()).toEqual(end);
  });

  test("hears of prompts and of resources, each by itself", async () => {
    await allow("Test.Act", "Wiki.GetPrompt", "Wiki.ReadResource");
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    const alice = await listener(family, "alice", { notifications });
    await allow("Test.Act", "Wiki.ReadResource");
    expect(await heard(alice)).toBe("notifications/prompts/list_changed");
    await allow("Test.Act");
    expect(await heard(alice)).toBe("notifications/resources/list_changed");
    await allow("Test.Echo");
    expect(await heard(alice)).toBe(LIST_CHANGED);
  });

  test("hears nothing of changes that leave its list as it was, and the stream ends with the gateway", async () => {
    const alice = await listener(family, "alice");
    await patch({ description: "Another one", instructions: "Be quick." });
    await allow("Test.Echo", "Test.Act", "Test.Unknown");
    await remove();

    expect(await alice.rest()).toEqual(family === "legacy" ? [] : ["notifications/cancelled", "reply"]);
  });

  test("hears that it must search from now on, and then only of changes of pinned tools", async () => {
    const alice = await listener(family, "alice");
    const search = (pinned_asset_keys: string[]) =>
      patch({ tool_filter: { discovery: { enabled: true, pinned_asset_keys } } });
    await search([]);
    expect(await heard(alice)).toBe(LIST_CHANGED);
    await allow("Test.Act");
    await search(["Test.Act"]);
    expect(await heard(alice)).toBe(LIST_CHANGED);
    expect(await toolsOf(family, "alice")).toEqual([
      "search_tools",
      "describe_tool",
      "call_tool",
      "Test_Act",
    ]);
    await remove();
    expect(await alice.rest()).toEqual(family === "legacy" ? [] : ["notifications/cancelled", "reply"]);
  });

  test("is cut off when the gateway begins to ask for another credential", async () => {
    const alice = await listener(family, "alice");
    await patch({ auth_type: "arcade" });

    expect(await alice.rest()).toEqual(family === "legacy" ? [] : ["notifications/cancelled", "reply"]);
  });

  test("is cut off when its key is revoked", async () => {
    const made = await runtime().identity.createKey(operator(), { name: "short", role: "run" });
    const alice = await listener(family, "alice", {}, made.key);
    await runtime().identity.deleteKey(operator(), made.id);

    expect(await alice.rest()).toEqual([]);
  });
});

describe("the stream of a session", () => {
  test("tells at once what a client missed while its stream was broken", async () => {
    const before = await listener("legacy", "alice");
    await before.close();
    await allow("Test.Act");
    const after = await listener("legacy", "alice", { since: before.begun });

    expect(await heard(after)).toBe(LIST_CHANGED);
  });

  test("tells at once of a change after the client listed its tools, before it opened the stream", async () => {
    const alice = client(url, { key, user: "alice" });
    const { session } = await alice.initialize();
    const headers = { "mcp-session-id": session };
    await alice.legacy("tools/list", {}, headers);
    await allow("Test.Act");
    await using late = await heardIn(open(url, { key, user: "alice" }, headers));

    expect(await heard(late)).toBe(LIST_CHANGED);
  });

  test("tells nothing at once if nothing was missed", async () => {
    const before = await listener("legacy", "alice");
    await allow("Test.Act");
    const told = await before.next();
    await before.close();
    const after = await listener("legacy", "alice", { since: told?.id });
    await remove();

    expect(await after.rest()).toEqual([]);
  });

  test("begins with an event for clients that can resume it, and with a comment for older ones", async () => {
    expect((await listener("legacy", "alice")).begun).toBeString();
    const older = await listener("legacy", "alice", { version: "2025-06-18" });
    expect([older.response.headers.get("content-type"), older.begun]).toEqual([
      "text/event-stream",
      undefined,
    ]);
  });

  test.each([
    ["without a session", {}],
    ["of the 2026 family", { "mcp-session-id": "x", "mcp-protocol-version": "2026-07-28" }],
    ["that takes JSON only", { "mcp-session-id": "x", accept: "application/json" }],
  ])("is not for a GET %s, which is 405", async (_what, headers) => {
    const answer = await open(url, { key, user: "alice" }, headers);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "OPTIONS, POST"]);
  });

  test("is not for the session of another user, or one that was made up", async () => {
    const { session } = await client(url, { key, user: "alice" }).initialize();
    for (const [user, id] of [
      ["bob", session],
      ["alice", "made-up"],
    ] as const) {
      const answer = await open(url, { key, user }, { "mcp-session-id": id });
      expect([answer.status, await answer.json()]).toMatchObject([404, { error: { code: -32001 } }]);
    }
  });

  test("is not for a caller without a credential", async () => {
    const { session } = await client(url, { key, user: "alice" }).initialize();
    expect((await open(url, {}, { "mcp-session-id": session })).status).toBe(401);
  });
});
