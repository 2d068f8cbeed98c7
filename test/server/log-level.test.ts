// The log level of a running server, changed by a command on its data folder.
import { afterAll, beforeAll, expect, onTestFinished, test } from "bun:test";
import { levelsOfServers } from "../../cli/log-levels";
import type { Clock } from "../../src/base";
import { levelProof } from "../../src/log-level";
import { announceServer, announcedServers } from "../../src/serving";
import { api } from "../support/api";
import { startStage, type Stage } from "./stage";

/** Sleepers wait for the test. */
const sleepers: { ms: number; wake: () => void }[] = [];

let stage: Stage;
let server = "";
beforeAll(async () => {
  stage = await startStage();
  const { core } = stage.site.runtime;
  await announceServer(core, stage.site.url);
  server = (await announcedServers(core))[0]?.id ?? "";
});
afterAll(() => stage[Symbol.asyncDispose]());

const core = () => stage.site.runtime.core;

function stopTime(): void {
  const clock: Clock = core().clock;
  const { sleep } = clock;
  clock.sleep = (ms, signal) =>
    new Promise((resolve) => {
      sleepers.push({ ms, wake: resolve });
      signal?.addEventListener("abort", () => resolve());
    });
  onTestFinished(() => {
    clock.sleep = sleep;
    core().log.setLevel("debug");
    sleepers.splice(0);
  });
}

const put = (body: object) => api(stage.site.url, stage.keys.admin).put("/v1/log_level", body);

async function signed(request: { level?: "error" | "silent"; until?: number; at?: number; server?: string }) {
  const all = { server, at: core().clock.now(), ...request };
  return { ...all, proof: await levelProof(core(), all) };
}

test("a command changes the level, which falls back by itself", async () => {
  stopTime();
  const until = core().clock.now() + 600_000;

  const changed = await levelsOfServers(stage.site.runtime, "error", until);

  expect(changed).toMatchObject([{ server: stage.site.url, level: "error", configured: "debug" }]);
  expect(core().log.level).toBe("error");
  const [sleeper] = sleepers;
  sleeper?.wake();
  await Bun.sleep(0);
  expect(core().log.level).toBe("debug");
  expect(stage.site.logLines.join("\n")).toContain("the configured log level is back");
});

test("a later change replaces the end of an earlier one", async () => {
  stopTime();
  await levelsOfServers(stage.site.runtime, "error", core().clock.now() + 1000);
  await levelsOfServers(stage.site.runtime, "warn", undefined);

  for (const { wake } of sleepers) wake();
  await Bun.sleep(0);

  expect(core().log.level).toBe("warn");
});

test("without a level, a command only asks", async () => {
  expect(await levelsOfServers(stage.site.runtime, undefined, undefined)).toMatchObject([{ level: "debug" }]);
});

test.each<[string, () => Promise<object>]>([
  ["an admin key alone", async () => ({ ...(await signed({ level: "silent" })), proof: "a".repeat(43) })],
  ["the proof of another level", async () => ({ ...(await signed({ level: "error" })), level: "silent" })],
  ["the proof of another end", async () => ({ ...(await signed({ level: "silent", until: 1 })), until: 2 })],
  ["a recorded request", () => signed({ level: "silent", at: core().clock.now() - 60_000 })],
  ["a request from the future", () => signed({ level: "silent", at: core().clock.now() + 60_000 })],
])("%s does not change it", async (_what, request) => {
  const answer = await put(await request());

  expect(answer.status).toBe(404);
  expect(core().log.level).toBe("debug");
});

test("the proof for another server does not change it", async () => {
  expect((await put(await signed({ level: "silent", server: "another-server" }))).status).toBe(404);
  expect(core().log.level).toBe("debug");
});
