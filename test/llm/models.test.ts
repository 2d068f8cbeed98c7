// Model entries: those of the configuration and those that a project stores.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Principal } from "../../src/identity";
import { startModelServer } from "../sandbox/models/chat-server";
import { api, at } from "../support/api";
import { damageSealed } from "../support/damage";
import { openLateStore } from "../support/late-store";
import { testOnSqlite } from "../support/on-sqlite";
import { type Site, startSite } from "../support/site";

const STATIC = {
  id: "fixed",
  models: ["fixed-model"],
  openai: { base_url: "http://127.0.0.1:1/v1", api_key: "${env:RUNTIME_TEST_FIXED_KEY}" },
};

let site: Site;
let operator: Principal;
beforeAll(async () => {
  site = await startSite({
    environment: { RUNTIME_MODELS: JSON.stringify([STATIC]), RUNTIME_TEST_FIXED_KEY: "fixed-CANARY" },
  });
  operator = await site.runtime.identity.operator("default");
});
afterAll(() => site[Symbol.asyncDispose]());

describe("a stored entry", () => {
  test("shows its server with defaults, and only the existence of its key", async () => {
    const { models } = site.runtime;
    const entry = await models.create(operator, {
      id: "claude",
      models: ["m"],
      anthropic: { api_key: "stored-CANARY" },
    });
    expect(entry).toMatchObject({
      id: "claude",
      type: "anthropic",
      models: ["m"],
      base_url: "https://api.anthropic.com/v1",
      chat_endpoint: "/messages",
      api_version: "2023-06-01",
      api_key: { binding: "project", editable: true, exists: true },
      binding: { id: "default", type: "project" },
    });
    expect(JSON.stringify([entry, await models.list(operator)])).not.toContain("CANARY");
  });

  testOnSqlite("has its key only sealed in the files", async () => {
    const { models, core } = site.runtime;
    const openai = { base_url: "http://sealed.test/v1", api_key: "stored-CANARY" };
    await models.create(operator, { id: "sealed", openai });
    await core.store.check();
    const folder = join(site.folder, ".local/share/runtime");
    const stored = ["runtime.db", "runtime.db-wal"]
      .map((file) => readFileSync(join(folder, file)).toString("latin1"))
      .join("");

    expect(stored).toContain("http://sealed.test/v1");
    expect(stored).not.toContain("stored-CANARY");
  });

  test("is changed field by field; an empty key removes it; its id is taken once", async () => {
    const { models } = site.runtime;
    await models.create(operator, { id: "own", openai: { base_url: "http://a.test/v1", api_key: "k" } });
    await expect(models.create(operator, { id: "own", openai: {} })).rejects.toThrow("exists");
    const changed = await models.update(operator, "own", { models: ["x"], chat_endpoint: "/chat" });
    expect([changed.base_url, changed.chat_endpoint, changed.models, changed.api_key.exists]).toEqual([
      "http://a.test/v1",
      "/chat",
      ["x"],
      true,
    ]);
    expect((await models.update(operator, "own", { api_key: "" })).api_key.exists).toBe(false);
    await expect(models.update(operator, "own", { max_tokens: 5 })).rejects.toThrow("anthropic");
    await models.delete(operator, "own");
    await expect(models.delete(operator, "own")).rejects.toThrow("no model entry");
  });

  test("belongs to its project alone", async () => {
    const project = await site.runtime.identity.createProject(operator, "elsewhere", "elsewhere");
    const other = await site.runtime.identity.operator(project.id);
    await site.runtime.models.create(other, { id: "theirs", models: ["their-model"], openai: {} });
    const list = await api(site.url, await site.key("read")).get("/v1/models");
    expect(JSON.stringify(list.body)).not.toContain("their");
    await expect(site.runtime.models.show(operator, "theirs")).rejects.toThrow("no model entry");
  });

  test("is deleted with its project, also for a later project with the same name", async () => {
    const { identity, models } = site.runtime;
    const made = async () => {
      await identity.createProject(operator, "again", "Again");
      return identity.operator("again");
    };
    const named = async () =>
      (await api(site.url, await site.key("run", undefined, "again")).get("/v1/models")).text;
    await models.create(await made(), { id: "theirs", models: ["former-model"], openai: { api_key: "k" } });
    expect(await named()).toContain("former-model");
    await identity.deleteProject(operator, "again");
    await made();
    expect(await named()).not.toContain("former-model");
  });

  test("works at once, with its key, until it is deleted", async () => {
    await using upstream = await startModelServer();
    const key = await site.key("run");
    const ask = () =>
      api(site.url, key).post("/v1/chat/completions", {
        model: "fresh",
        messages: [{ role: "user", content: "?" }],
      });
    expect((await ask()).status).toBe(400);
    await site.runtime.models.create(operator, {
      id: "fresh",
      models: ["f"],
      openai: { base_url: `${upstream.url}/`, api_key: "fresh-key" },
    });
    expect((await ask()).status).toBe(200);
    expect(upstream.exchanges[0]?.headers["authorization"]).toBe("Bearer fresh-key");
    await site.runtime.models.delete(operator, "fresh");
    expect((await ask()).status).toBe(400);
  });

  test("with a damaged key fails alone, and its error says how to repair it", async () => {
    await using upstream = await startModelServer();
    const { models, core } = site.runtime;
    const create = (id: string) =>
      models.create(operator, {
        id,
        models: [`${id}-model`],
        openai: { base_url: upstream.url, api_key: `${id}-key` },
      });
    await create("hale");
    await create("broken");
    const column = { table: "models", sealed: "sealed_api_key", key: "id", kind: "models" } as const;
    await damageSealed(core.store, column, "broken");
    const agent = api(site.url, await site.key("run"));
    const ask = (model: string) =>
      agent.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "?" }] });

    expect((await ask("hale-model")).status).toBe(200);
    expect(JSON.stringify((await agent.get("/v1/models")).body)).toContain("broken-model");
    const refused = await ask("broken-model");
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([500, "false"]);
    expect(at(refused.body, "message")).toContain('"broken" cannot be decrypted');
    expect(upstream.exchanges.length).toBe(1);

    await models.update(operator, "broken", { api_key: "mended-key" });
    expect((await ask("broken-model")).status).toBe(200);
    expect(upstream.exchanges[1]?.headers["authorization"]).toBe("Bearer mended-key");
    for (const id of ["hale", "broken"]) await models.delete(operator, id);
  });
});

describe("an entry of the configuration", () => {
  test("is listed first, shows no key and cannot be changed", async () => {
    const { models } = site.runtime;
    const [first] = await models.list(operator);
    expect(first).toMatchObject({
      id: "fixed",
      binding: { type: "static" },
      api_key: { exists: true, editable: false },
    });
    expect(JSON.stringify(first)).not.toContain("CANARY");
    await expect(models.delete(operator, "fixed")).rejects.toThrow("configuration");
    await expect(models.update(operator, "fixed", {})).rejects.toThrow("configuration");
    await expect(models.create(operator, { id: "fixed", openai: {} })).rejects.toThrow("configuration");
  });
});

test("an asynchronous store works for entries, their keys and the runnable tools", async () => {
  await using upstream = await startModelServer();
  await using late = await startSite({ parts: { openStore: openLateStore } });
  const { models, identity } = late.runtime;
  const owner = await identity.operator("default");
  await models.create(owner, {
    id: "late",
    models: ["m"],
    openai: { base_url: upstream.url, api_key: "late-key" },
  });
  await models.setRunnableTools(owner, "read_only");
  const ask = api(late.url, await late.key("run")).post;
  const body = { model: "m", messages: [{ role: "user", content: "?" }] };
  expect((await ask("/v1/chat/completions", body)).status).toBe(200);
  expect(upstream.exchanges[0]?.headers["authorization"]).toBe("Bearer late-key");
  const running = { ...body, user: "alice", tools: ["Chat.SendMessage"], tool_choice: "generate" };
  expect((await ask("/v1/chat/completions", running)).status).toBe(403);
});

test("the list of models is what clients of chat completions expect", async () => {
  const list = await api(site.url, await site.key("read")).get("/v1/models");
  expect([list.status, at(list.body, "object"), at(list.body, "data.0")]).toEqual([
    200,
    "list",
    { id: "fixed-model", object: "model", created: 0, owned_by: "fixed" },
  ]);
});

test("without any entry the error says what to do", async () => {
  await using bare = await startSite();
  const answer = await api(bare.url, await bare.key("run")).post("/v1/chat/completions", {
    model: "x",
    messages: [{ role: "user", content: "?" }],
  });
  expect([answer.status, at(answer.body, "message")]).toEqual([
    400,
    expect.stringContaining("runtime models create"),
  ]);
});

test.each(["admin", "run"] as const)(
  "a key with the role %s may ask for completions; one that reads may not",
  async (role) => {
    const ask = async (key: string) =>
      (
        await api(site.url, key).post("/v1/chat/completions", {
          model: "?",
          messages: [{ role: "user", content: "?" }],
        })
      ).status;
    expect([await ask(await site.key(role)), await ask(await site.key("read"))]).toEqual([400, 403]);
  },
);

test("a key that is pinned to users may not name another", async () => {
  const answer = await api(site.url, await site.key("run", ["alice"])).post("/v1/chat/completions", {
    model: "fixed-model",
    messages: [{ role: "user", content: "?" }],
    user: "bob",
  });
  expect(answer.status).toBe(403);
});
