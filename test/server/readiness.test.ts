// GET /livez and GET /readyz, and what health says of a database that does not answer.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { newestSchema, query, run, Unwritable } from "../../src/store";
import { breakableStore } from "../support/breakable-store";
import { Silence } from "../support/silent-store";
import { type Site, startSite } from "../support/site";
import { testOnSqlite } from "../support/on-sqlite";

// Some wait until a check is late.
setDefaultTimeout(20_000);

const LATER = query("INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'later', '')");

/** How soon an answer and a change must be there: two seconds, and a little for a busy machine. */
const SOON_MS = 2500;

interface Ready {
  status: number;
  ready: boolean;
  reasons?: string[];
}

async function ready({ url }: Site): Promise<Ready> {
  const answer = await fetch(`${url}/readyz`);
  const body = await answer.json();
  return { status: answer.status, ...Object(body) };
}

async function until(condition: () => Promise<boolean>): Promise<number> {
  const since = performance.now();
  while (!(await condition())) await Bun.sleep(20);
  return performance.now() - since;
}

describe("a database that works or fails", () => {
  let isBroken = false;
  let site: Site;
  beforeEach(async () => {
    isBroken = false;
    site = await startSite({ parts: { openStore: breakableStore(() => isBroken) } });
  });
  afterEach(async () => {
    isBroken = false;
    await site[Symbol.asyncDispose]();
  });

  test.each([
    ["/livez", { live: true }],
    ["/readyz", { ready: true }],
  ])("%s needs no credential and is not stored", async (path, body) => {
    const answer = await fetch(site.url + path);
    const head = await fetch(site.url + path, { method: "HEAD" });

    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual(body);
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(head.status).toBe(200);
    expect(head.headers.get("cache-control")).toBe("no-store");
    expect(await head.text()).toBe("");
  });

  testOnSqlite(
    "a server whose database fails is live, is not ready within two seconds, and is ready again",
    async () => {
      await ready(site);
      isBroken = true;

      const tookMs = await until(async () => (await ready(site)).status === 503);
      const answer = await fetch(`${site.url}/readyz`);
      const head = await fetch(`${site.url}/readyz`, { method: "HEAD" });
      const live = await fetch(`${site.url}/livez`);
      isBroken = false;
      const againMs = await until(async () => (await ready(site)).status === 200);

      expect(tookMs).toBeLessThan(SOON_MS);
      expect(await answer.json()).toEqual({
        ready: false,
        reasons: ["The database cannot be used. The log has the reason."],
      });
      expect(answer.headers.get("cache-control")).toBe("no-store");
      expect(head.status).toBe(503);
      expect(live.status).toBe(200);
      expect(againMs).toBeLessThan(SOON_MS);
    },
  );

  test("a server whose writes fail is not ready", async () => {
    const { store } = site.runtime.core;
    const cause = new Error("s3cr3t disk");
    store.check = () => Promise.reject(new Unwritable("The database has refused writes", 1000, cause));

    const { status, reasons } = await ready(site);

    expect(status).toBe(503);
    expect(reasons).toEqual([
      expect.stringMatching(/^The database has refused writes since \S+Z\. The log has the reason\.$/),
    ]);
  });

  test("a server that is about to stop is not ready, at once, and is live", async () => {
    expect(await ready(site)).toEqual({ status: 200, ready: true });
    site.runtime.readiness.stopping();

    expect(await ready(site)).toEqual({ status: 503, ready: false, reasons: ["The server is stopping."] });
    expect((await fetch(`${site.url}/livez`)).status).toBe(200);
    expect((await fetch(`${site.url}/v1/health`)).status).toBe(200);
  });

  test("a server whose tables were changed by another version is not ready, and names both versions", async () => {
    expect((await ready(site)).status).toBe(200);
    const { store } = site.runtime.core;
    await store.write(() => run(LATER));

    await until(async () => (await ready(site)).status === 503);

    const { runtime, executions } = newestSchema();
    const [reason] = (await ready(site)).reasons ?? [];
    expect(reason).toContain(`schema 999/${executions}`);
    expect(reason).toContain(`${runtime}/${executions}`);
  });
});

describe("a database that does not answer", () => {
  let silence: Silence;
  let site: Site;
  beforeEach(async () => {
    silence = new Silence();
    site = await startSite({ parts: { openStore: silence.openStore } });
  });
  afterEach(async () => {
    silence.end();
    await site[Symbol.asyncDispose]();
  });

  test("is said within two seconds by /readyz and by health, and a recovery within five", async () => {
    await ready(site);
    const since = performance.now();
    silence.begin();

    await until(async () => (await ready(site)).status === 503);
    const tookMs = performance.now() - since;
    const asked = performance.now();
    const [{ reasons }, health, live] = await Promise.all([
      ready(site),
      fetch(`${site.url}/v1/health`),
      fetch(`${site.url}/livez`),
    ]);
    const answeredMs = performance.now() - asked;
    const known: unknown = await health.json();
    silence.end();
    const againMs = await until(async () => (await ready(site)).status === 200);

    expect(tookMs).toBeLessThan(SOON_MS);
    expect(answeredMs).toBeLessThan(SOON_MS);
    expect(reasons).toEqual([
      expect.stringMatching(/^The database has not answered since \S+Z\. The log has the reason\.$/),
    ]);
    expect(health.status).toBe(503);
    expect(known).toEqual({ healthy: false, reason: reasons?.[0] ?? "" });
    expect(live.status).toBe(200);
    expect(againMs).toBeLessThan(5000);
    expect((await fetch(`${site.url}/v1/health`)).status).toBe(200);
  });

  test("is asked once, however many ask, and again although that answer never comes", async () => {
    const { store } = site.runtime.core;
    let asked = 0;
    store.check = () => {
      asked++;
      return new Promise(() => undefined);
    };

    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, number) =>
        fetch(site.url + (number % 2 === 0 ? "/readyz" : "/v1/health")),
      ),
    );
    store.check = () => Promise.resolve();
    const againMs = await until(async () => (await ready(site)).status === 200);

    expect(asked).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(againMs).toBeLessThan(5000);
  });

  test("leaves its values out of the page of metrics, which says that the server is unhealthy", async () => {
    silence.begin();

    const { text } = await site.runtime.metrics.page(undefined, undefined);

    expect(text).toContain("runtime_healthy 0\n");
    expect(text).toContain("runtime_build_info{");
    expect(text).not.toContain("\nruntime_scheduled_runs");
  });

  test("is logged once, and does not keep a server that stops from saying so", async () => {
    silence.begin();
    await until(async () => (await ready(site)).status === 503);
    await until(async () => (await ready(site)).status === 503);
    site.runtime.readiness.stopping();

    const { reasons } = await ready(site);

    expect(reasons?.[0]).toBe("The server is stopping.");
    expect(site.logLines.filter((line) => line.includes('"unhealthy"'))).toHaveLength(1);
  });
});
