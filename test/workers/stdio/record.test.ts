// The record of a program: what is stored and shown, and that only the terminal of the data folder sets it.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../../support/api";
import { type Site, startSite } from "../../support/site";
import { type Principal } from "../../../src/identity";
import type { CreateWorker, WorkerKind } from "../../../src/workers";
import { plainTool } from "../../sandbox/workers";

/** Stands in for programs: nothing is started here. */
const kind: WorkerKind = {
  read: async () => ({ tools: [plainTool("echo")], skipped: [], server: { name: "notes" } }),
  probe: async () => ({}),
  bases: () => ({}),
  run: () => async () => "",
};

let site: Site;
let operator: Principal;
let admin: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite({ parts: { workerKinds: { http: kind, mcp: kind } } });
  operator = await site.runtime.identity.operator("default");
  admin = api(site.url, await site.key("admin"));
});
afterAll(() => site[Symbol.asyncDispose]());
afterEach(async () => {
  for (const { id } of (await site.runtime.workers.list(operator)).items)
    await site.runtime.workers.delete(operator, id);
});

const STDIO = { command: "npx", arguments: ["-y", "notes"], environment: { NOTES_TOKEN: "${secret:T}" } };

const program = (id: string, more: object = {}): CreateWorker => ({
  id,
  mcp: { timeout: 10, retry: 0, secrets: { T: "value-CANARY" }, stdio: { ...STDIO, ...more } },
});

const SHOWN = { ...STDIO, shared: false, sandbox: "cage" as const, read: [], write: [] };
const SENTENCE = /never taken from the API.*own machine/;

describe("a program", () => {
  test("has no address, and shows everything but its secrets", async () => {
    const record = await site.runtime.workers.create(operator, program("notes"));

    expect(record).toMatchObject({ id: "notes", type: "mcp", toolkit: "Notes", mcp: { stdio: SHOWN } });
    expect(record.mcp).not.toHaveProperty("uri");
    expect(record.mcp?.secrets).toEqual({ T: { binding: "project", editable: true, exists: true } });
    const { body } = await admin.get("/v1/workers/notes");
    expect(at(body, "mcp.stdio")).toEqual(SHOWN);
    expect(JSON.stringify([body, await site.runtime.trail.audit(operator, {})])).not.toContain("CANARY");
  });

  test("is changed field by field at the terminal, and keeps its secrets", async () => {
    await site.runtime.workers.create(operator, program("notes"));
    const changed = await site.runtime.workers.update(operator, "notes", {
      mcp: { stdio: { command: "uvx", shared: true, environment: { B: "${secret:T}" } } },
    });

    expect(changed.mcp?.stdio).toEqual({
      ...SHOWN,
      command: "uvx",
      shared: true,
      environment: { B: "${secret:T}" },
    });
  });

  test("does not become an address, nor an address a program: its secrets would go elsewhere", async () => {
    await site.runtime.workers.create(operator, program("notes"));
    await site.runtime.workers.create(operator, {
      id: "far",
      mcp: { uri: "http://127.0.0.1:9/mcp", timeout: 1, retry: 0 },
    });
    const { workers } = site.runtime;

    await expect(
      workers.update(operator, "notes", { mcp: { uri: "http://127.0.0.1:9/mcp" } }),
    ).rejects.toThrow("mcp.uri cannot be set");
    await expect(workers.update(operator, "far", { mcp: { stdio: STDIO } })).rejects.toThrow(
      "mcp.stdio cannot be set",
    );
  });

  test.each<[string, object, RegExp]>([
    ["a relative path", { command: "./server" }, /absolute path/],
    ["the user in an argument", { arguments: ["--user=${user_id}"] }, /read by other users/],
    ["a missing secret in an argument", { arguments: ["--key=${secret:NONE}"] }, /not in mcp.secrets/],
    [
      "a secret in clear",
      { environment: { GITHUB_TOKEN: "abc-CANARY" } },
      /GITHUB_TOKEN would store a secret/,
    ],
    ["a secret that is not there", { environment: { A: "${secret:NONE}" } }, /not in mcp.secrets/],
    ["a user's key in a shared process", { shared: true, environment: { A: "${user.jira}" } }, /all users/],
    ["a user's id in a shared process", { shared: true, environment: { A: "${user_id}" } }, /all users/],
    ["a path that leads up", { read: ["/srv/../etc"] }, /without/],
  ])("with %s is refused", async (_what, fields, message) => {
    const created = site.runtime.workers.create(operator, program("notes", fields));

    const error: unknown = await created.catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(message);
    expect(String(error)).not.toContain("CANARY");
  });

  test("that limits tokens by a number stores it", async () => {
    const created = await site.runtime.workers.create(
      operator,
      program("n", { environment: { MAX_TOKENS: "5" } }),
    );

    expect(created.mcp?.stdio?.environment).toEqual({ MAX_TOKENS: "5" });
  });

  test("is in the exported document, which makes it again at the terminal", async () => {
    await site.runtime.workers.create(operator, program("notes"));
    const { workers } = await site.runtime.manifests.export(operator);
    await site.runtime.workers.delete(operator, "notes");

    expect(workers).toMatchObject([
      { id: "notes", mcp: { stdio: SHOWN, secrets: { T_from: { env: "NOTES_T" } } } },
    ]);
    const filled = [{ ...workers[0], id: "notes", mcp: { ...program("notes").mcp, stdio: SHOWN } }];
    await site.runtime.manifests.apply(operator, { workers: filled as never });
    expect(await site.runtime.workers.get(operator, "notes")).toMatchObject({ mcp: { stdio: SHOWN } });
  });
});

describe("over HTTP, a program is refused with what to do", () => {
  const body = { id: "evil", mcp: { timeout: 10, retry: 0, stdio: STDIO } };

  test.each<[string, "post" | "patch", string, object]>([
    ["create", "post", "/v1/workers", body],
    [
      "create with an address",
      "post",
      "/v1/workers",
      { ...body, mcp: { ...body.mcp, uri: "http://127.0.0.1:9" } },
    ],
    ["create with nothing in it", "post", "/v1/workers", { id: "evil", mcp: { stdio: null } }],
    ["preview", "post", "/v1/workers/preview", { mcp: { stdio: STDIO } }],
    ["test", "post", "/v1/workers/test", { type: "mcp", mcp: { stdio: STDIO } }],
    ["update", "patch", "/v1/workers/notes", { mcp: { stdio: { command: "sh" } } }],
    ["update of its environment", "patch", "/v1/workers/notes", { mcp: { stdio: { environment: {} } } }],
    ["update of its secrets", "patch", "/v1/workers/notes", { mcp: { secrets: { T: "other" } } }],
    ["update of an address", "patch", "/v1/workers/far", { mcp: { stdio: STDIO } }],
    ["apply", "post", "/v1/admin/manifest", { workers: [body] }],
    ["apply without a change", "post", "/v1/admin/manifest", { workers: [{ ...body, id: "notes" }] }],
    ["a dry run of apply", "post", "/v1/admin/manifest?dry_run=true", { workers: [body] }],
  ])("by %s", async (_what, method, path, request) => {
    const { workers } = site.runtime;
    await workers.create(operator, program("notes"));
    await workers.create(operator, {
      id: "far",
      mcp: { uri: "http://127.0.0.1:9/mcp", timeout: 1, retry: 0 },
    });
    const before = JSON.stringify((await workers.list(operator)).items);
    const answer = await admin[method](path, request);

    expect([400, 403]).toContain(answer.status);
    expect(answer.text).toMatch(SENTENCE);
    expect(JSON.stringify((await workers.list(operator)).items)).toBe(before);
  });

  test("but its other settings can be changed, and it can be deleted", async () => {
    await site.runtime.workers.create(operator, program("notes"));
    const changed = await admin.patch("/v1/workers/notes", { enabled: false, mcp: { timeout: 20 } });
    const deleted = await admin.delete("/v1/workers/notes");

    expect(changed.body).toMatchObject({ enabled: false, mcp: { timeout: 20, stdio: SHOWN } });
    expect(deleted.status).toBe(204);
  });
});

test("a program is not told who calls in a token: it has no requests", async () => {
  const refused = site.runtime.workers.create(operator, { ...program("told"), identity: "jwt" });
  await expect(refused).rejects.toThrow("A program gets its user in its environment");
});
