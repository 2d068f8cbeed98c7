// docs/coming-from-hosted.md against the server: each row of its table of differences, and what it says about paths.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contractOperations, operations } from "../../server/operations";
import { testCatalog } from "../server/own";
import { api, type ApiAnswer, at, call } from "../support/api";
import { Browser } from "../support/browser";
import { type Site, startSite } from "../support/site";
import { mcpWorker } from "../workers/site";
import { mcpStandIn } from "../workers/two-kinds";

const PAGE = readFileSync(join(import.meta.dir, "../../docs/coming-from-hosted.md"), "utf8");
const SUBJECTS = [...(PAGE.split("## 4.")[1] ?? "").matchAll(/^\| ([^|]+?) +\|/gm)]
  .map(([, subject = ""]) => subject)
  .filter((subject) => subject !== "Subject" && !subject.startsWith("---"));

let site: Site;
let admin: ReturnType<typeof api>;
let key: string;
beforeAll(async () => {
  site = await startSite({ moreCatalogs: [testCatalog] });
  await site.addChatProvider();
  key = await site.key("admin");
  admin = api(site.url, key);
});
afterAll(() => site[Symbol.asyncDispose]());

const authorize = (user_id: string) =>
  admin.post("/v1/tools/authorize", { tool_name: "Chat.WhoAmI", user_id });
const execute = (body: object) => admin.post("/v1/tools/execute", body);
const named = ({ status, body }: ApiAnswer): [number, unknown] => [status, at(body, "name")];

async function consented(user: string): Promise<string> {
  const { body } = await authorize(user);
  await new Browser().consent(String(at(body, "url")), "alice");
  return String(at(body, "id"));
}

const CHECKS: Readonly<Record<string, () => Promise<void>>> = {
  "`context.token`": async () => {
    const { text } = await admin.get(`/v1/auth/status?id=${await consented("alice")}`);
    expect([text.includes('"completed"'), text.includes("token")]).toEqual([true, false]);
  },
  "`user_id` with an API key": async () => {
    expect(named(await execute({ tool_name: "TestKit.Echo", input: {} }))).toEqual([
      400,
      "malformed_request",
    ]);
  },
  "id of an authorization": async () => {
    const id = await consented("ids");
    const { body } = await admin.get(`/v1/auth/status?id=${id}`);
    const listed = await admin.get("/v1/admin/user_connections?user_id=ids");
    const byConnection = await admin.get(`/v1/auth/status?id=${String(at(listed.body, "items.0.id"))}`);
    expect([id.slice(0, 3), at(body, "id"), at(byConnection.body, "status")]).toEqual([
      "ar_",
      id,
      "completed",
    ]);
  },
  "failed consent": async () => {
    const { body } = await authorize("failing");
    const browser = new Browser();
    await browser.open(await browser.toCallback(String(at(body, "url")), "cancel"));
    expect(at((await admin.get(`/v1/auth/status?id=${String(at(body, "id"))}`)).body, "status")).toBe(
      "failed",
    );
  },
  "missing consent on execute": async () => {
    const answer = await execute({ tool_name: "Chat.WhoAmI", user_id: "new" });
    expect(named(answer)).toEqual([403, "tool_requirements_not_met"]);
    expect(at((await authorize("new")).body, "url")).toStartWith(`${site.url}/authorize/`);
  },
  "failed tool": async () => {
    const { status, body } = await execute({ tool_name: "TestKit.Fail", user_id: "alice" });
    expect([status, at(body, "success"), typeof at(body, "output.error.message")]).toEqual([
      200,
      false,
      "string",
    ]);
  },
  "`limit` above 100": async () => {
    expect(at((await admin.get("/v1/tools?limit=5000")).body, "limit")).toBe(100);
  },
  "creating a duplicate": async () => {
    const gateway = { name: "One", slug: "one", auth_type: "arcade_header" };
    const endpoints = {
      pre: { url: "http://127.0.0.1:9/pre", phase: "before", failure_mode: "fail_closed" },
    };
    const plugin = { name: "one", plugin_type: "webhook", webhook_config: { endpoints } };
    const provider = { id: "slack", provider_id: "slack", oauth2: { client_id: "c", client_secret: "s" } };
    expect((await admin.post("/v1/orgs/default/projects/default/gateways", gateway)).status).toBe(201);
    const made = await admin.post("/v1/plugins", plugin);
    const hook = {
      name: "again",
      plugin_id: at(made.body, "id"),
      hook_point: "tool.pre",
      phase: "before",
      failure_mode: "fail_closed",
      priority: 0,
    };
    expect([
      named(await admin.post("/v1/admin/auth_providers", provider)),
      (await admin.post("/v1/orgs/default/projects/default/gateways", gateway)).status,
      (await admin.post("/v1/plugins", plugin)).status,
      (await admin.post("/v1/hooks", hook)).status,
    ]).toEqual([[400, "already_exists"], 409, 409, 409]);
  },
  "`Idempotency-Key`": async () => {
    const once = () =>
      call(site.url, {
        method: "POST",
        path: "/v1/tools/execute",
        key,
        body: { tool_name: "TestKit.Echo", user_id: "alice" },
        headers: { "idempotency-key": "once" },
      });
    const first = await once();
    expect([first.status, (await once()).text]).toEqual([200, first.text]);
  },
  secrets: async () => {
    const path = "/v1/admin/secrets/TEST_SECRET";
    expect([
      (await admin.post(path, { value: "one" })).status,
      (await admin.put(path, { value: "two" })).status,
    ]).toEqual([200, 200]);
  },
  workers: async () => {
    const more: object[] = [];
    const worker = mcpStandIn({ more });
    const { status } = await admin.post("/v1/workers", mcpWorker("own", worker.uri));
    more.push({ name: "New", inputSchema: { type: "object" } });
    await admin.post("/v1/workers/own/refresh");
    const before = await admin.get("/v1/workers/own/tools");
    await admin.post("/v1/workers/own/accept", {});
    const after = await admin.get("/v1/workers/own/tools");
    await worker[Symbol.asyncDispose]();
    const shown = [before, after].map(({ text }) => text.includes("Own.New"));
    expect([status, shown]).toEqual([201, [false, true]]);
  },
  gateways: async () => {
    const gateway = { name: "Here", slug: "here", auth_type: "arcade_header" };
    await admin.post("/v1/orgs/default/projects/default/gateways", gateway);
    const at = (path: string, method: string) => fetch(site.url + path, { method });
    const statuses = [
      (await at("/mcp/here", "POST")).status,
      (await at("/token", "POST")).status,
      (await at("/.well-known/oauth-authorization-server", "GET")).status,
    ];
    expect(statuses).toEqual([401, 404, 404]);
  },
  errors: async () => {
    const { body } = await admin.get("/v1/orgs/default/projects/default/gateways/none");
    expect(body).toMatchObject({ name: "not_found", type: "about:blank", title: "Not Found", status: 404 });
    expect(at(body, "detail")).toBe(at(body, "message") as string);
  },
  "rate limit": async () => {
    const { settings } = site.runtime.core;
    expect([settings["http.rate_limit"], settings["limits.pending_consents_per_user"] > 0]).toEqual([
      0,
      true,
    ]);
  },
  "browsers of other origins": async () => {
    const { headers } = await fetch(`${site.url}/v1/tools`, { headers: { origin: "https://other.example" } });
    expect(headers.get("access-control-allow-origin")).toBeNull();
  },
};

test("there is a check for each row of the table, and for no other", () => {
  expect(Object.keys(CHECKS)).toEqual(SUBJECTS);
});

describe("the page is right about", () => {
  test.each(Object.entries(CHECKS))("%s", async (_subject, check) => {
    await check();
    expect().pass();
  });

  test("paths: described ones, served ones that are not described, and all others", async () => {
    const paths = Object.keys(Object(at((await admin.get("/openapi.json")).body, "paths")));
    expect(paths).toEqual([...new Set(contractOperations.map(({ path }) => path))]);
    expect(paths).not.toContain("/v1/admin/keys");
    expect((await admin.get("/v1/admin/keys")).status).toBe(200);
    expect(operations.some(({ path }) => path === "/v1/admin/keys")).toBe(true);
    expect(named(await admin.get("/v1/nothing"))).toEqual([404, "route_not_found"]);
    for (const path of ["/openapi.json", "/v1/swagger/ui", "/llms.txt"]) {
      expect(PAGE).toContain(`\`${path}\``);
      expect([path, (await fetch(site.url + path)).status]).toEqual([path, 200]);
    }
  });
});
