// Workers in a manifest: an export can be applied again, except for secrets; catalogs are not part of it.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Manifest } from "../../src/manifest";
import type { Principal } from "../../src/identity";
import { refusal } from "../connections/executing";
import { type PlainWorker, plainTool, startPlainWorker } from "../sandbox/workers";
import { httpWorker, mcpWorker, startWorkerSite, type WorkerSite } from "../workers/site";

const STATIC = [{ id: "shared", mcp: { uri: "http://127.0.0.1:9/mcp" } }];

let site: WorkerSite;
let upstream: PlainWorker;
let projects = 0;
beforeAll(async () => {
  site = await startWorkerSite({ environment: { RUNTIME_WORKERS: JSON.stringify(STATIC) } });
  upstream = await startPlainWorker();
  const secrets = { KEY: "header-CANARY" };
  const headers = { "X-Api-Key": "${secret:KEY}" };
  await site.runtime.workers.create(site.operator, {
    ...mcpWorker("wiki", upstream.uri, {
      headers,
      secrets,
      oauth2: { client_id: "c", client_secret: "s-CANARY" },
    }),
    limits: { concurrency: 3 },
  });
  await site.runtime.workers.create(site.operator, { ...httpWorker("own", upstream.uri), enabled: false });
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

async function newProject(): Promise<Principal> {
  const id = `project-${(projects += 1)}`;
  await site.runtime.identity.createProject(site.operator, id, id);
  return site.runtime.identity.operator(id);
}

describe("the manifest of a project", () => {
  test("contains its own workers, with variables instead of their secrets", async () => {
    const document = await site.runtime.manifests.export(site.operator);

    expect(document.workers).toEqual([
      {
        id: "own",
        type: "http",
        enabled: false,
        http: { uri: upstream.uri, timeout: 10, retry: 0, secret_from: { env: "OWN_SECRET" } },
        updates: "review",
        send_tokens: true,
      },
      {
        id: "wiki",
        type: "mcp",
        enabled: true,
        mcp: {
          uri: upstream.uri,
          timeout: 10,
          retry: 0,
          headers: { "X-Api-Key": "${secret:KEY}" },
          secrets: { KEY_from: { env: "WIKI_KEY" } },
          oauth2: { client_id: "c", client_secret_from: { env: "WIKI_CLIENT_SECRET" } },
        },
        updates: "review",
        toolkit: "Wiki",
        trust_annotations: false,
        strict_results: false,
        limits: { concurrency: 3 },
      },
    ]);
    expect(JSON.stringify(document)).not.toContain("CANARY");
  });

  test("creates them in another project with their tools, and changes nothing when it is applied again", async () => {
    const { manifests, workers } = site.runtime;
    const project = await newProject();
    const wanted: Manifest["workers"] = [
      mcpWorker("wiki", upstream.uri, {
        headers: { "X-Api-Key": "${secret:KEY}" },
        secrets: { KEY: "another" },
      }),
      httpWorker("own", upstream.uri),
    ];
    const first = await manifests.apply(project, { workers: wanted });
    const asked = upstream.asked.length;
    const again = await manifests.apply(project, { workers: wanted });

    expect(first.changes.map(({ action }) => action)).toEqual(["create", "create"]);
    expect((await workers.get(project, "wiki")).catalog.tools).toBe(1);
    expect(again.changes.map(({ action }) => action)).toEqual(["unchanged", "unchanged"]);
    expect(upstream.asked).toHaveLength(asked);
  });

  test("an export is applied without a change where the secrets are stored", async () => {
    const { manifests } = site.runtime;
    const { workers } = await manifests.export(site.operator);

    const { changes, missing } = await manifests.apply(site.operator, { workers } as Manifest);
    expect([changes.map(({ action }) => action), missing]).toEqual([["unchanged", "unchanged"], undefined]);
    const elsewhere = manifests.apply(await newProject(), { workers } as Manifest);
    await expect(elsewhere).rejects.toThrow(
      "Missing: secret of the worker own, client_secret of the worker wiki, secrets.KEY of the worker wiki.",
    );
  });

  test("changes what differs, names a secret only, and deletes with prune", async () => {
    const { manifests, workers } = site.runtime;
    const project = await newProject();
    const worker = mcpWorker("wiki", upstream.uri, { secrets: { KEY: "one-CANARY" } });
    await manifests.apply(project, { workers: [worker, httpWorker("own", upstream.uri)] });
    const changed = { ...worker, mcp: { ...worker.mcp, timeout: 20, secrets: { KEY: "two-CANARY" } } };
    const { changes } = await manifests.apply(project, { workers: [changed] }, { prune: true });

    expect(changes).toEqual([
      { kind: "worker", name: "own", action: "delete" },
      {
        kind: "worker",
        name: "wiki",
        action: "update",
        fields: ["mcp.timeout", "mcp.secrets.KEY"],
        differences: [{ field: "mcp.timeout", before: 10, after: 20 }, { field: "mcp.secrets.KEY" }],
      },
    ]);
    expect((await workers.list(project)).items.map(({ id }) => id)).toEqual(["shared", "wiki"]);
  });

  test("reads the catalogs of its workers together", async () => {
    const { manifests } = site.runtime;
    const project = await newProject();
    let waiting = 0;
    const all = Promise.withResolvers<void>();
    upstream.before = () => {
      waiting += 1;
      if (waiting === 5) all.resolve();
      return all.promise;
    };
    upstream.catalog = { tools: [plainTool("echo")], skipped: [] };
    const workers = Array.from({ length: 5 }, (_, index) => mcpWorker(`worker-${index}`, upstream.uri));
    await manifests.apply(project, { workers });
    upstream.before = undefined;

    expect(waiting).toBe(5);
  });

  test.each<[string, NonNullable<Manifest["workers"]>[number], RegExp]>([
    [
      "a worker of the configuration",
      mcpWorker("shared", "https://x.example"),
      /belongs to the configuration/,
    ],
    ["another type", httpWorker("wiki", "https://x.example"), /has type mcp, which cannot be changed/],
    ["no protocol", { id: "none" }, /workers\.0 must have exactly one of http and mcp/],
    [
      "an address at another origin without the secrets",
      mcpWorker("wiki", "http://127.0.0.1:9/mcp"),
      /mcp\.secrets\.KEY must be given again/,
    ],
  ])("refuses %s before anything is changed", async (_what, worker, said) => {
    const { manifests, secrets } = site.runtime;
    const document = { secrets: [{ key: "FIRST", value: "x" }], workers: [worker] };
    const error = await refusal(manifests.apply(site.operator, document));

    expect(error.message).toMatch(said);
    expect((await secrets.list(site.operator)).items).toEqual([]);
  });
});
