// Which events the audit trail contains, and what an entry tells: who, from where, with which result, and what changed.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SigningKey } from "../../src/audit";
import { verifyChains } from "../../src/audit/verify";
import { until } from "../connections/executing";
import { agreed } from "../server/flows";
import { connect, type KeyName, type Stage, startConsent, startStage } from "../server/stage";
import { api, at } from "../support/api";
import { temporaryFolder } from "../support/temporary";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const client = (key: KeyName = "admin") => api(stage.site.url, stage.keys[key]);

/** The entries with this action and target, newest first. */
async function entries(action: string, target?: string, key: KeyName = "admin") {
  await stage.site.runtime.refusals.flush();
  const query = new URLSearchParams({ action, limit: "100", ...(target === undefined ? {} : { target }) });
  const { body } = await client(key).get(`/v1/admin/audit?${query}`);
  const items = at(body, "items");
  return Array.isArray(items) ? items : [];
}

async function keyId(key: KeyName): Promise<string> {
  return String(at((await client(key).get("/v1/caller")).body, "key_id"));
}

/** A consent of carol whose provider answers with this error. */
async function comeBackWith(error: string): Promise<string> {
  const { id, browser, callback } = await agreed(stage, { user_id: "carol" });
  const url = new URL(callback);
  url.searchParams.delete("code");
  url.searchParams.set("error", error);
  await browser.open(url.href);
  return id;
}

describe("a consent", () => {
  test("that is granted has an entry for its start and its end, with the user and the address", async () => {
    const connection = await connect(stage, "alice");
    const [granted] = await entries("consent.granted");
    const started = await entries("consent.started", String(at(granted ?? null, "target")));

    expect(started).toMatchObject([
      {
        actor: expect.stringMatching(/^key:/),
        address: "127.0.0.1",
        result: "ok",
        details: { user: "alice", provider: "slack" },
      },
    ]);
    expect(granted).toMatchObject({
      actor: "browser",
      address: "127.0.0.1",
      result: "ok",
      details: { user: "alice", provider: "slack", connection },
    });
  });

  test("that is requested again has no second entry", async () => {
    const first = await startConsent(stage, { user_id: "bob" });
    const second = await startConsent(stage, { user_id: "bob" });

    expect(second.id).toBe(first.id);
    expect(await entries("consent.started", first.id)).toHaveLength(1);
  });

  test("that the person declines at the provider is declined", async () => {
    const id = await comeBackWith("access_denied");

    expect(await entries("consent.", id)).toMatchObject([
      { action: "consent.declined", actor: "browser", result: "declined", details: { user: "carol" } },
      { action: "consent.started" },
    ]);
  });

  test("that fails at the provider has failed, with the reason", async () => {
    const id = await comeBackWith("server_error");

    expect(await entries("consent.", id)).toMatchObject([
      {
        action: "consent.failed",
        result: "failed",
        details: { user: "carol", reason: "the provider answered server_error" },
      },
      { action: "consent.started" },
    ]);
  });

  test("whose person says that it is not their account is declined", async () => {
    const flow = await agreed(stage);
    const page = await flow.browser.open(flow.callback);
    const check = /name="check" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    await flow.browser.open(flow.url, { method: "POST", body: new URLSearchParams({ check, answer: "no" }) });

    expect((await entries("consent.", flow.id))[0]).toMatchObject({
      action: "consent.declined",
      result: "declined",
    });
  });

  test("whose auth provider changes has failed", async () => {
    const { id } = await startConsent(stage, { user_id: "dave" });
    const path = "/v1/admin/auth_providers/slack";
    const client_id = at((await client().get(path)).body, "oauth2.client_id");
    await client().patch(path, { oauth2: { client_id: "changed" } });
    await client().patch(path, { oauth2: { client_id } });

    expect(await entries("consent.failed", id)).toMatchObject([
      { actor: "server", result: "failed", details: { user: "dave", provider: "slack" } },
    ]);
  });
});

describe("a scheduled run", () => {
  test("has an entry when it is created, and one when it is finished", async () => {
    const runAt = new Date(stage.clock.now() + 3600_000).toISOString().slice(0, 19);
    const accepted = await client("run").post("/v1/tools/execute", {
      tool_name: "Chat.SendMessage",
      user_id: "alice",
      input: { conversation_id: stage.site.chat.channels.general.id, message: "hello" },
      run_at: runAt,
    });
    const id = String(at(accepted.body, "id"));
    expect(await entries("run.", id)).toMatchObject([
      {
        action: "run.scheduled",
        address: "127.0.0.1",
        result: "ok",
        details: { user: "alice", run_at: `${runAt}Z` },
      },
    ]);
    stage.clock.move(3600_000);
    await until(async () => (await entries("run.", id)).length === 2);

    expect((await entries("run.", id))[0]).toMatchObject({
      action: "run.finished",
      actor: "server",
      result: "ok",
      details: { user: "alice", tool: "Chat.SendMessage", attempts: 1 },
    });
  });
});

describe("a cancelled run", () => {
  test("has an entry that names who cancelled it", async () => {
    const { body } = await client("run").post("/v1/tools/execute", {
      tool_name: "Chat.SendMessage",
      user_id: "alice",
      input: { conversation_id: stage.site.chat.channels.general.id, message: "hello" },
      run_at: "2999-01-01T00:00:00",
    });
    const id = String(at(body, "id"));
    await client("run").post(`/v1/scheduled_tools/${id}/cancel`);

    expect((await entries("run.", id))[0]).toMatchObject({
      action: "run.cancelled",
      actor: expect.stringMatching(/^key:/),
      result: "ok",
      details: { user: "alice", run_at: "2999-01-01T00:00:00Z" },
    });
  });
});

describe("an export and a test of a plugin", () => {
  test("have entries", async () => {
    await client().get("/v1/admin/manifest");
    const plugin = await client().post("/v1/plugins", {
      name: "audited",
      plugin_type: "webhook",
      webhook_config: {
        endpoints: {
          pre: { url: "http://127.0.0.1:1/pre", phase: "before", failure_mode: "fail_closed", priority: 1 },
        },
      },
    });
    const id = String(at(plugin.body, "id"));
    await client().post(`/v1/plugins/${id}/test`);

    expect((await entries("project.export"))[0]).toMatchObject({ target: "default", address: "127.0.0.1" });
    expect(await entries("plugin.test", id)).toMatchObject([
      { result: "failed", details: { decisions: [{ hook_point: "tool.pre", decision: "failed" }] } },
    ]);
  });
});

describe("a refused request", () => {
  test("of a caller has one entry a minute for each operation, with a count", async () => {
    for (let count = 0; count < 5; count++)
      expect((await client("read").post("/v1/admin/secrets/X", { value: "v" })).status).toBe(403);
    expect((await client("read").delete("/v1/admin/auth_providers/slack")).status).toBe(403);
    const refused = async () =>
      at((await client().get("/v1/admin/audit?action=request.refused&limit=100")).body, "items");
    await until(async () => JSON.stringify(await refused()).split("request.refused").length === 3);
    expect(await refused()).toMatchObject([
      { target: "auth-providers-delete", result: "refused", details: { error: "forbidden", count: 1 } },
      { target: "secrets-upsert", address: "127.0.0.1", details: { count: 1 } },
    ]);

    stage.clock.move(61_000);
    expect((await client("read").post("/v1/admin/secrets/X", { value: "v" })).status).toBe(403);
    await until(async () => (await entries("request.refused", "secrets-upsert")).length > 1);
    const [later] = await entries("request.refused", "secrets-upsert");
    expect(later).toMatchObject({ details: { error: "forbidden", count: 5 } });
  });

  test("at the end of the server is counted", async () => {
    for (let count = 0; count < 3; count++) await client("run").get("/v1/admin/keys");
    // `entries` flushes, as the end of the server does.
    const found = await entries("request.refused", "keys-list");

    expect(found.map((entry) => at(entry, "details.count"))).toEqual([2, 1]);
  });

  test("for another user is recorded with the caller", async () => {
    const asked = { tool_name: "Chat.SendMessage", user_id: "mallory", input: {} };
    expect((await client("pinned").post("/v1/tools/execute", asked)).status).toBe(403);

    expect((await entries("request.refused", "tool-execute"))[0]).toMatchObject({
      actor: expect.stringMatching(/^key:/),
      result: "refused",
    });
  });

  test("for another project is recorded in the project of the caller", async () => {
    const path = "/v1/orgs/default/projects/default/secrets";
    expect((await client("other").get(path)).status).toBe(404);

    expect(await entries("request.refused", "secrets-list", "other")).toMatchObject([
      { result: "refused", details: { error: "not_found", count: 1 } },
    ]);
    expect(await entries("request.refused", "secrets-list")).toEqual([]);
  });

  test("without a known credential has none", async () => {
    const before = await entries("request.refused");
    const unknown = api(stage.site.url, "rt_unknown");
    expect((await unknown.get("/v1/admin/secrets")).status).toBe(401);
    expect((await api(stage.site.url, undefined).get("/v1/admin/secrets")).status).toBe(401);

    expect(await entries("request.refused")).toEqual(before);
  });
});

describe("an administrative change", () => {
  test("tells what changed, before and after, and no secret", async () => {
    await client().patch("/v1/admin/auth_providers/slack", {
      description: "changed",
      oauth2: { client_secret: "planted-secret" },
    });
    const [entry] = await entries("provider.update", "slack");

    expect(entry).toMatchObject({
      actor: `key:${await keyId("admin")}`,
      address: "127.0.0.1",
      result: "ok",
      details: { secrets: ["client_secret"], after: { description: "changed" } },
    });
    expect(JSON.stringify(entry)).not.toContain("planted-secret");
  });
});

test("all entries are one intact chain in each project", async () => {
  const { store } = stage.site.runtime.core;
  const key = new SigningKey({
    file: () => `${temporaryFolder()}/audit.key`,
    seed: () => new Uint8Array(32),
  });
  const { problems, chains } = await verifyChains(store, key);

  expect(problems).toEqual([]);
  expect(chains.find(({ chain }) => chain === "default")?.rows).toBeGreaterThan(20);
});
