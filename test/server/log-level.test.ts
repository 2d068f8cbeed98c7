// The log level of a running server and its access log, changed by a command on its data folder.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "bun:test";
import { accessOfServers, levelsOfServers } from "../../cli/log-controls";
import { stateOfServer } from "../../cli/server-state";
import type { Clock } from "../../src/base";
import { proofFor, type Purpose } from "../../src/proven";
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
    core().log.setAccess(false);
    sleepers.splice(0);
  });
}

const put = (body: object, path = "/v1/log_level") => api(stage.site.url, stage.keys.admin).put(path, body);

interface Request {
  level?: "error" | "silent";
  access?: boolean;
  until?: number;
  at?: number;
  server?: string;
}

async function signed(request: Request, purpose: Purpose = "log level") {
  const all = { server, at: core().clock.now(), ...request };
  return { ...all, proof: await proofFor(core(), purpose, all) };
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

describe("the access log", () => {
  const accesses = () => stage.site.logLines.filter((line) => line.includes('"message":"request"')).length;
  const ask = () => api(stage.site.url, stage.keys.admin).get("/v1/health");

  test("is switched on for a while, and off again by itself", async () => {
    stopTime();
    await ask();
    const before = accesses();

    const switched = await accessOfServers(stage.site.runtime, true, core().clock.now() + 600_000);
    await ask();
    const after = accesses();
    sleepers[0]?.wake();
    await Bun.sleep(0);
    await ask();

    expect(switched).toMatchObject([{ server: stage.site.url, access: true, configured: false }]);
    expect(after - before).toBeGreaterThan(0);
    expect(core().log.hasAccess).toBe(false);
    expect(accesses()).toBe(after);
    expect(stage.site.logLines.join("\n")).toContain("the access log is as configured again");
  });

  test("is only shown without a state", async () => {
    expect(await accessOfServers(stage.site.runtime, undefined, undefined)).toMatchObject([
      { access: false, level: "debug" },
    ]);
  });

  test.each<[string, () => Promise<object>]>([
    ["an admin key alone", async () => ({ ...(await signed({ access: true })), proof: "a".repeat(43) })],
    ["the proof of another state", async () => ({ ...(await signed({ access: false })), access: true })],
    ["a proof for the log level", () => signed({ access: true }, "log level")],
    ["a recorded request", () => signed({ access: true, at: core().clock.now() - 60_000 }, "access log")],
  ])("%s does not switch it", async (_what, request) => {
    const answer = await put(await request(), "/v1/access_log");

    expect(answer.status).toBe(404);
    expect(core().log.hasAccess).toBe(false);
  });
});

describe("the state of the server", () => {
  const ask = (body: object) => api(stage.site.url, stage.keys.admin).post("/v1/server_state", body);

  test("is told to a command on its data folder", async () => {
    expect(await stateOfServer(stage.site.runtime)).toMatchObject({
      pid: process.pid,
      log: { level: "debug" },
    });
  });

  test.each<[string, () => Promise<object>]>([
    ["an admin key alone", async () => ({ ...(await signed({}, "server state")), proof: "a".repeat(43) })],
    ["a proof for the log level", () => signed({}, "log level")],
    ["a recorded request", () => signed({ at: core().clock.now() - 60_000 }, "server state")],
  ])("is not told for %s", async (_what, request) => {
    const answer = await ask(await request());

    expect(answer.status).toBe(404);
    expect(answer.text).not.toContain("pid");
  });
});
