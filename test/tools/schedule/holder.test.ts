// Scheduled runs whose holder is frozen, cannot write, or lives under a clock that jumps.
import { describe, expect, test } from "bun:test";
import { until } from "../../connections/executing";
import { query } from "../../../src/store";
import type { Runtime } from "../../../src/runtime";
import { agent, deploy, type Deployment, MovableClock, operator, pass } from "../deployment";
import { callPlatform } from "../catalog";
import { ended, look, looked, schedule } from "./scheduling";

const DAY = 24 * 3600_000;

/** A server that runs `Test.Act` until it is released, and another one that watches. */
async function busy(tool = "Test.Act") {
  const deployment = await deploy();
  const { runtime, test: catalog } = deployment;
  const result = Promise.withResolvers<unknown>();
  catalog.act = () => result.promise;
  const first = runtime.tools.startWorker();
  const id = await schedule(runtime, { tool });
  await until(() => catalog.runs === 1);
  const other = await deployment.another();
  const second = other.tools.startWorker();
  const stop = async (): Promise<void> => {
    await Promise.all([first.stop(), second.stop()]);
  };
  return { deployment, id, finish: result.resolve, stop };
}

describe("a run on another server", () => {
  test.each([
    ["forward by 20 s", 20_000],
    ["forward by a day", DAY],
    ["back by a day", -DAY],
  ])("is not given up because the clock is set %s", async (_how, ms) => {
    const { deployment, id, finish, stop } = await busy();
    await using _ = deployment;
    deployment.clock.jump(ms);
    await looked(deployment.clock, 6);
    expect((await look(deployment.runtime, id)).execution_status).toBe("running");
    finish({ done: true });
    const run = await ended(deployment.runtime, id);
    await stop();

    expect(run).toMatchObject({ execution_status: "completed", attempts: [{ success: true }] });
    expect(deployment.test.runs).toBe(1);
  });

  test("that was begun under a clock far ahead is given up by one that has run for long", async () => {
    await using deployment = await deploy();
    const { runtime, clock, test: catalog } = deployment;
    const second = runtime.tools.startWorker();
    await pass(clock, 40_000);
    const result = Promise.withResolvers<unknown>();
    catalog.act = () => result.promise;
    const ahead = new MovableClock();
    ahead.jump(100 * DAY);
    const first = (await deployment.another({ clock: ahead })).tools.startWorker();
    // Its time has come by the clock of the first server only.
    const id = await schedule(runtime, { at: new Date(clock.now() + 2 * DAY).toISOString() });
    await until(() => catalog.runs === 1);
    await pass(clock, 20_000);
    const run = await ended(runtime, id);
    result.resolve("late");
    await Promise.all([first.stop(), second.stop()]);

    expect(run.attempts[0]?.system_error_message).toContain("Whether it was done is unknown");
  });

  test("that died before the clock was set back is given up after the watch", async () => {
    const { deployment, id, finish, stop } = await busy();
    await using _ = deployment;
    deployment.clock.jump(-DAY);
    await pass(deployment.clock, 20_000);
    const run = await ended(deployment.runtime, id);
    finish("late");
    await stop();

    expect(run.attempts[0]?.system_error_message).toContain("Whether it was done is unknown");
  });
});

describe("a holder that was frozen while another server gave its run up", () => {
  /** Stops in `frozen` until the other server has ended the run. */
  async function frozen(deployment: Deployment, id: string): Promise<void> {
    const other = await deployment.another();
    const worker = other.tools.startWorker();
    await pass(deployment.clock, 20_000);
    await ended(other, id);
    await worker.stop();
  }

  test("before the tool began does not begin it", async () => {
    await using deployment = await deploy();
    const { runtime, test: catalog } = deployment;
    const reached = Promise.withResolvers<void>();
    const woken = Promise.withResolvers<void>();
    const { keyring } = runtime.core;
    const open = keyring.open.bind(keyring);
    keyring.open = async (projectId, place, sealed) => {
      if (place.table === "scheduled_runs") {
        keyring.open = open;
        reached.resolve();
        await woken.promise;
      }
      return open(projectId, place, sealed);
    };
    const first = runtime.tools.startWorker();
    const id = await schedule(runtime);
    await reached.promise;
    await frozen(deployment, id);
    woken.resolve();
    await first.stop();

    const run = await look(await deployment.another(), id);
    expect([run.execution_status, catalog.runs]).toEqual(["failed", 0]);
    const { items } = await runtime.trail.executions(operator(), { limit: 10 });
    expect(items).toHaveLength(1);
  });

  test("between two requests sends no further one", async () => {
    await using deployment = await deploy();
    const { runtime, test: catalog, platform } = deployment;
    const reached = Promise.withResolvers<void>();
    const woken = Promise.withResolvers<void>();
    catalog.act = async (_input, context) => {
      await callPlatform(context, "api", "first");
      reached.resolve();
      await woken.promise;
      return callPlatform(context, "api", "second");
    };
    const first = runtime.tools.startWorker();
    const id = await schedule(runtime);
    await reached.promise;
    await frozen(deployment, id);
    woken.resolve();
    await first.stop();

    expect((await look(runtime, id)).execution_status).toBe("failed");
    expect(platform.calls.map(({ address }) => address)).toEqual(["/api/first"]);
  });
});

test("the end of a run that cannot be stored is stored later", async () => {
  const { deployment, id, finish, stop } = await busy();
  await using _ = deployment;
  const { store } = deployment.runtime.core;
  const write = store.write.bind(store);
  let failures = 3;
  store.write = (body) => (failures-- > 0 ? Promise.reject(new Error("the disk is full")) : write(body));
  finish({ done: 1 });
  const run = await ended(deployment.runtime, id);
  await stop();

  expect(failures).toBeLessThan(0);
  expect(run).toMatchObject({
    execution_status: "completed",
    attempts: [{ success: true, output: { value: { done: 1 } } }],
  });
  expect(deployment.logLines.filter((line) => line.includes("not stored yet"))).toHaveLength(1);
});

describe("a project whose data key is damaged", () => {
  function damage({ core: { keyring } }: Runtime): void {
    const { open, seal } = keyring;
    const broken = (): Promise<never> => Promise.reject(new Error("the data key cannot be opened"));
    keyring.open = (projectId, ...rest) =>
      projectId === "second" ? broken() : open.call(keyring, projectId, ...rest);
    keyring.seal = (projectId, ...rest) =>
      projectId === "second" ? broken() : seal.call(keyring, projectId, ...rest);
  }

  /** Runs of the project `second`. */
  async function scheduled({ runtime }: Deployment, count: number): Promise<string[]> {
    await runtime.identity.createProject(operator(), "second", "second");
    const principal = agent(null, "second", "key_second");
    const request = { tool_name: "Test.Act", user_id: "alice", run_at: "2020-01-01T00:00:00" };
    const runs = Array.from({ length: count }, () => runtime.tools.execute(principal, request));
    return (await Promise.all(runs)).map(({ id }) => id);
  }
  const rowOf = async ({ core }: Runtime, id: string) =>
    core.store.get(
      query<{ status: string; system_error: string | null; sealed_output: string | null }>(
        "SELECT status, system_error, sealed_output FROM scheduled_runs JOIN scheduled_attempts " +
          "ON run_id = scheduled_runs.id WHERE scheduled_runs.id = ?",
      ),
      id,
    );

  test("delays no other project, and its runs end with the reason", async () => {
    await using deployment = await deploy();
    const { runtime, test: catalog } = deployment;
    const [bad = ""] = await scheduled(deployment, 25);
    const healthy = await schedule(runtime);
    damage(runtime);
    runtime.identity.actor = async (projectId) => operator(projectId);
    const worker = runtime.tools.startWorker();
    expect((await ended(runtime, healthy)).execution_status).toBe("completed");
    await until(async () => (await rowOf(runtime, bad))?.status === "failed");
    await worker.stop();

    expect((await rowOf(runtime, bad))?.system_error).toContain("cannot be decrypted");
    expect(catalog.runs).toBe(1);
  });

  test("has its cut-off runs ended without output, and one line of the log for each", async () => {
    await using deployment = await deploy();
    const { runtime, test: catalog, clock, logLines } = deployment;
    const [id = ""] = await scheduled(deployment, 1);
    const result = Promise.withResolvers<unknown>();
    catalog.act = () => result.promise;
    runtime.identity.actor = async (projectId) => operator(projectId);
    const first = runtime.tools.startWorker();
    await until(() => catalog.runs === 1);
    const other = await deployment.another();
    damage(other);
    const second = other.tools.startWorker();
    await pass(clock, 20_000);
    await until(async () => (await rowOf(other, id))?.status === "failed");
    await looked(clock, 6);
    result.resolve("late");
    await Promise.all([first.stop(), second.stop()]);

    expect((await rowOf(other, id))?.sealed_output).toBeNull();
    expect(logLines.filter((line) => line.includes("the data key cannot be opened"))).toHaveLength(1);
  });
});
