// Scheduled runs: done once, at their time, by whichever server is there; and what becomes of those that are cut off.
import { describe, expect, test } from "bun:test";
import {
  badInput,
  networkUnreachable,
  outcomeUnknown,
  retryableInput,
  upstreamRateLimited,
} from "../../../src/tools";
import { until } from "../../connections/executing";
import type { RuntimeParts } from "../../../src/open-core";
import { openLateStore } from "../../support/late-store";
import { agent, deploy, operator, pass } from "../deployment";
import { AT_ONCE, ended, look, looked, schedule } from "./scheduling";
import { testOnSqlite } from "../../support/on-sqlite";

/** Longer than a lease is watched. */
const LAPSED_MS = 20_000;

describe("a run", () => {
  test("runs at its time and not before, with its input and its ids", async () => {
    await using deployment = await deploy();
    const { runtime, clock, test: catalog } = deployment;
    catalog.act = async (input) => ({ told: input["text"] });
    const worker = runtime.tools.startWorker();
    const at = new Date(clock.now() + 3600_000).toISOString();
    const id = await schedule(runtime, { input: { text: "hello" }, at });
    await looked(clock);
    expect([catalog.runs, (await look(runtime, id)).execution_status]).toEqual([0, "pending"]);
    clock.move(3600_000);
    const run = await ended(runtime, id);
    await worker.stop();

    expect(run).toMatchObject({
      id,
      tool_name: "Act",
      toolkit_name: "Test",
      toolkit_version: "1.2.3",
      user_id: "alice",
      execution_type: "scheduled",
      execution_status: "completed",
      run_at: `${at.slice(0, 19)}Z`,
      input: { text: "hello" },
      attempts: [{ success: true, output: { value: { told: "hello" } } }],
    });
    expect(catalog.runs).toBe(1);
  });

  test("waits for a server, also after a restart", async () => {
    await using deployment = await deploy();
    const id = await schedule(deployment.runtime);
    await deployment.runtime.close();
    const next = await deployment.another();
    const worker = next.tools.startWorker();

    expect((await ended(next, id)).execution_status).toBe("completed");
    await worker.stop();
    expect(deployment.test.runs).toBe(1);
  });

  test.each<[string, RuntimeParts]>([
    ["two servers", {}],
    ["two servers whose database answers later", { openStore: openLateStore }],
  ])("is done once by %s, 60 of them by 60", async (_which, parts) => {
    await using deployment = await deploy({ parts });
    const { runtime, test: catalog } = deployment;
    const seen: unknown[] = [];
    catalog.act = async (input) => {
      seen.push(input["text"]);
      await Bun.sleep(5);
    };
    const texts = Array.from({ length: 60 }, (_, index) => `run ${index}`);
    const ids = await Promise.all(texts.map((text) => schedule(runtime, { input: { text } })));
    const other = await deployment.another();
    const workers = [runtime.tools.startWorker(), other.tools.startWorker()];
    await Promise.all(ids.map((id) => ended(runtime, id)));
    await Promise.all(workers.map((worker) => worker.stop()));

    expect(seen.map(String).toSorted()).toEqual(texts.toSorted());
  });

  test("of a tool that fails ends as failed, with the error of the tool", async () => {
    await using deployment = await deploy();
    const { runtime, test: catalog } = deployment;
    catalog.act = async () => Promise.reject(badInput("not so"));
    const worker = runtime.tools.startWorker();
    const run = await ended(runtime, await schedule(runtime));
    await worker.stop();

    expect(run.execution_status).toBe("failed");
    expect(run.attempts).toHaveLength(1);
    expect(run.attempts[0]?.output?.error?.kind).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
  });

  test("is finished by a server that stops, which claims no other", async () => {
    await using deployment = await deploy();
    const { runtime, test: catalog } = deployment;
    const done = Promise.withResolvers<void>();
    catalog.act = () => done.promise;
    const worker = runtime.tools.startWorker();
    const first = await schedule(runtime);
    await until(async () => catalog.runs === 1);
    const stopped = worker.stop();
    const second = await schedule(runtime);
    done.resolve();
    await stopped;

    expect((await look(runtime, first)).execution_status).toBe("completed");
    expect((await look(runtime, second)).execution_status).toBe("pending");
  });
});

describe("what is missing", () => {
  test("is reported at once, and nothing is stored", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    const asked = schedule(deployment.runtime, { tool: "Test.ActFor" });

    expect(await asked.catch((error: unknown) => error)).toMatchObject({
      name: "tool_requirements_not_met",
      status: 403,
    });
    expect((await deployment.runtime.tools.scheduled.list(operator(), {})).total_count).toBe(0);
  });

  test("in its input is a failed answer, and nothing is stored", async () => {
    await using deployment = await deploy();
    const request = { tool_name: "Test.Act", user_id: "alice", input: { txt: "x" }, run_at: AT_ONCE };
    const answer = await deployment.runtime.tools.execute(operator(), request);

    expect(answer).toMatchObject({ execution_type: "scheduled", status: "failed", success: false });
    expect(answer.output?.error?.message).toContain('Did you mean "text"?');
    expect((await deployment.runtime.tools.scheduled.list(operator(), {})).total_count).toBe(0);
  });

  test("at the time of the run ends it: no tool runs without a grant", async () => {
    await using deployment = await deploy();
    const { runtime, test: catalog } = deployment;
    await deployment.addProvider();
    const connection = await deployment.give("alice");
    const id = await schedule(runtime, { tool: "Test.ActFor" });
    await runtime.connections.delete(operator(), connection);
    const worker = runtime.tools.startWorker();
    const run = await ended(runtime, id);
    await worker.stop();

    expect(run.attempts[0]?.output?.error).toMatchObject({
      kind: "TOOL_REQUIREMENTS_NOT_MET",
      can_retry: false,
      status_code: 403,
    });
    expect(catalog.runs).toBe(0);
  });

  test.each(["revoked", "expired"])("if the key that scheduled it was %s: nothing runs", async (how) => {
    await using deployment = await deploy();
    const { runtime, clock, test: catalog } = deployment;
    const key = await runtime.identity.createKey(operator(), {
      name: "agent",
      role: "run",
      ...(how === "expired" ? { expires_at: new Date(clock.now() + 1000).toISOString() } : {}),
    });
    const principal = agent(null, "default", key.id);
    const [kept] = await Promise.all([schedule(runtime), schedule(runtime, { principal })]);
    const id = (await runtime.tools.scheduled.list(operator(), {})).items.find((run) => run.id !== kept)?.id;
    if (how === "revoked") await runtime.identity.deleteKey(operator(), key.id);
    else clock.move(2000);
    const worker = runtime.tools.startWorker();
    const run = await ended(runtime, id ?? "");
    await ended(runtime, kept);
    await worker.stop();

    expect(run.execution_status).toBe("failed");
    expect(run.attempts[0]?.system_error_message).toContain("revoked or has expired");
    expect(catalog.runs).toBe(1);
  });
});

describe("a transient failure", () => {
  test("is retried up to three attempts with pauses, with one id", async () => {
    await using deployment = await deploy();
    const { runtime, clock, test: catalog } = deployment;
    catalog.act = async () => Promise.reject(networkUnreachable("nobody there"));
    const worker = runtime.tools.startWorker();
    const id = await schedule(runtime);
    await until(async () => (await look(runtime, id)).attempts[0]?.finished_at !== undefined);
    expect((await look(runtime, id)).execution_status).toBe("running");
    await looked(clock);
    expect(catalog.runs).toBe(1);
    clock.move(10_000);
    await until(async () => (await look(runtime, id)).attempts[1]?.finished_at !== undefined);
    clock.move(60_000);
    const run = await ended(runtime, id);
    clock.move(3600_000);
    await looked(clock);
    await worker.stop();

    expect(run.execution_status).toBe("failed");
    expect(run.attempts.map(({ success }) => success)).toEqual([false, false, false]);
    expect(catalog.runs).toBe(3);
  });

  test("is retried after its pause when the clock is set back", async () => {
    await using deployment = await deploy();
    const { runtime, clock, test: catalog } = deployment;
    catalog.act = async () =>
      catalog.runs === 1 ? Promise.reject(networkUnreachable("away")) : { done: true };
    const worker = runtime.tools.startWorker();
    const id = await schedule(runtime);
    await until(async () => (await look(runtime, id)).attempts[0]?.finished_at !== undefined);
    clock.jump(-24 * 3600_000);
    await looked(clock);
    clock.move(9000);
    await looked(clock);
    expect(catalog.runs).toBe(1);
    clock.move(1000);
    const run = await ended(runtime, id);
    await worker.stop();

    expect(run.attempts.map(({ success }) => success)).toEqual([false, true]);
  });

  test("ends with the attempt that succeeds, not before the time that the platform requests", async () => {
    await using deployment = await deploy();
    const { runtime, clock, test: catalog } = deployment;
    catalog.act = async () =>
      catalog.runs === 1
        ? Promise.reject(upstreamRateLimited("slower", { retryAfterMs: 120_000 }))
        : { done: true };
    const worker = runtime.tools.startWorker();
    const id = await schedule(runtime);
    await until(async () => (await look(runtime, id)).attempts[0]?.finished_at !== undefined);
    clock.move(60_000);
    await looked(clock);
    expect(catalog.runs).toBe(1);
    clock.move(60_000);
    const run = await ended(runtime, id);
    await worker.stop();

    expect(run.attempts.map(({ success }) => success)).toEqual([false, true]);
    expect(run.execution_status).toBe("completed");
  });

  test.each([
    ["with an unknown outcome", outcomeUnknown(networkUnreachable("cut"))],
    ["that another input would mend", retryableInput("say it otherwise")],
  ])("but one %s is not retried", async (_which, error) => {
    await using deployment = await deploy();
    const { runtime, clock, test: catalog } = deployment;
    catalog.act = async () => Promise.reject(error);
    const worker = runtime.tools.startWorker();
    const run = await ended(runtime, await schedule(runtime));
    clock.move(3600_000);
    await looked(clock);
    await worker.stop();

    expect([run.execution_status, run.attempts.length, catalog.runs]).toEqual(["failed", 1, 1]);
  });
});

describe("a run whose server died", () => {
  /** A server that has begun the run and never ends it, and another one after its lease has run out. */
  async function cutOff(tool: string) {
    const deployment = await deploy();
    const { runtime, clock, test: catalog } = deployment;
    const stuck = Promise.withResolvers<unknown>();
    catalog.act = () => (catalog.runs === 1 ? stuck.promise : Promise.resolve({ run: catalog.runs }));
    const first = runtime.tools.startWorker();
    const id = await schedule(runtime, { tool });
    await until(async () => catalog.runs === 1);
    const second = (await deployment.another()).tools.startWorker();
    // Three pauses of two workers: each has looked.
    await looked(clock, 3);
    expect((await look(runtime, id)).execution_status).toBe("running");
    await pass(clock, LAPSED_MS);
    const run = await ended(runtime, id);
    return {
      deployment,
      id,
      run,
      /** The first one lives after all, and comes to its end. */
      async release() {
        stuck.resolve({ run: "late" });
        await Promise.all([first.stop(), second.stop()]);
      },
    };
  }

  test("and that only reads is repeated", async () => {
    const { deployment, run, release } = await cutOff("Test.Look");
    await release();

    expect(run.execution_status).toBe("completed");
    expect(run.attempts).toMatchObject([
      { success: false, system_error_message: "The server was stopped while the tool ran." },
      { success: true, output: { value: { run: 2 } } },
    ]);
    await deployment[Symbol.asyncDispose]();
  });

  test("and that must not be repeated ends as failed with an unknown outcome", async () => {
    const { deployment, id, run, release } = await cutOff("Test.Act");
    const { runtime, clock, test: catalog } = deployment;
    clock.move(3600_000);
    await looked(clock, 3);
    await release();

    expect(run.execution_status).toBe("failed");
    expect(run.attempts).toHaveLength(1);
    expect(run.attempts[0]?.system_error_message).toContain("Whether it was done is unknown");
    expect(run.attempts[0]?.output?.error).toMatchObject({ can_retry: false, extra: { outcome: "unknown" } });
    expect(catalog.runs).toBe(1);
    // What the first one found out came too late: somebody may have acted on the answer by now.
    expect(await look(runtime, id)).toEqual(run);
    // The log has both.
    const statuses = async () => {
      const { items } = await runtime.trail.executions(operator(), { limit: 100 });
      return items.map(({ status }) => status).toSorted();
    };
    await until(async () => (await statuses()).length === 2);
    expect(await statuses()).toEqual(["completed", "failed"]);
    await deployment[Symbol.asyncDispose]();
  });
});

testOnSqlite("inputs and outputs of runs are encrypted, also with a new data key", async () => {
  await using deployment = await deploy();
  const { runtime, test: catalog } = deployment;
  catalog.act = async () => ({ found: "CANARY-OUT" });
  const worker = runtime.tools.startWorker();
  const id = await schedule(runtime, { input: { text: "CANARY-IN" } });
  await ended(runtime, id);
  await worker.stop();
  const before = await look(runtime, id);
  const { resealed } = await runtime.rotation.rotateDataKey(operator());

  expect(resealed).toBe(2);
  expect(await look(runtime, id)).toEqual(before);
  expect(JSON.stringify(before)).toContain("CANARY-OUT");
  const files = [...new Bun.Glob("**/*.db*").scanSync({ cwd: deployment.folder, dot: true })];
  expect(files.length).toBeGreaterThan(0);
  for (const file of files)
    expect(await Bun.file(`${deployment.folder}/${file}`).text()).not.toContain("CANARY");
  expect(deployment.logLines.join("\n")).not.toContain("CANARY");
});
