// GET /metrics: who may read it, in which format, and the listener of `metrics.listen`.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { type Site, startSite } from "../support/site";
import { familiesOf, OPEN, PLAIN, scrape, valueOf } from "../metrics/page";

const ASKS_OPEN = "application/openmetrics-text;version=1.0.0,*/*;q=0.1";

describe("on the port of the server", () => {
  let site: Site;
  beforeAll(async () => {
    site = await startSite();
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.identity.createProject(operator, "other", "Other");
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test("it needs a key", async () => {
    const answer = await scrape(site.url);

    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain("runtime_");
  });

  test.each(["run", "read", "verify"] as const)("a key of the role %s may not read it", async (role) => {
    expect((await scrape(site.url, await site.key(role))).status).toBe(403);
  });

  test.each(["metrics", "admin"] as const)("a key of the role %s may read it", async (role) => {
    const { status, type, text } = await scrape(site.url, await site.key(role), ASKS_OPEN);

    expect([status, type]).toEqual([200, OPEN]);
    expect(text).toEndWith("# EOF\n");
    expect(familiesOf(text)).toContain("runtime_http_requests");
  });

  test("without a wish, the answer has the format that every scraper reads", async () => {
    const response = await fetch(`${site.url}/metrics`, {
      headers: { authorization: `Bearer ${await site.key("metrics")}` },
    });

    expect(response.headers.get("content-type")).toBe(PLAIN);
    expect(response.headers.get("vary")).toContain("accept");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.text()).toContain("# TYPE runtime_http_requests_total counter");
  });

  test("an unknown path and a strange method have bounded names", async () => {
    for (let each = 0; each < 20; each++) await fetch(`${site.url}/made-up-${each}`, { method: "PROPFIND" });

    const { text } = await scrape(site.url, await site.key("metrics"));

    expect(text).not.toMatch(/made-up|PROPFIND/);
  });

  test("a key of a project sees the names that this project has chosen, and no others", async () => {
    const { telemetry } = site.runtime.core;
    const run = (toolkit: string, project: string) =>
      telemetry
        .begin("tool", { toolkit, tool: "Pay", entry: "api", project, executionId: "te_1" })
        .end({ outcome: "completed" });
    run("Payroll", "default");
    run("Mergers", "other");
    telemetry.begin("refresh", { provider: "secret-partner", project: "other" }).end({ outcome: "dead" });
    const model = { provider: "openai", entry: "tuned", operation: "chat", streams: false } as const;
    telemetry.begin("model", { ...model, project: "other" }).end({ outcome: "ok", inputTokens: 7 });
    const egress = {
      group: "Mergers",
      method: "GET",
      url: undefined,
      project: "other",
    };
    telemetry.begin("egress", egress).end({ status: 200, outcome: "ok" });

    const own = await scrape(site.url, await site.key("metrics"));
    const other = await scrape(site.url, await site.key("admin", undefined, "other"));

    const payroll = 'runtime_tool_calls_total{toolkit="Payroll",tool="Pay",outcome="completed"}';
    expect([valueOf(own.text, payroll), valueOf(other.text, payroll)]).toEqual([1, undefined]);
    expect(own.text).not.toMatch(/Mergers|mergers|secret-partner|tuned/);
    expect(other.text).toMatch(/Mergers/);
    expect(other.text).toMatch(/secret-partner/);
    expect(
      valueOf(own.text, 'runtime_tool_calls_total{toolkit="other",tool="other",outcome="completed"}'),
    ).toBe(1);
  });

  test("a key of the role metrics cannot be restricted to users", async () => {
    const admin = api(site.url, await site.key("admin"));

    const answer = await admin.post("/v1/admin/keys", { name: "one", role: "metrics", users: ["alice"] });

    expect(answer.status).toBe(400);
    expect(at(answer.body, "message")).toContain("metrics cannot be restricted to users");
  });
});

test("metrics.enabled: false counts nothing and serves nothing", async () => {
  await using site = await startSite({ environment: { RUNTIME_METRICS_ENABLED: "false" } });

  const answer = await scrape(site.url, await site.key("metrics"));

  expect(answer.status).toBe(404);
  expect(answer.text).toContain("metrics.enabled");
});

describe("metrics.listen", () => {
  const lineOf = ({ logLines }: Site): string =>
    String(JSON.parse(logLines.find((line) => line.includes("serving metrics")) ?? "{}").address);

  test("serves the page without a key, and nothing else", async () => {
    await using site = await startSite({ environment: { RUNTIME_METRICS_LISTEN: "127.0.0.1:0" } });
    const { origin } = new URL(lineOf(site));
    expect(origin).not.toBe(site.url);

    const page = await scrape(origin, undefined, ASKS_OPEN);
    expect([page.status, page.type]).toEqual([200, OPEN]);
    expect(page.text).toEndWith("# EOF\n");
    const paths = [
      "/",
      "/v1/health",
      "/v1/admin/keys",
      "/metrics/",
      "/metrics/x",
      "/mcp/all",
      "/openapi.json",
    ];
    for (const path of paths) expect((await fetch(origin + path)).status).toBe(404);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      expect((await fetch(`${origin}/metrics`, { method })).status).toBe(404);
  });

  test("shows the names of all projects", async () => {
    await using site = await startSite({ environment: { RUNTIME_METRICS_LISTEN: "127.0.0.1:0" } });
    const start = {
      toolkit: "Mergers",
      tool: "Pay",
      entry: "api",
      project: "other",
      executionId: "te_1",
    } as const;
    site.runtime.core.telemetry.begin("tool", start).end({ outcome: "completed" });

    expect((await scrape(new URL(lineOf(site)).origin)).text).toContain('toolkit="Mergers"');
  });

  test("a page of a browser cannot read it under a name of its own", async () => {
    await using site = await startSite({ environment: { RUNTIME_METRICS_LISTEN: "127.0.0.1:0" } });

    const answer = await fetch(lineOf(site), { headers: { host: "rebound.example" } });

    expect(answer.status).toBe(421);
    expect(await answer.text()).not.toContain("runtime_");
  });

  test("warns of an address that others can reach", async () => {
    await using site = await startSite({ environment: { RUNTIME_METRICS_LISTEN: "0.0.0.0:0" } });

    expect(site.logLines.join("\n")).toContain("anybody who can reach metrics.listen");
  });

  test("is not warned of on this machine only", async () => {
    await using site = await startSite({ environment: { RUNTIME_METRICS_LISTEN: "[::1]:0" } });

    expect(lineOf(site)).toStartWith("http://[::1]:");
    expect(site.logLines.join("\n")).not.toContain("anybody who can reach");
  });

  test("refuses the port of the server, and closes that again", async () => {
    using probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const port = String(probe.port);
    await probe.stop(true);
    const environment = { RUNTIME_PORT: port, RUNTIME_METRICS_LISTEN: `127.0.0.1:${port}` };

    const refused = startSite({ environment });

    await expect(refused).rejects.toThrow(/metrics\.listen.*has the port of the server/);
    using again = Bun.serve({ port: Number(port), hostname: "127.0.0.1", fetch: () => new Response() });
    expect(String(again.port)).toBe(port);
  });

  test("refuses a port that is in use, by name", async () => {
    using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });

    const refused = startSite({ environment: { RUNTIME_METRICS_LISTEN: `127.0.0.1:${other.port}` } });

    await expect(refused).rejects.toThrow(/metrics\.listen.*is in use by another program/);
  });

  test.each(["9464", "127.0.0.1", "localhost:port", "127.0.0.1:99999", "http://127.0.0.1:9464"])(
    "refuses %p",
    async (place) => {
      await expect(startSite({ environment: { RUNTIME_METRICS_LISTEN: place } })).rejects.toThrow(
        /metrics[._]listen/i,
      );
    },
  );

  test("contradicts metrics.enabled: false", async () => {
    const environment = { RUNTIME_METRICS_LISTEN: "127.0.0.1:0", RUNTIME_METRICS_ENABLED: "false" };

    await expect(startSite({ environment })).rejects.toThrow(/metrics\.enabled is false/);
  });
});
