// Catalogs that are read again in the background.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { type Clock, systemClock } from "../../src/base";
import { type PlainWorker, plainTool, startPlainWorker } from "../sandbox/workers";
import { mcpWorker, startWorkerSite, type WorkerSite } from "./site";

let offset = 0;
/** Sleeps of up to five seconds are over at once. */
const slept: number[] = [];
const clock: Clock = {
  now: () => systemClock.now() + offset,
  monotonic: () => systemClock.monotonic() + offset,
  sleep: (ms, signal) => {
    slept.push(ms);
    return systemClock.sleep(ms <= 5000 ? 0 : ms, signal);
  },
};
const MINUTE = 60_000;

let site: WorkerSite;
let upstream: PlainWorker;
beforeAll(async () => {
  site = await startWorkerSite({ parts: { clock } });
  upstream = await startPlainWorker();
  const request = { ...mcpWorker("wiki", upstream.uri), updates: "auto" as const };
  await site.runtime.workers.create(site.operator, request);
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
beforeEach(async () => {
  upstream.catalog = { tools: [plainTool("echo")], skipped: [] };
  await site.runtime.workers.catalogs.refresh(site.operator, "wiki");
});

/** Resolves when the tools of the project are these. */
async function offers(...names: string[]): Promise<true> {
  const { store } = site.runtime.core;
  for (;;) {
    const generation = await store.generation("workers");
    const catalogs = await site.runtime.workers.catalogsOf("default");
    const tools = catalogs.flatMap(({ tools: all }) => all.map(({ name }) => name));
    if (Bun.deepEquals(tools, names)) return true;
    await store.changed("workers", generation, { timeoutMs: 5000 });
  }
}

const list = async (): Promise<unknown> => site.runtime.tools.listings.list(site.operator, {});

test("an old one is read when the tools of the project are used", async () => {
  upstream.catalog = { tools: [plainTool("young")], skipped: [] };
  const asked = upstream.asked.length;
  offset += 9 * MINUTE;
  await list();
  // Whatever this look would read, the next one waits for.
  await Bun.sleep(0);
  await site.runtime.workers.get(site.operator, "wiki");
  expect(upstream.asked.length).toBe(asked);
  offset += MINUTE + 1000;
  await list();

  expect(await offers("young")).toBe(true);
  expect(upstream.asked.length).toBe(asked + 1);
});

test("one that says how long it is valid is read after that time", async () => {
  upstream.catalog = { tools: [plainTool("short")], skipped: [], ttlMs: 60_000 };
  await site.runtime.workers.catalogs.refresh(site.operator, "wiki");
  upstream.catalog = { tools: [plainTool("next")], skipped: [] };
  offset += MINUTE + 1000;
  await list();

  expect(await offers("next")).toBe(true);
});

test("one that the worker says has changed is read at once, and once for many such calls", async () => {
  const asked = upstream.asked.length;
  upstream.catalog = { tools: [plainTool("told")], skipped: [] };
  for (let call = 0; call < 10_000; call++) site.runtime.workers.stale("default", "wiki");

  await offers("told");
  expect(upstream.asked.length - asked).toBeLessThanOrEqual(2);
});

test("one that the worker says has changed again is read five seconds after the first time", async () => {
  offset += MINUTE;
  site.runtime.workers.stale("default", "wiki");
  upstream.catalog = { tools: [plainTool("first")], skipped: [] };
  await offers("first");
  offset += 2000;
  slept.length = 0;
  upstream.catalog = { tools: [plainTool("again")], skipped: [] };
  site.runtime.workers.stale("default", "wiki");

  expect(await offers("again")).toBe(true);
  const longest = Math.max(...slept.filter((ms) => ms <= 5000));
  expect(Math.round(longest / 1000)).toBe(3);
});

test("a worker that does not answer keeps its tools, and costs a listing nothing", async () => {
  const gate = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  upstream.before = () => {
    began.resolve();
    return gate.promise;
  };
  offset += 11 * MINUTE;
  await list();
  await began.promise;

  await list();
  expect(await offers("echo")).toBe(true);
  upstream.before = undefined;
  gate.resolve();
});

test("of a deleted worker nothing is read", async () => {
  await site.runtime.workers.create(site.operator, mcpWorker("gone", upstream.uri));
  await site.runtime.workers.delete(site.operator, "gone");
  const asked = upstream.asked.length;
  site.runtime.workers.stale("default", "gone");
  upstream.catalog = { tools: [plainTool("last")], skipped: [] };
  site.runtime.workers.stale("default", "wiki");

  await offers("last");
  expect(upstream.asked.length).toBe(asked + 1);
});
