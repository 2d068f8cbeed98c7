// Stored secrets: values are write-only; tools read them by key.
import { describe, expect, test } from "bun:test";
import { query } from "../../src/store";
import { refusal, times, until } from "../connections/executing";
import { agent, deploy, type Deployment, operator } from "../tools/deployment";
import { testOnSqlite } from "../support/on-sqlite";

const VALUE = "planted-value";
const AUDITED = query<{ action: string; actor: string; target: string; details: string | null }>(
  "SELECT action, actor, target, details FROM audit WHERE action LIKE 'secret.%' ORDER BY number",
);

function upsert(
  { runtime }: Deployment,
  key: string,
  value = VALUE,
  description?: string,
  project = "default",
) {
  return runtime.secrets.upsert(operator(project), key, {
    value,
    ...(description === undefined ? {} : { description }),
  });
}

describe("a secret", () => {
  test("is returned without its value", async () => {
    await using deployment = await deploy();
    const stored = await upsert(deployment, "API_word", VALUE, "what it is for");

    expect(stored).toEqual({
      id: stored.id,
      key: "API_word",
      description: "what it is for",
      binding: { id: "default", type: "project" },
      created_at: stored.created_at,
      updated_at: stored.created_at,
    });
    expect(stored.id).toStartWith("sec_");
    expect((await deployment.runtime.secrets.list(operator())).items).toEqual([stored]);
  });

  test.each<[string, string]>([
    ["text", "open sesame"],
    ["letters of all kinds", "Ünïcode ✓ 🔑"],
    ["nothing", ""],
    ["line ends, as they were sent", "line\nsecond\r\n"],
    ["5000 characters", "x".repeat(5000)],
  ])("of %s is passed to tools unchanged", async (_name, value) => {
    await using deployment = await deploy();
    await upsert(deployment, "WORD", value);

    expect(await deployment.runtime.secrets.value("default", "WORD")).toBe(value);
  });

  testOnSqlite("is not in any file in plain text, and not in the log", async () => {
    await using deployment = await deploy();
    await upsert(deployment, "WORD");
    await deployment.runtime.secrets.value("default", "WORD");
    const files = [...new Bun.Glob("**/*.db*").scanSync({ cwd: deployment.folder, dot: true })];
    const texts = await Promise.all(files.map((file) => Bun.file(`${deployment.folder}/${file}`).text()));

    expect(texts.join("\n")).toContain("WORD");
    expect(texts.join("\n") + deployment.logLines.join("\n")).not.toContain(VALUE);
  });
});

describe("a secret whose key exists already", () => {
  test.each(["WORD", "word", "Word"])(
    "written as %s replaces the value and keeps id, key and date",
    async (again) => {
      await using deployment = await deploy();
      const { runtime, clock } = deployment;
      const first = await upsert(deployment, "Word", "first", "what it is for");
      clock.move(5000);
      const second = await upsert(deployment, again, "second");
      const { updated_at, ...kept } = second;

      expect(kept).toMatchObject({
        id: first.id,
        key: "Word",
        description: "what it is for",
        created_at: first.created_at,
      });
      expect(updated_at > first.updated_at).toBe(true);
      expect(await runtime.secrets.value("default", "wORD")).toBe("second");
      expect((await runtime.secrets.list(operator())).total_count).toBe(1);
    },
  );

  test("can get a new description", async () => {
    await using deployment = await deploy();
    await upsert(deployment, "WORD", "first", "old words");

    expect(await upsert(deployment, "WORD", "second", "new words")).toMatchObject({
      description: "new words",
    });
  });

  test("is a single secret after ten concurrent writes in two processes", async () => {
    await using deployment = await deploy();
    const other = await deployment.another();
    const writes = await times(10, (index) =>
      upsert(index % 2 === 0 ? deployment : { ...deployment, runtime: other }, "WORD", `value ${index}`),
    );

    expect(new Set(writes.map(({ id }) => id)).size).toBe(1);
    expect(await deployment.runtime.secrets.value("default", "WORD")).toMatch(/^value \d$/);
  });
});

describe("a deleted secret", () => {
  test.each<[string, (id: string) => string]>([
    ["by id", (id) => id],
    ["by key", () => "WORD"],
    ["by key in another case", () => "word"],
  ])("%s is no longer available to tools", async (_name, name) => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const { id } = await upsert(deployment, "WORD");
    await runtime.secrets.delete(operator(), name(id));

    expect(await runtime.secrets.value("default", "WORD")).toBeUndefined();
    expect(await runtime.secrets.exists("default", "WORD")).toBe(false);
    expect((await runtime.secrets.list(operator())).items).toEqual([]);
  });

  test("gets a new id if it is created again", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const { id } = await upsert(deployment, "WORD", "first");
    await runtime.secrets.delete(operator(), id);
    const again = await upsert(deployment, "word", "second");

    expect(again.id).not.toBe(id);
    expect(again.key).toBe("word");
    expect(await runtime.secrets.value("default", "WORD")).toBe("second");
  });

  test("is found by id before a secret with that text as key", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const { id } = await upsert(deployment, "FIRST");
    await upsert(deployment, id);
    await runtime.secrets.delete(operator(), id);

    expect((await runtime.secrets.list(operator())).items.map(({ key }) => key)).toEqual([id]);
  });

  test.each(["none", "sec_none", ""])("that does not exist (%p) is not found", async (name) => {
    await using deployment = await deploy();
    await upsert(deployment, "WORD");

    expect((await refusal(deployment.runtime.secrets.delete(operator(), name))).status).toBe(404);
  });
});

describe("of another project", () => {
  async function twoProjects(): Promise<Deployment & { id: string }> {
    const deployment = await deploy();
    await deployment.runtime.identity.createProject(operator(), "second", "second");
    const { id } = await upsert(deployment, "WORD", "of the first");
    return { ...deployment, id };
  }

  test("a secret cannot be read, listed or deleted", async () => {
    await using deployment = await twoProjects();
    const { secrets } = deployment.runtime;

    expect(await secrets.value("second", "WORD")).toBeUndefined();
    expect(await secrets.exists("second", "WORD")).toBe(false);
    expect((await secrets.list(operator("second"))).items).toEqual([]);
    for (const name of [deployment.id, "WORD"]) {
      expect((await refusal(secrets.delete(operator("second"), name))).status).toBe(404);
    }
    expect(await secrets.value("default", "WORD")).toBe("of the first");
  });

  test("a secret with the same key is independent", async () => {
    await using deployment = await twoProjects();
    const { secrets } = deployment.runtime;
    await upsert(deployment, "WORD", "of the second", undefined, "second");
    await secrets.delete(operator("second"), "WORD");

    expect(await secrets.value("default", "WORD")).toBe("of the first");
  });

  test("a secret cannot be decrypted, even if its row is moved", async () => {
    await using deployment = await twoProjects();
    const { store } = deployment.runtime.core;
    const move = query("UPDATE secrets SET project_id = 'second' WHERE key = 'WORD'");
    await store.write(function* () {
      yield { method: "run", text: move.text, params: [] };
    });

    await expect(deployment.runtime.secrets.value("second", "WORD")).rejects.toThrow("data key");
  });
});

test("a change by another process is visible immediately", async () => {
  await using deployment = await deploy();
  const other = await deployment.another();
  await upsert(deployment, "WORD", "first");
  const first = await other.secrets.value("default", "WORD");
  await upsert(deployment, "WORD", "second");
  const second = await other.secrets.value("default", "WORD");
  await deployment.runtime.secrets.delete(operator(), "WORD");

  expect([first, second, await other.secrets.value("default", "WORD")]).toEqual([
    "first",
    "second",
    undefined,
  ]);
});

test("the time of last access is set by tools, not by lists", async () => {
  await using deployment = await deploy();
  const { runtime } = deployment;
  await upsert(deployment, "WORD");
  await runtime.secrets.exists("default", "WORD");
  const accessed = async () => (await runtime.secrets.list(operator())).items[0]?.last_accessed_at;
  const before = await accessed();
  await runtime.secrets.value("default", "WORD");

  expect(before).toBeUndefined();
  await until(async () => (await accessed()) !== undefined);
});

test("every write is audited, without the value", async () => {
  await using deployment = await deploy();
  const { runtime } = deployment;
  await runtime.secrets.upsert(agent(null, "default", "key_1"), "Word", { value: VALUE });
  await upsert(deployment, "WORD");
  await runtime.secrets.delete(operator(), "word");
  const rows = await runtime.core.store.all(AUDITED);

  expect(rows).toEqual([
    {
      action: "secret.upsert",
      actor: "key:key_1",
      target: "Word",
      details: '{"secrets":["value"],"after":{"description":null}}',
    },
    { action: "secret.upsert", actor: "operator", target: "Word", details: '{"secrets":["value"]}' },
    {
      action: "secret.delete",
      actor: "operator",
      target: "Word",
      details: '{"before":{"description":null}}',
    },
  ]);
});
