// `runtime plugins` and `runtime hooks`, on the data folder and against a server.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../../src/base";
import { at } from "../../support/api";
import { type Site, startSite } from "../../support/site";
import { json, type WebhookPeer, webhookPeer } from "../../hooks/webhook-peer";
import { jsonOf, newTerminal } from "../support/fake-io";
import { testOnSqlite } from "../../support/on-sqlite";

let peer: WebhookPeer;
beforeAll(async () => {
  peer = await webhookPeer();
});
afterAll(() => peer[Symbol.dispose]());
beforeEach(() => {
  peer.asked.length = 0;
  peer.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
});

const ALLOW = { RUNTIME_EGRESS_ALLOW: "loopback" };
type Terminal = ReturnType<typeof newTerminal>;

/** Creates a plugin by flags and returns its record. */
async function create({ run }: Terminal, name: string, more: string[] = []): Promise<unknown> {
  const argv = ["plugins", "create", name, "--pre", `${peer.url}/pre`, ...more, "-o", "json"];
  const { code, io } = await run(argv, { env: ALLOW });
  expect([code, io.stderr]).toEqual([0, io.stderr]);
  return jsonOf(io);
}

describe("a plugin", () => {
  test("is created from flags, with fail-closed hooks and a token from a file", async () => {
    const terminal = newTerminal();
    writeFileSync(join(terminal.home, "token"), "the-token\n");

    const made = await create(terminal, "policy", [
      "--post",
      `${peer.url}/post`,
      "--token-file",
      join(terminal.home, "token"),
      "--priority",
      "7",
    ]);

    expect(made).toMatchObject({
      name: "policy",
      status: "inactive",
      webhook_config: { auth: { type: "bearer", token: { exists: true } } },
      hooks: [
        { hook_point: "tool.pre", failure_mode: "fail_closed", priority: 7 },
        { hook_point: "tool.post", failure_mode: "fail_closed", priority: 7 },
      ],
    });
    expect(JSON.stringify(made)).not.toContain("the-token");
  });

  test("is tested: shows the response of each webhook and the decision", async () => {
    const terminal = newTerminal();
    const id = String(at(await create(terminal, "policy", ["--post", `${peer.url}/post`]), "id"));
    peer.respond = ({ path }) =>
      path === "pre" ? { code: "CHECK_FAILED", error_message: "no" } : { code: "OK" };

    const { code, io } = await terminal.run(["plugins", "test", id], { env: ALLOW });

    expect([code, peer.count("pre"), peer.count("post")]).toEqual([0, 1, 1]);
    expect(io.stdout).toMatch(/tool\.pre\s+denied/);
    expect(io.stdout).toContain('{"code":"CHECK_FAILED","error_message":"no"}');
    expect(io.stdout).toMatch(/tool\.post\s+ok/);
  });

  test("that does not respond fails the test with the reason", async () => {
    const terminal = newTerminal();
    const id = String(at(await create(terminal, "policy"), "id"));
    peer.respond = (_asked, response) => json(response, 500, {});

    const { code, io } = await terminal.run(["plugins", "test", id, "-o", "json"], { env: ALLOW });

    expect(code).toBe(1);
    expect(jsonOf(io)).toMatchObject({ ok: false, results: [{ decision: "failed", reason: "status 500" }] });
  });

  test("is listed, shown, changed and deleted", async () => {
    const terminal = newTerminal();
    const { run } = terminal;
    const made = await create(terminal, "policy");
    const id = String(at(made, "id"));

    expect((await run(["plugins", "list", "-o", "name"])).io.stdout).toBe(`${id}\n`);
    expect((await run(["plugins", "show", id])).io.stdout).toContain(`${peer.url}/pre`);
    const updated = await run(["plugins", "update", id, "--status", "active", "-o", "json"]);
    expect(jsonOf(updated.io)).toMatchObject({ status: "active", version: 2 });
    const refused = await run(["plugins", "delete", id, "--yes"]);
    const hook = `Hooks use this plugin: "policy tool.pre" (${at(made, "hooks.0.id")}). Delete them first`;
    expect([refused.code, refused.io.stderr]).toEqual([5, expect.stringContaining(hook)]);
    expect((await run(["hooks", "delete", String(at(made, "hooks.0.id")), "--force"])).code).toBe(0);
    expect((await run(["plugins", "delete", id, "--yes"])).code).toBe(0);
    expect((await run(["plugins", "show", id])).code).toBe(3);
  });

  test("of the organization is created with --binding tenant, and so are its hooks", async () => {
    const terminal = newTerminal();
    const { run } = terminal;
    const made = await create(terminal, "company", ["--binding", "tenant", "--phase", "after"]);
    const hook = String(at(made, "hooks.0.id"));

    expect(at(made, "binding")).toEqual({ id: "default", type: "tenant" });
    expect((await run(["plugins", "list", "-o", "name"])).io.stdout).toBe("");
    expect((await run(["hooks", "list", "--binding", "tenant", "-o", "name"])).io.stdout).toBe(`${hook}\n`);
    expect((await run(["hooks", "list", "-o", "name"])).io.stdout).toBe(`${hook}\n`);
    expect((await run(["hooks", "list", "--binding", "project", "-o", "name"])).io.stdout).toBe("");
    expect((await run(["hooks", "list"])).io.stdout).toContain("tenant");
    expect((await run(["hooks", "show", hook])).code).toBe(0);
    expect((await run(["hooks", "show", hook, "--binding", "project"])).code).toBe(3);
    const shown = await run(["hooks", "show", hook, "--binding", "tenant", "-o", "json"]);
    expect(jsonOf(shown.io)).toMatchObject({ phase: "after" });
    expect((await run(["hooks", "update", hook, "--status", "inactive"])).code).toBe(0);
  });

  test.each([
    ["no name", ["plugins", "create", "--pre", "https://p.example/"], "The name is missing"],
    ["nothing to change", ["plugins", "update", "pl_1"], "Nothing to change"],
    ["standard input twice", ["plugins", "create", "x", "--token-file", "-", "--file", "-"], "only once"],
    [
      "an unknown failure mode",
      ["plugins", "create", "x", "--failure-mode", "maybe"],
      "fail_closed, fail_open",
    ],
  ])("rejects %s as a usage error", async (_what, argv, message) => {
    const { code, io } = await newTerminal().run(argv);
    expect([code, io.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("a hook", () => {
  test("is created at another point, changed, and listed", async () => {
    const terminal = newTerminal();
    const { run } = terminal;
    const id = String(at(await create(terminal, "policy"), "id"));
    const argv = [
      "hooks",
      "create",
      "late",
      "--plugin",
      id,
      "--point",
      "tool.pre",
      "--priority",
      "900",
      "-o",
      "json",
    ];
    const made = jsonOf((await run(argv)).io);
    expect(made).toMatchObject({ failure_mode: "fail_closed", phase: "before", priority: 900, name: "late" });

    const hook = String(at(made, "id"));
    const changed = await run([
      "hooks",
      "update",
      hook,
      "--failure-mode",
      "fail_open",
      "--timeout-ms",
      "200",
      "-o",
      "json",
    ]);
    expect(jsonOf(changed.io)).toMatchObject({ failure_mode: "fail_open", timeout_ms: 200, version: 2 });
    await run(["hooks", "update", hook, "--status", "inactive"]);
    const list = async (...more: string[]) => {
      const found = jsonOf((await run(["hooks", "list", "--plugin", id, ...more, "-o", "json"])).io);
      return Array.isArray(found) ? found.length : found;
    };
    expect([await list(), await list("--status", "active"), await list("--point", "tool.post")]).toEqual([
      2, 1, 0,
    ]);
  });

  test("is created in bulk, all or none", async () => {
    const terminal = newTerminal();
    const { run } = terminal;
    const id = String(at(await create(terminal, "policy"), "id"));
    const configs = (point: string) =>
      JSON.stringify({ configs: [{ plugin_id: id, hook_point: point, priority: 4 }] });

    const done = await run(["hooks", "bulk", "-", "-o", "json"], { stdin: configs("tool.pre") });
    expect(jsonOf(done.io)).toMatchObject([{ action: "updated", plugin_id: id }]);
    const refused = await run(["hooks", "bulk", "-"], { stdin: configs("tool.post") });
    expect([refused.code, refused.io.stderr]).toEqual([1, expect.stringContaining("configs.0.hook_point")]);
  });

  test.each([
    ["without a plugin", ["hooks", "create", "x", "--point", "tool.pre"], "--plugin is required"],
    ["without a point", ["hooks", "create", "x", "--plugin", "pl_1"], "--point is required"],
    ["without a change", ["hooks", "update", "hk_1"], "Nothing to change"],
  ])("rejects a hook %s as a usage error", async (_what, argv, message) => {
    const { code, io } = await newTerminal().run(argv);
    expect([code, io.stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("against a server", () => {
  let site: Site;
  let environment: Record<string, string>;
  beforeAll(async () => {
    site = await startSite();
    environment = { RUNTIME_SERVER: site.url, RUNTIME_API_KEY: await site.key("admin") };
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test("the same commands print the same records", async () => {
    const { run } = newTerminal();
    const remote = (...argv: string[]) => run([...argv, "-o", "json"], { env: environment });
    const made = jsonOf((await remote("plugins", "create", "policy", "--pre", `${peer.url}/pre`)).io);
    const id = String(at(made, "id"));
    expect(made).toMatchObject({ name: "policy", created_by: expect.stringMatching(/^key:/) });

    const tried = jsonOf((await remote("plugins", "test", id)).io);
    expect(tried).toMatchObject({ ok: true, results: [{ hook_point: "tool.pre", decision: "ok" }] });
    const hooks = jsonOf((await remote("hooks", "list")).io);
    expect(Array.isArray(hooks) && isObject(hooks[0]) && hooks[0]["plugin_id"]).toBe(id);
    expect((await remote("hooks", "delete", String(at(hooks, "0.id")), "--force")).code).toBe(0);
    expect((await remote("plugins", "delete", id, "--yes")).code).toBe(0);
  });

  test("does not create records of the organization", async () => {
    const { run } = newTerminal();
    const argv = ["plugins", "create", "x", "--pre", "https://p.example/", "--binding", "tenant"];
    const { code, io } = await run(argv, { env: environment });
    expect([code, io.stderr]).toEqual([2, expect.stringContaining("data folder only")]);
  });
});

describe("a webhook that decides about no call", () => {
  testOnSqlite("is named by every command that shows it, and by doctor", async () => {
    const { run } = await activePlugin();
    const added = await run(["plugins", "update", "policy", "--post", `${peer.url}/post`], { env: ALLOW });
    const hook = await run(["hooks", "list", "-o", "name"]);

    expect(added.io.stderr).toContain("Not in force: tool.post of policy. No hook calls this endpoint");
    expect((await run(["plugins", "list"])).io.stdout).toContain("tool.post (no hook)");
    const exported = (await run(["export"])).io.stdout;
    const applied = await run(["apply", "-f", "-"], { stdin: exported });
    expect([applied.code, applied.io.stderr]).toEqual([
      0,
      expect.stringContaining("Not in force: tool.post of policy"),
    ]);
    expect((await run(["plugins", "show", "policy"])).io.stdout).toContain("tool.post (no hook)");
    const checked = await run(["doctor", "-o", "json"], { env: ALLOW });
    expect(checked.io.stdout).toContain("No hook calls its endpoint for tool.post");
    await run(["hooks", "update", hook.io.stdout.trim(), "--status", "inactive"]);
    expect((await run(["plugins", "show", "policy"])).io.stdout).toContain("tool.pre (hook inactive)");
    expect((await run(["hooks", "list"])).io.stdout).toContain("no: hook inactive");
    await run(["hooks", "create", "after", "--plugin", "policy", "--point", "tool.post"]);
    expect((await run(["plugins", "show", "policy", "-o", "json"])).io.stdout).not.toContain("no_hook");
  });
});

/** An active plugin with a pre hook. */
async function activePlugin(): Promise<Terminal> {
  const terminal = newTerminal();
  await create(terminal, "policy", ["--status", "active"]);
  return terminal;
}
