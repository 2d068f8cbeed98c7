// What single values mean: refreshes, health, backups, the certificate, refusals, and two servers on one data folder.
import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { call } from "../connections/executing";
import { breakableStore } from "../support/breakable-store";
import { makeCertificate } from "../support/certificates";
import { startSite } from "../support/site";
import { temporaryFolder } from "../support/temporary";
import { RotatingGrants } from "../support/token-endpoint";
import type { Runtime } from "../../src/runtime";
import { deploy } from "../tools/deployment";
import { faultsOf, scrape, testWithParser, valueOf } from "./page";

const HOUR = 3600_000;
const pageOf = async ({ metrics }: Runtime): Promise<string> =>
  (await metrics.page(undefined, undefined)).text;

describe("a refresh of an expired token", () => {
  test.each([
    ["refreshed", undefined],
    ["dead", { status: 400, body: { error: "invalid_grant" } }],
    ["error", { status: 503, body: "busy" }],
  ] as const)("counts once as %s", async (outcome, answer) => {
    await using deployment = await deploy();
    const { runtime, idp, clock } = deployment;
    const grants = new RotatingGrants();
    const pair = grants.issue("alice");
    await deployment.addProvider();
    await deployment.give("alice", pair);
    idp.otherwise((request) => answer ?? grants.answer(request));
    clock.move(HOUR);

    await Promise.allSettled([call(runtime, "alice"), call(runtime, "alice")]);

    const text = await pageOf(runtime);
    const counted = text.split("\n").filter((line) => line.startsWith("runtime_token_refreshes_total"));
    expect(counted).toEqual([`runtime_token_refreshes_total{provider="idp",outcome="${outcome}"} 1`]);
    expect(valueOf(text, "runtime_token_refresh_duration_seconds_count")).toBe(1);
  });
});

test("while the database fails, the page says so and has everything else", async () => {
  let broken = false;
  await using site = await startSite({ parts: { openStore: breakableStore(() => broken) } });
  const { runtime } = site;
  expect(valueOf(await pageOf(runtime), "runtime_healthy")).toBe(1);
  broken = true;
  // What was read is shared for a second.
  await Bun.sleep(1100);

  const text = await pageOf(runtime);

  broken = false;
  expect(valueOf(text, "runtime_healthy")).toBe(0);
  expect(valueOf(text, "runtime_revocations_pending")).toBeUndefined();
  expect(valueOf(text, "process_resident_memory_bytes")).toBeGreaterThan(0);
  expect(text).not.toContain("s3cr3t");
});

test("the newest scheduled backup has its time, and other files and those of the future none", async () => {
  const folder = join(temporaryFolder(), "backups");
  await using site = await startSite({ environment: { RUNTIME_BACKUP_FOLDER: folder } });
  const { runtime } = site;
  const name = "runtime_last_backup_timestamp_seconds";
  expect(valueOf(await pageOf(runtime), name)).toBeUndefined();
  mkdirSync(folder, { recursive: true });
  for (const file of [
    "runtime-20260102T030400Z.backup",
    "runtime-20260101T000000Z.backup.age",
    "runtime-20990101T000000Z.backup",
    "other.backup",
  ])
    writeFileSync(join(folder, file), "");

  expect(valueOf(await pageOf(runtime), name)).toBe(Date.parse("2026-01-02T03:04:00Z") / 1000);
});

test("the certificate has the time of its expiry", async () => {
  const { cert, key } = makeCertificate(temporaryFolder(), "server");
  await using site = await startSite({ environment: { RUNTIME_TLS_CERT: cert, RUNTIME_TLS_KEY: key } });

  const expiry = valueOf(await pageOf(site.runtime), "runtime_certificate_expiry_timestamp_seconds") ?? 0;

  // It is good for two days.
  const days = (expiry * 1000 - Date.now()) / (24 * HOUR);
  expect(Math.round(days)).toBe(2);
});

test("a refusal counts under the setting of its limit, and a running call while it runs", async () => {
  await using site = await startSite({ environment: { RUNTIME_HTTP_RATE_LIMIT: "1" } });
  const key = await site.key("read");
  const list = () => fetch(`${site.url}/v1/tools`, { headers: { authorization: `Bearer ${key}` } });
  expect((await list()).status).toBe(200);
  expect((await list()).status).toBe(429);
  const { limits } = site.runtime;
  const running = limits.hold("limits.calls_per_project", { scope: {}, message: "", retryAfterMs: 1 });

  const during = await pageOf(site.runtime);
  running[Symbol.dispose]();
  running[Symbol.dispose]();

  expect(valueOf(during, 'runtime_limit_refusals_total{setting="http.rate_limit"}')).toBe(1);
  expect(valueOf(during, "runtime_calls_running")).toBe(1);
  expect(valueOf(await pageOf(site.runtime), "runtime_calls_running")).toBe(0);
});

test("a blocked process shows in the delay of the event loop", async () => {
  await using site = await startSite();
  const slow = async (): Promise<number> => {
    const text = await pageOf(site.runtime);
    const of = (le: string) => valueOf(text, `runtime_event_loop_delay_seconds_bucket{le="${le}"}`) ?? 0;
    return of("+Inf") - of("0.5");
  };
  const before = await slow();

  Bun.sleepSync(1500);
  await Bun.sleep(300);

  expect(await slow()).toBeGreaterThan(before);
});

describe("two servers on one data folder", () => {
  test("have a page each: requests are those of one, queues those of both", async () => {
    await using one = await startSite();
    await using other = await startSite({ folder: one.folder, chat: one.chat });
    await fetch(`${one.url}/v1/health`);
    const key = await one.key("metrics");

    const pages = [await scrape(one.url, key), await scrape(other.url, key)];

    const health = 'runtime_http_requests_total{method="GET",route="/v1/health",status="200"}';
    expect(pages.map(({ text }) => valueOf(text, health))).toEqual([1, undefined]);
    expect(pages.map(({ text }) => valueOf(text, "runtime_revocations_pending"))).toEqual([0, 0]);
  });
});

testWithParser("a page before any traffic is valid too", async () => {
  await using site = await startSite();
  const { text } = await site.runtime.metrics.page("application/openmetrics-text", "default");

  expect(await faultsOf(text)).toBe("");
});
