// `runtime status` and `runtime version`, as processes and against a server.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, setDefaultTimeout, test } from "bun:test";
import { version } from "../../../package.json";
import { api, at } from "../../support/api";
import { Upstream } from "../../support/mcp-upstream";
import { Installation } from "../../support/runtime-process";

// Several processes in each test.
setDefaultTimeout(30_000);

test("shows the running server: since when, its log, what it does", async () => {
  await using installation = new Installation(undefined);
  const server = await installation.serve();
  await installation.json(["log", "access", "on", "--for", "10m"]);

  const status = await installation.json(["status"]);

  expect(status).toMatchObject({
    version,
    healthy: true,
    schema: expect.any(Number),
    workers_down: [],
    queues: { scheduled_due: 0, scheduled_waiting: 0, scheduled_running: 0, revocations: 0, consents: 0 },
    backup: { every_hours: 0 },
    server: {
      version,
      pid: server.pid,
      log: { level: "info", access: true, access_until: expect.stringMatching(/Z$/) },
      load: { tool_calls: 0, mcp_streams: 0, unwritten_executions: 0, unstored_grants: 0 },
    },
  });
  expect(at(status, "server.started_at")).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  expect(Number(at(status, "server.load.memory_bytes"))).toBeGreaterThan(10_000_000);
  expect(Number(at(status, "server.load.open_files"))).toBeGreaterThan(3);
  // The question itself is one.
  expect(at(status, "server.load.requests")).toBe(1);
});

test("shows what waits, and workers that are down", async () => {
  await using installation = new Installation(undefined);
  const upstream = new Upstream({
    capabilities: { tools: {} },
    methods: { "tools/list": () => ({ tools: [{ name: "ping", inputSchema: { type: "object" } }] }) },
  });
  await installation.json(["workers", "create", "--id", "wiki", "--yes", upstream.url]);
  await installation.json([
    "tools",
    "exec",
    "Wiki.ping",
    "--user",
    "alice",
    "--run-at",
    "2030-01-01T00:00:00Z",
  ]);
  await upstream[Symbol.asyncDispose]();
  await installation.run(["workers", "refresh", "wiki"]);

  const status = await installation.json(["status"]);
  const { stdout } = await installation.run(["status"]);

  expect(status).toMatchObject({ workers: 1, workers_down: ["wiki"], queues: { scheduled_waiting: 1 } });
  expect(at(status, "server")).toBeUndefined();
  expect(stdout).toMatch(/^workers down +wiki$/m);
  expect(stdout).toMatch(/^scheduled runs +0 due, 0 running, 1 later$/m);
});

test("shows the newest backup of backup.folder that is not of the future", async () => {
  await using installation = new Installation(undefined);
  const folder = join(installation.home, "kept");
  mkdirSync(folder);
  for (const day of ["20260101", "20260102", "20990101"])
    writeFileSync(join(folder, `runtime-${day}T000000Z.backup`), "");
  installation.environment["RUNTIME_BACKUP_FOLDER"] = folder;
  installation.environment["RUNTIME_BACKUP_HOURS"] = "24";

  expect(await installation.json(["status"])).toMatchObject({
    backup: { made_at: "2026-01-02T00:00:00Z", every_hours: 24 },
  });
});

test("facts about the process are for admin keys only", async () => {
  await using installation = new Installation(undefined);
  const server = await installation.serve();
  const [admin, read] = [await installation.key("admin"), await installation.key("read")];

  const [full, part] = await Promise.all(
    [admin, read].map(async (key) => (await api(server.address, key).get("/v1/admin/status")).body),
  );

  expect(at(full, "server.pid")).toBe(server.pid);
  expect(at(part, "version")).toBe(version);
  expect(at(part, "server")).toBeUndefined();
});

test("version has names that scripts rely on", async () => {
  await using installation = new Installation(undefined);
  const found = await installation.json(["version"]);
  // Commit and date are those of a build: test/executable.
  expect(found).toMatchObject({ version, platform: `${process.platform}-${process.arch}` });
});
