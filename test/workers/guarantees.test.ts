// What the runtime does for its own tools holds for tools of workers: requirements, idempotency, schedules, formats, logs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { FORMATS } from "../../src/tools/schema";
import { EntryPoints } from "../hooks/entry-points";
import { give, idpRecord } from "../tools/deployment";
import { api, at, call } from "../support/api";
import { bytesOf, found } from "../support/canaries";
import { httpWorker, mcpWorker } from "./site";
import { httpStandIn, mcpStandIn, ORIGINAL, type StandInWorker } from "./two-kinds";

const SECRET_VALUE = "value-of-a-secret-CANARY";
const TOKEN = "token-of-alice-CANARY";
/** Needs a consent and a secret. */
const MORE = {
  name: "Guarded",
  fully_qualified_name: "Web.Guarded",
  deprecation_message: "Use Web.Send instead.",
  requirements: {
    authorization: { provider_id: "idp", provider_type: "oauth2", id: null, oauth2: { scopes: ["a"] } },
    secrets: [{ key: "WORKER_KEY" }],
    metadata: null,
  },
};

const entries = new EntryPoints();
const workers: Readonly<Record<string, StandInWorker>> = {
  Peer: mcpStandIn(),
  Web: httpStandIn({ more: [MORE] }),
};
const both = Object.entries(workers);
const uriOf = (toolkit: string): string => workers[toolkit]?.uri ?? "";
let admin: ReturnType<typeof api>;
let key: string;
beforeAll(async () => {
  await entries.start();
  const { runtime } = entries.parts.chat.site;
  key = await entries.parts.chat.site.key("admin");
  admin = api(entries.parts.chat.site.url, key);
  await runtime.providers.create(entries.parts.operator, idpRecord({ url: "http://127.0.0.1:1" }));
  for (const record of [mcpWorker("peer", uriOf("Peer")), httpWorker("web", uriOf("Web"))])
    await runtime.workers.create(entries.parts.operator, record);
});
afterAll(async () => {
  await entries[Symbol.asyncDispose]();
  for (const worker of Object.values(workers)) await worker[Symbol.asyncDispose]();
});
beforeEach(() => {
  entries.parts.peer.asked.length = 0;
  entries.parts.peer.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
  for (const worker of Object.values(workers)) {
    worker.calls.length = 0;
    worker.failures = 0;
  }
});

const send = (toolkit: string, more: object = {}) => ({
  tool_name: `${toolkit}.Send`,
  user_id: "alice",
  input: { message: "Hello" },
  ...more,
});
const due = { run_at: "2020-01-01T00:00:00" };

describe.each(both)("%s:", (toolkit, worker) => {
  test("one call for an Idempotency-Key, however often it is asked for", async () => {
    const request = { method: "POST", path: "/v1/tools/execute", key, body: send(toolkit) };
    const ask = () =>
      call(entries.parts.chat.site.url, { ...request, headers: { "idempotency-key": `key-${toolkit}` } });
    const [first, ...others] = [await ask(), await ask(), await ask()];
    expect(others.map(({ body }) => body)).toEqual([first?.body, first?.body]);
    expect([at(first?.body, "success"), worker.calls.length]).toEqual([true, 1]);
  });

  test("a dry run names the worker and the hooks, and sends nothing", async () => {
    const { body } = await admin.post("/v1/tools/execute", send(toolkit, { dry_run: true }));
    const report = at(body, "output.value");
    expect(report).toMatchObject({ would_run: true, worker: toolkit.toLowerCase() });
    expect(at(report, "repeats")).toBe("never_after_effect");
    expect(Object(at(report, "hooks"))).toHaveLength(3);
    expect([worker.calls.length, entries.parts.peer.asked.length]).toEqual([0, 0]);
  });

  test("its tools are in lists, in each format, and among the requirements", async () => {
    const listed = await admin.get(`/v1/tools?toolkit=${toolkit}`);
    expect(listed.text).toContain(`"${toolkit}.Send"`);
    for (const format of FORMATS) {
      const list = await admin.get(`/v1/formatted_tools?toolkit=${toolkit}&format=${format}`);
      const one = await admin.get(`/v1/formatted_tools/${toolkit}.Send?format=${format}`);
      expect([format, list.status, one.status]).toEqual([format, 200, 200]);
      expect(list.text).toContain("Send");
      expect(one.text).toContain("message");
    }
    const tool_names = [`${toolkit}.Send`, `${toolkit}.WhoAmI`];
    const needs = await admin.post("/v1/tools/requirements", { tool_names, user_id: "alice" });
    expect([needs.status, at(needs.body, "met")]).toEqual([200, true]);
  });

  test("the execution log names the tool", async () => {
    const { body } = await admin.post("/v1/tools/execute", send(toolkit));
    const id = String(at(body, "id"));
    let logged = await admin.get(`/v1/admin/executions/${id}`);
    for (let tries = 0; logged.status !== 200 && tries < 200; tries++) {
      await Bun.sleep(10);
      logged = await admin.get(`/v1/admin/executions/${id}`);
    }
    expect(logged.text).toContain(`${toolkit}.Send`);
  });

  test("a scheduled run whose call was not answered is not repeated, because it may have had an effect", async () => {
    worker.failures = 9;
    const { body } = await admin.post("/v1/tools/execute", send(toolkit, due));
    const run = await entries.ended(String(at(body, "id")));
    expect(at(run, "execution_status")).toBe("failed");
    expect(worker.calls).toHaveLength(1);
  });

  test("a tool that is known to only read is repeated", async () => {
    if (toolkit === "Peer") await admin.patch("/v1/workers/peer", { trust_annotations: true });
    worker.failures = 1;
    const request = { ...send(toolkit), tool_name: `${toolkit}.WhoAmI`, input: {}, ...due };
    const { body } = await admin.post("/v1/tools/execute", request);
    const run = await entries.ended(String(at(body, "id")));
    expect(at(run, "execution_status")).toBe("completed");
    expect(JSON.stringify(run)).toContain(ORIGINAL);
    expect(worker.calls).toHaveLength(2);
  });

  test("a trial of a plugin can use a tool of a worker, and calls none", async () => {
    const { body } = await admin.get("/v1/plugins");
    const trial = await admin.post(`/v1/plugins/${String(at(body, "items.0.id"))}/test`);
    expect([trial.status, at(trial.body, "ok")]).toEqual([200, true]);
    expect(worker.calls).toEqual([]);
  });
});

test.each([
  ["deleted", () => admin.delete("/v1/workers/gone")],
  ["disabled", () => admin.patch("/v1/workers/gone", { enabled: false })],
])("a scheduled run of a %s worker fails by the name of its tool", async (_what, end) => {
  await admin.post("/v1/workers", mcpWorker("gone", uriOf("Peer")));
  const run_at = new Date(entries.clock.now() + 3_600_000).toISOString();
  const { body } = await admin.post("/v1/tools/execute", send("Gone", { run_at }));
  expect((await end()).status).toBeLessThan(300);
  entries.clock.move(3_700_000);

  const run = await entries.ended(String(at(body, "id")));
  const now = await admin.post("/v1/tools/execute", send("Gone"));
  await admin.delete("/v1/workers/gone");

  expect(at(run, "execution_status")).toBe("failed");
  expect(String(at(run, "attempts.0.system_error_message"))).toContain("Gone.Send");
  expect([now.status, at(now.body, "name")]).toEqual([400, "tool_not_found"]);
  expect(now.text).toContain("Gone.Send");
  expect(workers["Peer"]?.calls).toEqual([]);
});

describe("a tool with requirements", () => {
  const guarded = { tool_name: "Web.Guarded", user_id: "alice", input: {} };

  test("is called only with the user's consent and the secret that it declares, and gets both", async () => {
    const agent = entries.agent();
    const missing = await agent.post("/v1/tools/execute", guarded);
    expect([missing.status, at(missing.body, "name")]).toEqual([400, "tool_requirements_not_met"]);
    await admin.post("/v1/admin/secrets/WORKER_KEY", { value: SECRET_VALUE });
    const consent = await agent.post("/v1/tools/execute", guarded);
    expect([consent.status, consent.text]).toEqual([403, expect.stringContaining("authorization required")]);
    expect(workers["Web"]?.calls).toEqual([]);
    await give(entries.parts.chat.site.runtime, "alice", { access: TOKEN, scopes: ["a"] });

    const ran = await agent.post("/v1/tools/execute", guarded);

    expect([ran.status, at(ran.body, "success")]).toEqual([200, true]);
    const [got] = workers["Web"]?.calls ?? [];
    expect(found({ SECRET_VALUE, TOKEN }, got?.text ?? "")).toEqual(["SECRET_VALUE", "TOKEN"]);
    const other = await agent.post("/v1/tools/execute", { ...guarded, user_id: "bob" });
    expect(other.status).toBe(403);
  });

  test("says that it is deprecated, in the list and at the terminal", async () => {
    expect((await admin.get("/v1/tools/Web.Guarded")).text).toContain("Use Web.Send instead.");
    const shown = await entries.commandLine(["tools", "show", "Web.Guarded", "--user", "alice"]);
    expect(shown).toContain("Use Web.Send instead.");
  });
});

test("creations, changes and removals of workers are in the audit trail; no secret is anywhere", async () => {
  const record = {
    ...mcpWorker("short", uriOf("Peer"), {
      headers: { "x-key": "${secret:KEY}" },
      secrets: { KEY: "header-secret-CANARY" },
    }),
  };
  const created = await admin.post("/v1/workers", record);
  const changed = await admin.patch("/v1/workers/short", {
    mcp: { secrets: { KEY: "second-secret-CANARY" } },
  });
  const health = await admin.get("/v1/workers/short/health");
  const deleted = await admin.delete("/v1/workers/short");
  expect([created.status, changed.status, health.status, deleted.status]).toEqual([201, 200, 200, 204]);

  const audit = await admin.get("/v1/admin/audit?limit=100");
  for (const action of ["worker.create", "worker.update", "worker.delete"])
    expect(audit.text).toContain(action);
  const canaries = {
    header: "header-secret-CANARY",
    second: "second-secret-CANARY",
    signing: "signing-CANARY",
    SECRET_VALUE,
    TOKEN,
  };
  const { site } = entries.parts.chat;
  const told = [audit, created, changed, health].map(({ text }) => text).join("\n");
  const exported = await entries.commandLine(["export", "-o", "json"]);
  expect(exported).toContain("web");
  expect(found(canaries, `${told}${exported}${site.logLines.join("\n")}`)).toEqual([]);
  expect(found(canaries, bytesOf(site.folder))).toEqual([]);
});
