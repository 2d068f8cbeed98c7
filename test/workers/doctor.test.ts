// What `runtime doctor` and `runtime status` say about workers, and those of the configuration.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at } from "../support/api";
import { createRuntime } from "../../src/runtime";
import { statusOf } from "../../src/status";
import { checkWorkers } from "../../src/worker-findings";
import { extensions } from "../../catalogs";
import { loadConfig } from "../support/config";
import { temporaryFolder } from "../support/temporary";
import { type PlainWorker, plainTool, startPlainWorker } from "../sandbox/workers";
import { httpWorker, mcpWorker, startWorkerSite, type WorkerSite } from "./site";

let site: WorkerSite;
let upstream: PlainWorker;
let fixed: PlainWorker;
beforeAll(async () => {
  [upstream, fixed] = [await startPlainWorker(), await startPlainWorker([plainTool("of_all")])];
  const workers = [
    {
      id: "shared",
      mcp: {
        uri: fixed.uri,
        headers: { "X-Api-Key": "${secret:KEY}" },
        secrets: { KEY: "${env:SHARED_KEY}" },
      },
    },
  ];
  site = await startWorkerSite({
    environment: { RUNTIME_WORKERS: JSON.stringify(workers), SHARED_KEY: "shared-CANARY" },
  });
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await fixed[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

describe("a worker of the configuration", () => {
  test("is shown in every project, and belongs to none", async () => {
    const { identity, workers } = site.runtime;
    const { id } = await identity.createProject(site.operator, "elsewhere", "elsewhere");
    for (const principal of [site.operator, await identity.operator(id)]) {
      const record = await workers.get(principal, "shared");
      expect(record).toMatchObject({ binding: { type: "static" }, toolkit: "Shared", enabled: true });
      expect(record.mcp?.secrets).toEqual({
        KEY: { binding: "static", editable: false, exists: true },
      });
      expect((await workers.list(principal)).items.map((one) => one.id)).toContain("shared");
      expect(JSON.stringify(record)).not.toContain("CANARY");
    }
  });

  test("offers its tools once its catalog is read, in each project for itself", async () => {
    const { workers, identity } = site.runtime;
    const { id } = await identity.createProject(site.operator, "other", "other");
    await workers.catalogs.refresh(site.operator, "shared");

    expect(fixed.asked.at(-1)).toMatchObject({ "x-api-key": "shared-CANARY" });
    expect((await workers.catalogsOf("default")).map(({ toolkit }) => toolkit.name)).toEqual(["Shared"]);
    expect(await workers.catalogsOf(id)).toEqual([]);
  });

  test("cannot be changed over the API, nor its id or toolkit taken", async () => {
    const { workers } = site.runtime;
    const readOnly = { name: "read_only", status: 400 };
    await expect(workers.update(site.operator, "shared", { enabled: false })).rejects.toMatchObject(readOnly);
    await expect(workers.delete(site.operator, "shared")).rejects.toMatchObject(readOnly);
    await expect(workers.create(site.operator, mcpWorker("shared", upstream.uri))).rejects.toMatchObject({
      name: "already_exists",
    });
    await expect(workers.create(site.operator, mcpWorker("SHARED", upstream.uri))).rejects.toThrow(
      "The worker shared has a toolkit with the name SHARED.",
    );
  });

  test.each([
    [
      "a secret in clear",
      [{ id: "a", mcp: { uri: "https://x.example", headers: { Authorization: "Bearer CANARY" } } }],
      '"workers" entry 1: mcp.headers.Authorization would store a secret in clear.',
    ],
    [
      "a toolkit that is taken",
      [{ id: "chat", mcp: { uri: "https://x.example" } }],
      '"workers" entry 1: another toolkit has the name Chat. Set toolkit.',
    ],
    [
      "an address that cannot be one",
      [{ id: "a", mcp: { uri: "ftp://x.example" } }],
      "must be an absolute http(s) address",
    ],
  ])("with %s stops the start", async (_, workers, message) => {
    const environment = { HOME: temporaryFolder(), RUNTIME_WORKERS: JSON.stringify(workers) };
    const started = createRuntime(loadConfig({ environment }), extensions);

    await expect(started).rejects.toMatchObject({ name: "configuration" });
    await expect(started).rejects.toThrow(message);
    await expect(started).rejects.not.toThrow("CANARY");
  });
});

test("the doctor names workers that do not answer, and catalogs that wait for an acceptance", async () => {
  const { workers } = site.runtime;
  await using down = await startPlainWorker();
  await workers.create(site.operator, mcpWorker("wiki", upstream.uri));
  await workers.create(site.operator, httpWorker("down", down.uri));
  await workers.create(site.operator, { ...mcpWorker("off", upstream.uri), enabled: false });
  upstream.catalog = { tools: [plainTool("echo"), plainTool("added")], skipped: [] };
  await workers.catalogs.refresh(site.operator, "wiki");
  down.catalog = undefined;

  expect(await checkWorkers(site.runtime, site.operator)).toEqual([
    { check: "worker shared", status: "ok", message: "It answers." },
    { check: "worker wiki", status: "ok", message: "It answers." },
    {
      check: "catalog of wiki",
      status: "warning",
      message: "It has changed: 1 new, 0 changed and 0 missing tools are not accepted.",
      fix: "Look at them and accept them: runtime workers diff wiki, runtime workers accept wiki",
    },
    {
      check: "worker down",
      status: "warning",
      message: "It answered with the status 500. Calls of its tools fail.",
      fix: "Start or correct it, then read its catalog: runtime workers refresh down",
    },
  ]);
  expect(at(await statusOf(site.runtime, site.operator), "workers")).toBe(4);
});
