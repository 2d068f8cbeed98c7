// Rotation of keys: everything stays readable, in all processes, and after a kill at any moment.
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadConfig } from "../support/config";
import { systemClock } from "../../src/base";
import { dataKeyOf } from "../../src/crypto";
import type { RuntimeParts } from "../../src/open-core";
import type { Principal } from "../../src/identity";
import { createRuntime, type Runtime } from "../../src/runtime";
import { api, at } from "../support/api";
import { breakableStore } from "../support/breakable-store";
import { Browser } from "../support/browser";
import { damageSealed } from "../support/damage";
import { type Hooks, pausedStore } from "../support/paused-store";
import { type Site, startSite } from "../support/site";
import { NO_EXTENSIONS } from "../support/extensions";

let site: Site;
const runtimes: Runtime[] = [];

afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close();
  await site[Symbol.asyncDispose]();
});

async function another(parts: RuntimeParts = {}): Promise<Runtime> {
  const runtime = await createRuntime(loadConfig({ environment: site.environment }), NO_EXTENSIONS, parts);
  runtimes.push(runtime);
  return runtime;
}

function rootKeyFile(): string {
  return join(site.folder, ".config", "runtime", "root.key");
}

/** The key file and the files next to it that belong to it. */
function keyFiles(): string[] {
  return readdirSync(dirname(rootKeyFile())).toSorted();
}

async function values(runtime: Runtime, count: number): Promise<(string | undefined)[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => runtime.secrets.value("default", `KEY_${index}`)),
  );
}

async function fill(count: number): Promise<string[]> {
  const operator = await site.runtime.identity.operator("default");
  const texts = Array.from({ length: count }, (_, index) => `value ${index}`);
  await Promise.all(
    texts.map((value, index) => site.runtime.secrets.upsert(operator, `KEY_${index}`, { value })),
  );
  return texts;
}

describe("a new data key", () => {
  test("requested five times concurrently in two processes leaves all values under one key", async () => {
    site = await startSite();
    const texts = await fill(450);
    const operator = await site.runtime.identity.operator("default");
    const second = await another();
    const all = [site.runtime, second, site.runtime, second, site.runtime];

    const ids = await Promise.all(all.map(({ rotation }) => rotation.rotateDataKey(operator)));

    expect(new Set(ids.map(({ id }) => id)).size).toBe(5);
    expect(await values(second, 450)).toEqual(texts);
    const rows = await site.runtime.core.store.all<{ sealed_value: string }>({
      text: "SELECT sealed_value FROM secrets",
    });
    expect(new Set(rows.map(({ sealed_value }) => dataKeyOf(sealed_value))).size).toBe(1);
  }, 30_000);

  test("continues when a whole batch is deleted meanwhile", async () => {
    site = await startSite();
    await fill(450);
    let hooks: Hooks | undefined;
    const slow = await another({ openStore: pausedStore(() => hooks) });
    const operator = await site.runtime.identity.operator("default");
    const deleted: string[] = [];
    hooks = {
      // The first write creates the key, the second one stores the first batch.
      before: async (number) => {
        if (number !== 2) return;
        const rows = await site.runtime.core.store.all<{ folded_key: string }>({
          text: "SELECT folded_key FROM secrets ORDER BY folded_key LIMIT 200",
        });
        await site.runtime.core.store.write(function* () {
          for (const { folded_key } of rows) {
            deleted.push(folded_key);
            yield { method: "run", text: "DELETE FROM secrets WHERE folded_key = ?", params: [folded_key] };
          }
        });
      },
    };

    const { id, resealed, remaining } = await slow.rotation.rotateDataKey(operator);

    expect([deleted.length, resealed, remaining]).toEqual([200, 250, undefined]);
    const rows = await site.runtime.core.store.all<{ sealed_value: string }>({
      text: "SELECT sealed_value FROM secrets",
    });
    expect(rows.map(({ sealed_value }) => dataKeyOf(sealed_value))).toEqual(Array(250).fill(id));
  }, 30_000);

  test("finds values that are stored behind its position meanwhile", async () => {
    site = await startSite();
    await fill(3);
    const { store } = site.runtime.core;
    const old = await store.get<{ sealed_value: string }>({
      text: "SELECT sealed_value FROM secrets WHERE folded_key = 'key_0'",
    });
    let hooks: Hooks | undefined;
    let restores = 3;
    const slow = await another({ openStore: pausedStore(() => hooks) });
    const operator = await site.runtime.identity.operator("default");
    hooks = {
      // A process that still has the old key stores a value again after each batch.
      after: async (number) => {
        if (number < 2 || restores-- <= 0) return;
        await store.write(function* () {
          yield {
            method: "run",
            text: "UPDATE secrets SET sealed_value = ? WHERE folded_key = 'key_0'",
            params: [old?.sealed_value ?? null],
          };
        });
      },
    };

    const first = await slow.rotation.rotateDataKey(operator);
    expect([first.resealed, first.remaining]).toEqual([6, undefined]);
    const rows = await store.all<{ sealed_value: string }>({ text: "SELECT sealed_value FROM secrets" });
    expect(new Set(rows.map(({ sealed_value }) => dataKeyOf(sealed_value)))).toEqual(new Set([first.id]));
  });

  test("keeps a retired key that a value uses again when the key is about to be deleted", async () => {
    let now = Date.now();
    site = await startSite({
      parts: { clock: { monotonic: () => performance.now(), now: () => now, sleep: (ms) => Bun.sleep(ms) } },
    });
    await fill(1);
    const { store, clock } = site.runtime.core;
    const old = await store.get<{ sealed_value: string }>({ text: "SELECT sealed_value FROM secrets" });
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.rotation.rotateDataKey(operator);
    now += 2 * 3600_000;
    let hooks: Hooks | undefined;
    const slow = await another({ openStore: pausedStore(() => hooks), clock });
    hooks = {
      // 1 creates the key, 2 seals the secret again, 3 deletes the retired key.
      before: async (number) => {
        if (number !== 3) return;
        await store.write(function* () {
          yield {
            method: "run",
            text: "UPDATE secrets SET sealed_value = ?",
            params: [old?.sealed_value ?? null],
          };
        });
      },
    };

    await slow.rotation.rotateDataKey(operator);

    expect(await values(await another(), 1)).toEqual(["value 0"]);
  });

  test("does not change values that cannot be opened, reports them, and re-encrypts all others", async () => {
    site = await startSite();
    const texts = await fill(450);
    const operator = await site.runtime.identity.operator("default");
    const { store } = site.runtime.core;
    const column = { table: "secrets", sealed: "sealed_value", key: "key", kind: "secrets" } as const;
    // More than one step re-encrypts.
    const damaged = Array.from({ length: 225 }, (_, index) => index * 2);
    for (const index of damaged) await damageSealed(store, column, `KEY_${index}`);

    const { id, resealed, unopenable } = await site.runtime.rotation.rotateDataKey(operator);

    expect([resealed, unopenable]).toEqual([450 - 225, 225]);
    const rows = await store.all<{ key: string; sealed_value: string }>({
      text: "SELECT key, sealed_value FROM secrets",
    });
    const anew = rows.filter(({ sealed_value }) => dataKeyOf(sealed_value) === id);
    expect(anew.length).toBe(225);
    expect(await site.runtime.secrets.value("default", "KEY_449")).toBe(texts[449]);
    await expect(site.runtime.secrets.value("default", "KEY_0")).rejects.toThrow(
      "(value of key_0 in secrets)",
    );
  }, 30_000);

  test("re-encrypts everything, which stays readable", async () => {
    site = await startSite({ chatOptions: { rotation: { expiresIn: 3600 } } });
    await site.addChatProvider();
    const agent = api(site.url, await site.key("run"));
    const started = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });
    await new Browser().consent(String(at(started.body, "url")), "alice");
    const pending = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "bob" });
    const texts = await fill(450);
    const operator = await site.runtime.identity.operator("default");

    const { id, resealed } = await site.runtime.rotation.rotateDataKey(operator);

    // 450 secrets, the client secret, the tokens and user info of alice, the address of bob's flow.
    expect(resealed).toBe(450 + 1 + 2 + 1);
    expect(await values(site.runtime, 450)).toEqual(texts);
    const rows = await site.runtime.core.store.all<{ sealed_value: string }>({
      text: "SELECT sealed_value FROM secrets",
    });
    expect(rows.every(({ sealed_value }) => sealed_value.startsWith(`v1.${id}.`))).toBe(true);
    const executed = await agent.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "alice" });
    expect(at(executed.body, "success")).toBe(true);
    await new Browser().consent(String(at(pending.body, "url")), "bob");
    const bob = await agent.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "bob" });
    expect(at(bob.body, "output.value.username")).toBe("bob");
  });

  test("keeps the old one as long as a value may need it", async () => {
    let now = Date.now();
    site = await startSite({ parts: { clock: { ...systemClock, now: () => now } } });
    await fill(3);
    const operator = await site.runtime.identity.operator("default");
    const keys = async () => (await site.runtime.core.keyring.retiredDataKeys("default")).length;

    await site.runtime.rotation.rotateDataKey(operator);
    expect(await keys()).toBe(1);
    now += 2 * 3600_000;
    await site.runtime.rotation.rotateDataKey(operator);
    expect(await keys()).toBe(1);
    expect(await values(site.runtime, 3)).toEqual(["value 0", "value 1", "value 2"]);
  });

  test("and a second one an hour later do not break a server with cached values", async () => {
    let now = Date.now();
    site = await startSite({
      chatOptions: { rotation: { expiresIn: 7 * 24 * 3600 } },
      parts: { clock: { ...systemClock, now: () => now } },
    });
    await site.addChatProvider();
    const agent = api(site.url, await site.key("run"));
    const started = await agent.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id: "alice" });
    await new Browser().consent(String(at(started.body, "url")), "alice");
    const execute = () => agent.post("/v1/tools/execute", { tool_name: "Chat.WhoAmI", user_id: "alice" });
    expect(at((await execute()).body, "success")).toBe(true);
    const before = await site.runtime.providers.find("default", "slack");
    const secretBefore =
      before === undefined ? undefined : (await site.runtime.providers.clientKeys(before)).secret;
    expect(secretBefore).toBeString();
    const second = await another();
    const operator = await second.identity.operator("default");

    await second.rotation.rotateDataKey(operator);
    now += 2 * 3600_000;
    // Deletes the original key.
    await site.runtime.rotation.rotateDataKey(operator);

    expect(at((await execute()).body, "success")).toBe(true);
    const provider = await site.runtime.providers.find("default", "slack");
    if (provider === undefined) throw new Error("the provider is gone");
    expect((await site.runtime.providers.clientKeys(provider)).secret).toBe(secretBefore);
  });

  test("of one project does not affect other projects", async () => {
    site = await startSite();
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.identity.createProject(operator, "other", "Other");
    await fill(2);
    const other = await site.runtime.identity.operator("other");
    await site.runtime.secrets.upsert(other, "KEY_0", { value: "of the other" });

    await site.runtime.rotation.rotateDataKey(other);

    expect(await values(site.runtime, 2)).toEqual(["value 0", "value 1"]);
    expect(await site.runtime.secrets.value("other", "KEY_0")).toBe("of the other");
    expect(await site.runtime.core.keyring.retiredDataKeys("default")).toEqual([]);
  });
});

describe("a new root key", () => {
  test("replaces the file; a running process reads, writes and creates projects as before", async () => {
    site = await startSite();
    const texts = await fill(20);
    const before = readFileSync(rootKeyFile(), "utf8");
    const other = await another();
    const operator = await site.runtime.identity.operator("default");

    const { id } = await other.rotation.rotateRoot(operator);

    expect(readFileSync(rootKeyFile(), "utf8")).not.toBe(before);
    expect(keyFiles().filter((name) => !name.endsWith(".old"))).toEqual(["root.key", `root.key.${id}`]);
    expect(await values(site.runtime, 20)).toEqual(texts);
    await site.runtime.identity.createProject(operator, "made-after", "Made after");
    const made = await site.runtime.identity.operator("made-after");
    await site.runtime.secrets.upsert(made, "KEY_0", { value: "written by the old process" });
    const third = await another();
    expect(third.core.keyring.rootKeyId).toBe(id);
    expect(await values(third, 20)).toEqual(texts);
    expect(await third.secrets.value("made-after", "KEY_0")).toBe("written by the old process");
  });

  test("that is killed after its commit is completed by the next start", async () => {
    site = await startSite();
    const texts = await fill(3);
    const old = readFileSync(rootKeyFile(), "utf8");
    const operator = await site.runtime.identity.operator("default");
    const { id } = await (await another()).rotation.rotateRoot(operator);
    // The state if the process dies between the commit and the renaming.
    const next = readFileSync(rootKeyFile(), "utf8");
    writeFileSync(rootKeyFile(), old);

    const started = await another();

    expect(started.core.keyring.rootKeyId).toBe(id);
    expect(await values(started, 3)).toEqual(texts);
    expect(readFileSync(rootKeyFile(), "utf8")).toBe(next);
  });

  test("by an earlier version that was killed after its commit is completed by the next start", async () => {
    site = await startSite();
    const texts = await fill(3);
    const old = readFileSync(rootKeyFile(), "utf8");
    const operator = await site.runtime.identity.operator("default");
    const { id } = await (await another()).rotation.rotateRoot(operator);
    renameSync(`${rootKeyFile()}.${id}`, `${rootKeyFile()}.next`);
    writeFileSync(rootKeyFile(), old);

    const started = await another();

    expect(started.core.keyring.rootKeyId).toBe(id);
    expect(await values(started, 3)).toEqual(texts);
    await started.rotation.rotateRoot(operator);
    expect(existsSync(`${rootKeyFile()}.next`)).toBe(false);
  });

  test("after a killed one leaves no files behind, although a running process only has the old key", async () => {
    site = await startSite();
    const texts = await fill(3);
    const old = readFileSync(rootKeyFile(), "utf8");
    const operator = await site.runtime.identity.operator("default");
    await (await another()).rotation.rotateRoot(operator);
    // The state if the process dies between the commit and the renaming.
    writeFileSync(rootKeyFile(), old);

    const { id, damaged } = await site.runtime.rotation.rotateRoot(operator, { leaveDamaged: true });

    expect(damaged).toBeUndefined();
    expect(keyFiles().filter((name) => !name.endsWith(".old"))).toEqual(["root.key", `root.key.${id}`]);
    expect(await values(site.runtime, 3)).toEqual(texts);
    expect(await values(await another(), 3)).toEqual(texts);
  });

  test("that is killed before its commit keeps the key of an earlier one that was killed after its commit", async () => {
    site = await startSite();
    const texts = await fill(3);
    const old = readFileSync(rootKeyFile(), "utf8");
    const operator = await site.runtime.identity.operator("default");
    let files: string[] | undefined;
    // It cannot commit after it has written its key.
    const killed = (): boolean => files !== undefined && keyFiles().length > files.length;
    const knowsTheOld = await another({ openStore: breakableStore(killed) });
    const { id } = await (await another()).rotation.rotateRoot(operator);
    // The state if the process dies between the commit and the renaming.
    writeFileSync(rootKeyFile(), old);
    files = keyFiles();

    await expect(knowsTheOld.rotation.rotateRoot(operator)).rejects.toThrow();

    const started = await another();
    expect(started.core.keyring.rootKeyId).toBe(id);
    expect(await values(started, 3)).toEqual(texts);
  });

  test("that is killed before its commit keeps the old key valid", async () => {
    site = await startSite();
    const texts = await fill(3);
    writeFileSync(`${rootKeyFile()}.next`, `${Buffer.alloc(32, 7).toString("base64")}\n`);

    expect(await values(await another(), 3)).toEqual(texts);
    rmSync(`${rootKeyFile()}.next`);
  });

  describe("with damaged data keys", () => {
    const keys = { table: "data_keys", sealed: "wrapped", key: "project_id", kind: "data_keys" } as const;

    /** Two projects, each with a secret; the data key of `broken` is damaged. */
    async function damagedSite(): Promise<{ operator: Principal; broken: Principal }> {
      site = await startSite();
      const operator = await site.runtime.identity.operator("default");
      await site.runtime.identity.createProject(operator, "broken", "Broken");
      const broken = await site.runtime.identity.operator("broken");
      await fill(3);
      await site.runtime.secrets.upsert(broken, "KEY_0", { value: "lost" });
      await damageSealed(site.runtime.core.store, keys, "broken");
      return { operator, broken };
    }

    test("is refused with their names, and changes nothing", async () => {
      const { operator } = await damagedSite();
      const before = readFileSync(rootKeyFile(), "utf8");

      const refused = await site.runtime.rotation.rotateRoot(operator).catch((error: unknown) => error);

      expect(refused).toHaveProperty("name", "conflict");
      expect(String(refused)).toMatch(/dk_\w+ of project broken\. Nothing was changed\..* --leave-damaged/);
      expect(readFileSync(rootKeyFile(), "utf8")).toBe(before);
      expect(keyFiles()).toEqual(["root.key"]);
      expect(await values(await another(), 3)).toEqual(["value 0", "value 1", "value 2"]);
    });

    test("skips them if requested; the others work, and so does their project with a new data key", async () => {
      const { operator, broken } = await damagedSite();

      const { id, damaged } = await site.runtime.rotation.rotateRoot(operator, { leaveDamaged: true });

      expect(damaged).toBe(1);
      const said = site.logLines.filter((line) =>
        line.includes("a data key was not wrapped with the new root key"),
      );
      expect(said.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({
          level: "error",
          project_id: "broken",
          data_key: expect.stringMatching(/^dk_/),
        }),
      ]);
      const third = await another();
      expect(third.core.keyring.rootKeyId).toBe(id);
      for (const runtime of [site.runtime, third]) {
        expect(await values(runtime, 3)).toEqual(["value 0", "value 1", "value 2"]);
        await expect(runtime.secrets.value("broken", "KEY_0")).rejects.toThrow("(value of key_0 in secrets)");
      }
      expect(await third.rotation.rotateDataKey(broken)).toMatchObject({ resealed: 0, unopenable: 1 });
      await third.secrets.upsert(broken, "KEY_0", { value: "set anew" });
      expect(await site.runtime.secrets.value("broken", "KEY_0")).toBe("set anew");
      // The damaged key still exists and does not prevent further rotations that skip it.
      expect(await third.rotation.rotateRoot(operator, { leaveDamaged: true })).toMatchObject({ damaged: 1 });
      expect(await (await another()).secrets.value("broken", "KEY_0")).toBe("set anew");
    });
  });

  test("of the environment is refused, with an error that says what to do", async () => {
    const RUNTIME_ROOT_KEY = Buffer.alloc(32, 3).toString("base64");
    site = await startSite({ environment: { RUNTIME_ROOT_KEY } });
    const operator = await site.runtime.identity.operator("default");

    const refused = await site.runtime.rotation.rotateRoot(operator).catch((error: unknown) => error);

    expect(refused).toHaveProperty("name", "configuration");
    expect(String(refused)).toContain("RUNTIME_ROOT_KEY_FILE");
  });
});
