// Calls of workers' tools reach the worker as it is stored, whatever was kept in memory.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Clock, systemClock } from "../../src/base";
import { type PlainWorker, plainTool, startPlainWorker } from "../sandbox/workers";
import { mcpWorker, startWorkerSite, type WorkerSite } from "./site";

let offset = 0;
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + offset,
  monotonic: () => systemClock.monotonic() + offset,
};

let site: WorkerSite;
let first: PlainWorker;
let second: PlainWorker;
beforeAll(async () => {
  site = await startWorkerSite({ parts: { clock } });
  [first, second] = [await startPlainWorker(), await startPlainWorker()];
});
afterAll(async () => {
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
beforeEach(async () => {
  for (const { id } of (await site.runtime.workers.list(site.operator)).items)
    await site.runtime.workers.delete(site.operator, id);
});

const call = (project = site.operator) =>
  site.runtime.tools.execute(project, { tool_name: "Wiki.echo", user_id: "alice", input: { text: "hi" } });
const withKey = (key: string) => ({ headers: { "X-Api-Key": "${secret:KEY}" }, secrets: { KEY: key } });

test("a worker that is created again with its id is called at its own address", async () => {
  await site.runtime.workers.create(site.operator, mcpWorker("wiki", first.uri));
  expect((await call()).success).toBe(true);
  await site.runtime.workers.delete(site.operator, "wiki");
  await site.runtime.workers.create(site.operator, mcpWorker("wiki", second.uri));
  const [before, others] = [first.asked.length, second.asked.length];

  expect((await call()).success).toBe(true);
  expect([first.asked.length, second.asked.length]).toEqual([before, others + 1]);
});

test("a worker of a project that is created again is called with its own secrets", async () => {
  const { identity, workers } = site.runtime;
  for (const key of ["of the earlier", "of the later"]) {
    await identity.createProject(site.operator, "again", "again");
    const operator = await identity.operator("again");
    await workers.create(operator, mcpWorker("wiki", first.uri, withKey(key)));
    expect((await call(operator)).success).toBe(true);
    expect(first.asked.at(-1)?.["x-api-key"]).toBe(key);
    await identity.deleteProject(site.operator, "again");
  }
});

test("a secret is opened after a rotation, also when the former data key is gone", async () => {
  const { rotation, workers } = site.runtime;
  await workers.create(site.operator, mcpWorker("wiki", first.uri, withKey("rotated")));
  expect((await call()).success).toBe(true);
  const { remaining } = await rotation.rotateDataKey(site.operator);
  offset += 3_600_001;
  await rotation.dropRetiredKeys();

  expect(remaining).toBeUndefined();
  expect((await call()).success).toBe(true);
  expect(first.asked.at(-1)?.["x-api-key"]).toBe("rotated");
});

test("another secret is sent from the next call on", async () => {
  const { workers } = site.runtime;
  await workers.create(site.operator, mcpWorker("wiki", first.uri, withKey("one")));
  await call();
  await workers.update(site.operator, "wiki", { mcp: { secrets: { KEY: "two" } } });
  await call();

  expect(first.asked.at(-1)?.["x-api-key"]).toBe("two");
});

test("a tool of a deleted or disabled worker is unknown", async () => {
  await site.runtime.workers.create(site.operator, mcpWorker("wiki", first.uri));
  await site.runtime.workers.update(site.operator, "wiki", { enabled: false });
  await expect(call()).rejects.toMatchObject({ name: "tool_not_found" });
  await site.runtime.workers.update(site.operator, "wiki", { enabled: true });
  expect((await call()).success).toBe(true);
  await site.runtime.workers.delete(site.operator, "wiki");
  await expect(call()).rejects.toMatchObject({ name: "tool_not_found" });
});

test("a tool that the worker no longer has is called as it was accepted", async () => {
  first.catalog = { tools: [plainTool("echo"), plainTool("more")], skipped: [] };
  await site.runtime.workers.create(site.operator, mcpWorker("wiki", first.uri));
  first.catalog = { tools: [plainTool("more")], skipped: [] };
  await site.runtime.workers.catalogs.refresh(site.operator, "wiki");

  const { output } = await call();
  expect(output?.value).toEqual({ worker: "wiki", tool: "echo", input: { text: "hi" } });
});
