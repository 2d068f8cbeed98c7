// `Idempotency-Key` when something of ours breaks: what was done stays done and is not done again.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { openKeyring } from "../../src/crypto";
import { unavailable } from "../../src/errors";
import { GrantDead } from "../../src/tools";
import { agent, deploy, type Deployment } from "./deployment";
import { testOnSqlite } from "../support/on-sqlite";

function run({ runtime }: Deployment, tool_name = "Test.Act") {
  const request = { tool_name, user_id: "alice", input: { text: "planted-message" } };
  return runtime.tools.execute(agent(), request, { idempotencyKey: "key-1" });
}

const UNKNOWN = { success: false, output: { error: { can_retry: false, extra: { outcome: "unknown" } } } };

test("an answer that cannot be stored still goes to the first caller; a repetition runs nothing", async () => {
  await using deployment = await deploy({
    parts: {
      openKeyring: async (options) => {
        const ring = await openKeyring(options);
        const seal = ring.seal.bind(ring);
        ring.seal = (projectId, place, text) =>
          place.table === "idempotency" ? Promise.reject(new Error("broken")) : seal(projectId, place, text);
        return ring;
      },
    },
  });

  expect((await run(deployment)).output?.value).toEqual({ done: true });
  expect(await run(deployment)).toMatchObject(UNKNOWN);
  expect(deployment.test.runs).toBe(1);
  expect(deployment.logLines.join("\n")).toContain("answer not remembered");
});

test("an internal error after the tool ran is an error; a repetition runs nothing", async () => {
  await using deployment = await deploy();
  const { store } = deployment.runtime.core;
  await deployment.addProvider();
  await deployment.give("alice", { refresh: null });
  const write = store.write.bind(store);
  deployment.test.act = async () => {
    store.write = () => {
      store.write = write;
      return Promise.reject(new Error("the disk is full"));
    };
    throw new GrantDead("HTTP 401");
  };

  await expect(run(deployment, "Test.ActFor")).rejects.toThrow("the disk is full");
  expect(await run(deployment, "Test.ActFor")).toMatchObject(UNKNOWN);
  expect(deployment.test.runs).toBe(1);
});

describe("a tool that has run, under a locked database,", () => {
  /** The tool runs, and then `failures` writes fail before the store works again. */
  async function locked(failures: number, result: () => Promise<unknown>) {
    const deployment = await deploy();
    const { store } = deployment.runtime.core;
    await deployment.addProvider();
    await deployment.give("alice", { refresh: null });
    const write = store.write.bind(store);
    let left = 0;
    store.write = (body) =>
      left-- > 0 ? Promise.reject(unavailable("The database is locked.")) : write(body);
    deployment.test.act = () => {
      left = failures;
      return result();
    };
    return deployment;
  }

  test.each([1, 2, 4])(
    "is not run again after its grant was refused and %p writes failed",
    async (failures) => {
      await using deployment = await locked(failures, () => Promise.reject(new GrantDead("HTTP 401")));

      await expect(run(deployment, "Test.ActFor")).rejects.toThrow("locked");
      expect(await run(deployment, "Test.ActFor")).toMatchObject(UNKNOWN);
      const other = await deployment.another();
      expect(await run({ ...deployment, runtime: other }, "Test.ActFor")).toMatchObject(UNKNOWN);
      expect(deployment.test.runs).toBe(1);
    },
  );

  test("has its answer stored later, and gives it to repeats until then", async () => {
    await using deployment = await locked(4, () => Promise.resolve({ sent: 1 }));
    const first = await run(deployment, "Test.ActFor");

    expect(first).toMatchObject({ success: true, output: { value: { sent: 1 } } });
    expect(await run(deployment, "Test.ActFor")).toEqual(first);
    const other = await deployment.another();
    expect(await run({ ...deployment, runtime: other }, "Test.ActFor")).toEqual(first);
    expect(deployment.test.runs).toBe(1);
  });
});

testOnSqlite("answers, inputs and keys are in no file in clear text", async () => {
  await using deployment = await deploy();
  deployment.test.act = async (input) => ({ secret: `planted-answer to ${String(input["text"])}` });
  await run(deployment);
  const files = [...new Bun.Glob("**/*.db*").scanSync({ cwd: deployment.folder, dot: true })];
  const texts = await Promise.all(files.map((file) => Bun.file(`${deployment.folder}/${file}`).text()));

  expect(files.length).toBeGreaterThanOrEqual(4);
  for (const planted of ["planted-", "key-1"]) expect(texts.join("\n")).not.toContain(planted);
  expect(texts.join("\n")).toContain("tool-execute");
});

testOnSqlite("an answer that was changed in the file is not returned", async () => {
  await using deployment = await deploy();
  await run(deployment);
  const database = new Database(`${deployment.folder}/.local/share/runtime/runtime.db`);
  database.run(
    "UPDATE idempotency SET sealed_answer = substr(sealed_answer, 1, length(sealed_answer) - 8) || 'AAAAAAAA'",
  );
  database.close();

  await expect(run(deployment)).rejects.toThrow("cannot be opened");
  expect(deployment.test.runs).toBe(1);
});

testOnSqlite("expired rows are removed when new ones are added", async () => {
  await using deployment = await deploy();
  const { runtime, clock, folder } = deployment;
  for (let number = 0; number < 5; number++) {
    const request = { tool_name: "Test.Echo", user_id: "alice" };
    await runtime.tools.execute(agent(), request, { idempotencyKey: `old-${number}` });
  }
  clock.move(11 * 60_000);
  await run(deployment);
  const database = new Database(`${folder}/.local/share/runtime/runtime.db`, { readonly: true });
  const row = database.query<{ count: number }, []>("SELECT COUNT(*) AS count FROM idempotency").get();
  database.close();

  expect(row).toEqual({ count: 1 });
});
