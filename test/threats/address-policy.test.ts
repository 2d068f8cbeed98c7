// The address policy: ports and projects of `egress.allow`, names that resolve to something else the second time, and the
// address of the platform in a project's secret.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Deployment } from "../catalogs/records/deployment";
import { rowOf } from "../catalogs/records/rows";
import { egressWith, failureOf } from "../egress/peers";
import { api, at } from "../support/api";
import { type Site, startSite } from "../support/site";
import { startTokenEndpoint, type TokenEndpoint } from "../support/token-endpoint";
import { MovableClock, operator } from "../tools/deployment";
import { printFigure } from "./figure";

let attempts = 0;
let reached = 0;
afterAll(() =>
  printFigure("address policy and rebinding", `${attempts} attempts, ${reached} reached a refused address`),
);

describe("an entry of egress.allow for one project and one port", () => {
  let site: Site;
  let internal: TokenEndpoint;
  let neighbour: TokenEndpoint;
  const keys = new Map<string, string>();

  beforeAll(async () => {
    [internal, neighbour] = [startTokenEndpoint(), startTokenEndpoint()];
    const response = { id: "r", object: "response", created_at: 1, model: "x", output: [] };
    const body = { ...response, internal: "canary", choices: [], data: [] };
    for (const peer of [internal, neighbour]) peer.otherwise({ body });
    const { host } = new URL(internal.url);
    site = await startSite({ environment: { RUNTIME_EGRESS_ALLOW: `project=trusted ${host}` } });
    await site.runtime.identity.createProject(operator(), "trusted", "Trusted");
    for (const project of ["default", "trusted"])
      keys.set(project, await site.key("admin", undefined, project));
  });
  afterAll(async () => {
    await site[Symbol.asyncDispose]();
    await internal[Symbol.asyncDispose]();
    await neighbour[Symbol.asyncDispose]();
  });

  /** Every kind of record with which an administrator has a request sent. */
  const DOORS: readonly (readonly [string, (project: string, url: string) => Promise<unknown>])[] = [
    [
      "the issuer of a provider",
      (project, url) =>
        client(project).post("/v1/admin/auth_providers", {
          id: "p",
          oauth2: { client_id: "c", issuer: url },
        }),
    ],
    [
      "a model's server",
      async (project, url) => {
        const id = `m${crypto.randomUUID()}`;
        await client(project).post("/v1/admin/model_entries", { id, openai: { base_url: `${url}/v1` } });
        const messages = [{ role: "user", content: "hi" }];
        const run = await site.key("run", undefined, project);
        return api(site.url, run).post("/v1/chat/completions", { model: `${id}/x`, messages });
      },
    ],
    ...(["responses", "embeddings"] as const).map(
      (name) =>
        [
          `a model's server, for ${name}`,
          async (project: string, url: string) => {
            const id = `m${crypto.randomUUID()}`;
            const openai = { base_url: `${url}/v1`, responses_endpoint: "/responses" };
            await client(project).post("/v1/admin/model_entries", { id, openai });
            const run = await site.key("run", undefined, project);
            return api(site.url, run).post(`/v1/${name}`, { model: `${id}/x`, input: "hi" });
          },
        ] as const,
    ),
    [
      "a plugin's endpoint",
      async (project, url) => {
        const endpoint = { url: `${url}/pre`, failure_mode: "fail_closed", phase: "before", priority: 0 };
        const made = await client(project).post("/v1/plugins", {
          name: crypto.randomUUID(),
          plugin_type: "webhook",
          webhook_config: { endpoints: { pre: endpoint } },
        });
        const id = String(at(made.body, "id"));
        const answer = await client(project).post(`/v1/plugins/${id}/test`);
        await client(project).delete(`/v1/hooks/${String(at(made.body, "hooks.0.id"))}`);
        return answer;
      },
    ],
  ];

  const client = (project: string) => api(site.url, keys.get(project));

  test.each(DOORS)(
    "%s: another project may not use it, nor may the project use another port",
    async (_name, send) => {
      const before = [internal.requests.length, neighbour.requests.length];
      for (const [project, peer] of [
        ["default", internal],
        ["default", neighbour],
        ["trusted", neighbour],
      ] as const) {
        const answer = await send(project, peer.url);
        expect(JSON.stringify(answer)).not.toContain("canary");
        attempts++;
      }
      const after = [internal.requests.length, neighbour.requests.length];
      expect(after).toEqual(before);
      reached += (after[0] ?? 0) - (before[0] ?? 0);
    },
  );

  test.each(DOORS)("%s: positive control, the project may use it", async (_name, send) => {
    const before = internal.requests.length;
    await send("trusted", internal.url);

    // Some doors ask more than once: an issuer has its metadata at one of several addresses.
    expect(internal.requests.length).toBeGreaterThan(before);
  });

  test("the answer of the issuer is not repeated in the error", async () => {
    const { status, text } = await client("trusted").post("/v1/admin/auth_providers", {
      id: "q",
      oauth2: { client_id: "c", issuer: internal.url },
    });

    expect([status, text.includes("canary")]).toEqual([400, false]);
  });
});

describe("a name that resolves to another address the second time", () => {
  test.each(["127.0.0.2", "10.0.0.1", "169.254.169.254", "fd00:ec2::254", "::1", "::ffff:127.0.0.2"])(
    "is checked at every request, and never connected to %s",
    async (address) => {
      await using peer = startTokenEndpoint();
      peer.otherwise({ body: "hello" });
      const { port } = new URL(peer.url);
      const clock = new MovableClock();
      let current = "127.0.0.1";
      const allow = [`127.0.0.1:${port}`];
      const egress = egressWith({ allow, clock, resolve: async () => [current] });
      const url = `http://rebind.example:${port}/`;
      expect((await egress.fetch(url)).status).toBe(200);
      current = address;
      clock.move(3_600_000);
      attempts++;

      const failure = await failureOf(egress.fetch(url));

      reached += peer.requests.length - 1;
      expect([failure.reason, failure.maybeSent, peer.requests.length]).toEqual([
        "address_refused",
        false,
        1,
      ]);
    },
  );

  test("with one public and one internal address is refused as a whole", async () => {
    await using internal = startTokenEndpoint();
    const { port } = new URL(internal.url);
    const egress = egressWith({ allow: [], resolve: async () => ["93.184.215.14", "127.0.0.1"] });
    attempts++;

    const failure = await failureOf(egress.fetch(`https://rebind.example:${port}/`));

    reached += internal.requests.length;
    expect([failure.reason, internal.requests.length]).toEqual(["address_refused", 0]);
  });
});

describe("the platform's address in a project's secret", () => {
  const LIST = rowOf("FetchVendorRecords");

  test("gets a user's token only if the catalog or the operator knows it", async () => {
    await using collector = startTokenEndpoint();
    await using deployment = await Deployment.start();
    const { us } = deployment.sandbox;
    await deployment.addProvider(us);
    await deployment.setServerUrl(us.apiUrl);
    expect(await deployment.consent(LIST.tool, "alice", "alice")).toMatchObject({ status: "completed" });
    const { port } = new URL(us.apiUrl);
    for (const address of [
      collector.url,
      `http://localhost:${port}`,
      `https://127.0.0.1:${port}`,
      "https://www.zohoapis.com.evil.example",
      "https://zohoapis.com",
      "http://www.zohoapis.com",
      "https://www.zohoapis.com:8443",
    ]) {
      await deployment.setServerUrl(address);
      const { body } = await deployment.execute(LIST.tool, "alice", LIST.input);
      const message = String(at(body, "output.error.message"));
      expect([address, at(body, "output.error.kind")]).toEqual([address, "TOOL_RUNTIME_FATAL"]);
      expect(message).toContain("records.server_urls (RUNTIME_RECORDS_SERVER_URLS)");
      attempts++;
    }
    reached += collector.requests.length;
    expect(collector.requests).toEqual([]);
    await deployment.setServerUrl(us.apiUrl);
    expect(at((await deployment.execute(LIST.tool, "alice", LIST.input)).body, "success")).toBe(true);
  });
});
