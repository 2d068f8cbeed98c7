// API keys: shown once, valid immediately after creation, invalid immediately after revocation.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import type { ApiKeyCreate, Principal } from "../../src/identity";
import { query } from "../../src/store";
import { refusal, until } from "../connections/executing";
import { deploy, type Deployment, operator } from "../tools/deployment";
import { testOnSqlite } from "../support/on-sqlite";

const AUDITED = query<{ action: string; actor: string; target: string; details: string | null }>(
  "SELECT action, actor, target, details FROM audit WHERE action LIKE 'key.%' ORDER BY number",
);

async function created({ runtime }: Deployment, request: Partial<ApiKeyCreate> = {}, project = "default") {
  const record = await runtime.identity.createKey(operator(project), { name: "test", ...request });
  return { ...record, key: record.key ?? "" };
}

describe("a key", () => {
  test("is shown once, in the answer that creates it", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const { key, ...record } = await created(deployment, { name: "agent" });

    expect(key).toStartWith("rt_");
    expect(record).toMatchObject({ name: "agent", role: "run", project_id: "default" });
    expect(key).toStartWith(record.prefix);
    expect(key.length - record.prefix.length).toBeGreaterThan(30);
    expect(await runtime.identity.getKey(operator(), record.id)).toEqual(record);
    expect((await runtime.identity.listKeys(operator())).items).toEqual([record]);
  });

  testOnSqlite("is not stored in any file, only its hash", async () => {
    await using deployment = await deploy();
    const { key, prefix } = await created(deployment);
    await deployment.runtime.identity.authenticate(key);
    const secret = key.slice(prefix.length);
    const database = new Database(`${deployment.folder}/.local/share/runtime/runtime.db`, { readonly: true });
    const rows = JSON.stringify(database.query("SELECT * FROM api_keys, audit").all());
    database.close();

    expect(rows).toContain(prefix);
    expect(rows).not.toContain(secret);
    expect(deployment.logLines.join("\n")).not.toContain(secret);
  });

  test.each<[string, Partial<ApiKeyCreate>, Partial<Extract<Principal, { kind: "key" }>>]>([
    ["without more is a run key for anybody", {}, { role: "run", users: null }],
    ["with a role has that role", { role: "read" }, { role: "read" }],
    [
      "with users is pinned to them, each once",
      { users: ["alice", "bob", "alice"] },
      { users: ["alice", "bob"] },
    ],
  ])("%s", async (_name, request, principal) => {
    await using deployment = await deploy();
    const { id, key } = await created(deployment, request);

    expect(await deployment.runtime.identity.authenticate(key)).toMatchObject({
      kind: "key",
      keyId: id,
      projectId: "default",
      ...principal,
    });
  });

  test("of an administrator cannot be restricted to users", async () => {
    await using deployment = await deploy();

    const request = created(deployment, { role: "admin", users: ["alice"] });

    expect(await request.catch((error: unknown) => error)).toMatchObject({
      status: 400,
      name: "invalid_parameter",
      fieldErrors: [{ field: "users", rule: "conflict" }],
    });
    expect((await deployment.runtime.identity.listKeys(operator())).items).toEqual([]);
  });

  testOnSqlite("of an administrator that an earlier version restricted to users counts as run", async () => {
    await using deployment = await deploy();
    const { id, key } = await created(deployment, { role: "run", users: ["alice"] });
    const database = new Database(`${deployment.folder}/.local/share/runtime/runtime.db`);
    database.run("UPDATE api_keys SET role = 'admin'");
    database.close();
    const { identity } = deployment.runtime;

    expect(await identity.authenticate(key)).toMatchObject({ role: "run", users: ["alice"] });
    expect(await identity.getKey(operator(), id)).toMatchObject({ role: "run" });
    expect(await identity.actor("default", `key:${id}`)).toMatchObject({ role: "run" });
  });

  test.each<[string, (key: string) => string]>([
    ["bare", (key) => key],
    ["with Bearer", (key) => `Bearer ${key}`],
    ["with bearer in another case", (key) => `bEaReR ${key}`],
    ["with spaces around it", (key) => `  Bearer   ${key}  `],
  ])("is accepted %s", async (_name, header) => {
    await using deployment = await deploy();
    const { key } = await created(deployment);

    expect(await deployment.runtime.identity.authenticate(header(key))).toMatchObject({ kind: "key" });
  });

  test.each<[string, (key: string) => string | undefined, string]>([
    ["nothing", () => undefined, "Missing"],
    ["an empty text", () => "", "Missing"],
    ["spaces", () => "  ", "Missing"],
    ["another word", (key) => `Basic ${key}`, "not an API key"],
    ["a word alone", () => "Bearer", "not an API key"],
    ["another credential", () => "sk-planted", "not an API key"],
    [
      "a key with a letter changed",
      (key) => `${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`,
      "mistyped",
    ],
    ["a key cut short", (key) => key.slice(0, -1), "mistyped"],
    ["a key with more after it", (key) => `${key}x`, "mistyped"],
    ["a prefix alone", () => "rt_", "mistyped"],
    ["two keys", (key) => `${key}, ${key}`, "mistyped"],
  ])("is not accepted as %s: 401, without repeating the credential", async (_name, header, message) => {
    await using deployment = await deploy();
    const { key } = await created(deployment);
    const given = header(key);
    const error = await refusal(deployment.runtime.identity.authenticate(given));

    expect([error.status, error.name]).toEqual([401, "invalid_authorization"]);
    expect(error.message).toContain(message);
    expect(error.message).not.toContain(key.slice(0, 12));
    expect(error.message).not.toContain("planted");
  });
});

describe("a key that expires", () => {
  test("works until that time and no longer", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    const { key } = await created(deployment, { expires_at });
    clock.move(55_000);
    const before = await runtime.identity.authenticate(key);
    clock.move(5000);

    expect(before.kind).toBe("key");
    expect((await refusal(runtime.identity.authenticate(key))).message).toBe("The API key has expired.");
  });

  test.each([
    ["in the past", () => new Date(Date.now() - 1000).toISOString()],
    ["at no time at all", () => "some day"],
    ["at an empty time", () => ""],
  ])("cannot be created if it would expire %s", async (_name, time) => {
    await using deployment = await deploy();
    const error = await refusal(created(deployment, { expires_at: time() }));

    expect([error.status, error.name]).toEqual([400, "invalid_parameter"]);
    expect(await deployment.runtime.identity.hasKeys("default")).toBe(false);
  });
});

describe("a revoked key", () => {
  test("stops working immediately, also in another process", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const other = await deployment.another();
    const { id, key } = await created(deployment);
    await other.identity.authenticate(key);
    await runtime.identity.deleteKey(operator(), id);

    for (const { identity } of [runtime, other]) {
      expect((await refusal(identity.authenticate(key))).message).toBe(
        "The API key does not exist or was revoked.",
      );
    }
    expect(await runtime.identity.hasKeys("default")).toBe(false);
  });

  test("does not affect other keys", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const [first, second] = [await created(deployment), await created(deployment)];
    await runtime.identity.deleteKey(operator(), first.id);

    expect(await runtime.identity.authenticate(second.key)).toMatchObject({ keyId: second.id });
  });

  test("works immediately, even if it was tried before it existed", async () => {
    await using deployment = await deploy();
    const other = await deployment.another();
    const { key } = await created(deployment);

    expect(await other.identity.authenticate(key)).toMatchObject({ kind: "key" });
  });

  test("of another project is not found", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "second", "second");
    const { id, key } = await created(deployment);

    expect((await refusal(runtime.identity.deleteKey(operator("second"), id))).status).toBe(404);
    expect((await refusal(runtime.identity.getKey(operator("second"), id))).status).toBe(404);
    expect(await runtime.identity.authenticate(key)).toMatchObject({ projectId: "default" });
    expect((await runtime.identity.listKeys(operator("second"))).items).toEqual([]);
  });
});

describe("the time of last use of a key", () => {
  async function lastUsed({ runtime }: Deployment, id: string): Promise<string | undefined> {
    return (await runtime.identity.getKey(operator(), id)).last_used_at;
  }

  // The log stores times of last use in order: after this one is stored, earlier ones are.
  async function otherKeyUsed(deployment: Deployment): Promise<void> {
    const { id, key } = await created(deployment);
    await deployment.runtime.identity.authenticate(key);
    await until(async () => (await lastUsed(deployment, id)) !== undefined);
  }

  test("is set by its first use", async () => {
    await using deployment = await deploy();
    const { id, key } = await created(deployment);
    const before = await lastUsed(deployment, id);
    await deployment.runtime.identity.authenticate(key);

    expect(before).toBeUndefined();
    await until(async () => (await lastUsed(deployment, id)) !== undefined);
  });

  test("is written at most once a minute", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const { id, key } = await created(deployment);
    await runtime.identity.authenticate(key);
    await until(async () => (await lastUsed(deployment, id)) !== undefined);
    const first = await lastUsed(deployment, id);
    clock.move(50_000);
    await runtime.identity.authenticate(key);
    await otherKeyUsed(deployment);
    const second = await lastUsed(deployment, id);
    clock.move(15_000);
    await runtime.identity.authenticate(key);

    expect(second).toBe(first as never);
    await until(async () => (await lastUsed(deployment, id)) !== first);
  });

  test("is not changed by an attempt with an expired key", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const { id, key } = await created(deployment, { expires_at: new Date(clock.now() + 1000).toISOString() });
    clock.move(2000);
    await refusal(runtime.identity.authenticate(key));
    await otherKeyUsed(deployment);

    expect(await lastUsed(deployment, id)).toBeUndefined();
  });
});

test("creating and revoking a key is audited, without the key", async () => {
  await using deployment = await deploy();
  const { runtime } = deployment;
  const { id, key, prefix } = await created(deployment, { name: "agent", role: "read" });
  await runtime.identity.deleteKey(operator(), id);
  const shown = { name: "agent", role: "read", prefix };
  const rows = await runtime.core.store.all(AUDITED);

  expect(rows).toEqual([
    { action: "key.create", actor: "operator", target: id, details: JSON.stringify({ after: shown }) },
    { action: "key.delete", actor: "operator", target: id, details: JSON.stringify({ before: shown }) },
  ]);
  expect(JSON.stringify(rows)).not.toContain(key);
});
