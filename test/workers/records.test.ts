// The records of workers: what is stored, what is shown, and what is refused.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { query, run } from "../../src/store";
import type { CreateWorker } from "../../src/workers";
import { plainTool, type PlainWorker, startPlainWorker } from "../sandbox/workers";
import { dump } from "../server/stage";
import { testOnSqlite } from "../support/on-sqlite";
import { httpWorker, mcpWorker, startWorkerSite, type WorkerSite } from "./site";

let site: WorkerSite;
let upstream: PlainWorker;
beforeAll(async () => {
  site = await startWorkerSite();
  upstream = await startPlainWorker();
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
afterEach(async () => {
  upstream.catalog = { tools: [plainTool("echo")], skipped: [] };
  for (const { id } of (await site.runtime.workers.list(site.operator)).items)
    await site.runtime.workers.delete(site.operator, id);
});

const HEADERS = { "X-Api-Key": "${secret:KEY}", "X-Team": "blue" };

describe("a worker", () => {
  test("shows its settings, and of its secrets only that they exist", async () => {
    const { workers } = site.runtime;
    const request = mcpWorker("my-wiki", upstream.uri, {
      headers: HEADERS,
      secrets: { KEY: "header-CANARY" },
      oauth2: { client_id: "c", client_secret: "client-CANARY" },
    });
    const record = await workers.create(site.operator, request);

    const secret = { binding: "project", editable: true, exists: true };
    expect(record).toMatchObject({
      id: "my-wiki",
      type: "mcp",
      enabled: true,
      managed: false,
      binding: { id: "default", type: "project" },
      toolkit: "MyWiki",
      updates: "review",
      mcp: {
        uri: upstream.uri,
        timeout: 10,
        headers: HEADERS,
        secrets: { KEY: secret },
        oauth2: { client_id: "c", client_secret: secret },
      },
      requirements: { met: true },
      skipped: [],
      catalog: { tools: 1, new: 0, changed: 0, missing: 0 },
    });
    const sent = { "x-api-key": "header-CANARY", "x-team": "blue" };
    expect(upstream.asked).toContainEqual(expect.objectContaining(sent));
    const trail = await site.runtime.trail.audit(site.operator, {});
    expect(JSON.stringify([record, await workers.list(site.operator), trail])).not.toContain("CANARY");
    const data = join(site.folder, ".local/share/runtime");
    expect(JSON.stringify(dump(join(data, "runtime.db")))).not.toContain("CANARY");
  });

  testOnSqlite("has no secret in the files", async () => {
    const secrets = { KEY: "header-CANARY" };
    await site.runtime.workers.create(
      site.operator,
      mcpWorker("own", upstream.uri, { headers: HEADERS, secrets }),
    );
    await site.runtime.core.store.check();
    for (const file of ["runtime.db", "runtime.db-wal"]) {
      const stored = readFileSync(join(site.folder, ".local/share/runtime", file)).toString("latin1");
      expect(stored).not.toContain("-CANARY");
    }
  });

  test("is changed field by field; an empty secret removes it", async () => {
    const { workers } = site.runtime;
    await workers.create(site.operator, mcpWorker("own", upstream.uri, { secrets: { A: "1", B: "2" } }));

    const changed = await workers.update(site.operator, "own", {
      enabled: false,
      mcp: { timeout: 20, secrets: { A: "", C: "3" } },
      updates: "auto",
      limits: { concurrency: 2 },
    });

    expect(changed).toMatchObject({ enabled: false, updates: "auto", limits: { concurrency: 2 } });
    expect([changed.mcp?.timeout, changed.mcp?.uri, Object.keys(changed.mcp?.secrets ?? {})]).toEqual([
      20,
      upstream.uri,
      ["B", "C"],
    ]);
    expect(await workers.get(site.operator, "own")).toEqual(changed);
  });

  test("is not created if its id or its toolkit is taken", async () => {
    const { workers } = site.runtime;
    await workers.create(site.operator, mcpWorker("own", upstream.uri));

    await expect(workers.create(site.operator, mcpWorker("own", upstream.uri))).rejects.toMatchObject({
      name: "already_exists",
      status: 400,
    });
    await expect(workers.create(site.operator, mcpWorker("OWN", upstream.uri))).rejects.toThrow(
      "The worker own has a toolkit with the name OWN.",
    );
    await expect(workers.create(site.operator, mcpWorker("chat", upstream.uri))).rejects.toThrow(
      "This server itself has a toolkit with the name Chat. Give another one in toolkit.",
    );
    const other = await workers.create(site.operator, {
      ...mcpWorker("chat", upstream.uri),
      toolkit: "Talk",
    });
    expect(other.toolkit).toBe("Talk");
    await expect(workers.update(site.operator, "chat", { toolkit: "own" })).rejects.toThrow("has a toolkit");
  });

  test("is created although it does not answer, and says why it has no tools", async () => {
    upstream.catalog = undefined;
    const record = await site.runtime.workers.create(site.operator, mcpWorker("down", upstream.uri));

    expect(record.catalog).toEqual({
      tools: 0,
      new: 0,
      changed: 0,
      missing: 0,
      error: "It answered with the status 500.",
    });
    expect(await site.runtime.workers.catalogs.health(site.operator, "down")).toMatchObject({
      healthy: false,
      message: "It answered with the status 500.",
    });
  });

  test("belongs to its project alone, and goes with it", async () => {
    const { identity, workers, core } = site.runtime;
    const { id } = await identity.createProject(site.operator, "elsewhere", "elsewhere");
    const other = await identity.operator(id);
    await workers.create(other, mcpWorker("theirs", upstream.uri));

    expect((await workers.list(site.operator)).total_count).toBe(0);
    await expect(workers.get(site.operator, "theirs")).rejects.toMatchObject({ name: "not_found" });
    await expect(workers.delete(site.operator, "theirs")).rejects.toMatchObject({ name: "not_found" });
    expect(await workers.catalogsOf("default")).toEqual([]);
    expect(await workers.catalogsOf(id)).toHaveLength(1);

    await identity.deleteProject(site.operator, id);
    const rows = await core.store.all({ text: "SELECT worker_id FROM worker_catalogs" });
    expect(rows).toEqual([]);
  });

  test("leaves nothing behind when it is deleted, also for a later one with its id", async () => {
    const { workers } = site.runtime;
    await workers.create(site.operator, mcpWorker("own", upstream.uri));
    await workers.delete(site.operator, "own");
    upstream.catalog = undefined;

    const again = await workers.create(site.operator, mcpWorker("own", upstream.uri));

    expect(again.catalog.tools).toBe(0);
    expect(await workers.catalogsOf("default")).toEqual([]);
  });
});

describe("the origin of a worker", () => {
  test("is the only one that its secrets were given for", async () => {
    const { workers } = site.runtime;
    await using elsewhere = await startPlainWorker();
    const secrets = { KEY: "header-CANARY" };
    await workers.create(site.operator, mcpWorker("own", upstream.uri, { headers: HEADERS, secrets }));

    await expect(workers.update(site.operator, "own", { mcp: { uri: elsewhere.uri } })).rejects.toThrow(
      "mcp.secrets.KEY must be given again in the same request",
    );
    expect(elsewhere.asked).toEqual([]);
    // Another path of the same origin gets them.
    await workers.update(site.operator, "own", { mcp: { uri: `${upstream.uri}/v2` } });
    await workers.update(site.operator, "own", { mcp: { uri: elsewhere.uri, secrets: { KEY: "for it" } } });
    expect(elsewhere.asked.map((headers) => headers["x-api-key"])).toEqual(["for it"]);
  });

  test("is checked again before a secret is opened", async () => {
    const { workers, core } = site.runtime;
    await using elsewhere = await startPlainWorker();
    await workers.create(site.operator, httpWorker("own", upstream.uri));
    // What a faulty write or a restored row would leave.
    await core.store.write(() => run(query("UPDATE workers SET uri = ?"), elsewhere.uri));
    const { catalog } = await workers.catalogs.refresh(site.operator, "own");

    expect(catalog.error).toBe("Its secrets were given for another origin. Set them again.");
    expect(elsewhere.asked).toEqual([]);
  });

  test("is that of the secret of an HTTP worker", async () => {
    const { workers } = site.runtime;
    await using elsewhere = await startPlainWorker();
    await workers.create(site.operator, httpWorker("own", upstream.uri));

    await expect(workers.update(site.operator, "own", { http: { uri: elsewhere.uri } })).rejects.toThrow(
      "http.secret must be given again",
    );
    expect(elsewhere.asked).toEqual([]);
  });
});

describe("a request is refused", () => {
  const uri = "https://mcp.example.com/mcp";
  const cases: [string, CreateWorker, string][] = [
    ["without a protocol", { id: "a" }, "Exactly one of http and mcp is required."],
    [
      "with both protocols",
      { ...mcpWorker("a", uri), http: httpWorker("a", uri).http },
      "Exactly one of http and mcp is required.",
    ],
    [
      "with the type of the other protocol",
      { ...mcpWorker("a", uri), type: "http" },
      "type is http, but mcp is given. Give http, or the type mcp.",
    ],
    [
      "with an authorization server that is not an address",
      mcpWorker("a", uri, { oauth2: { authorization_url: "nonsense" } }),
      "mcp.oauth2.authorization_url must be an absolute http(s) address",
    ],
    [
      "with a password in the address of the issuer",
      mcpWorker("a", uri, { oauth2: { issuer: "https://a:b@issuer.example" } }),
      "mcp.oauth2.issuer must not contain a user or a password",
    ],
    [
      "with an address of another scheme",
      mcpWorker("a", "ftp://x.example"),
      "must be an absolute http(s) address",
    ],
    [
      "with a password in the address",
      mcpWorker("a", "https://me:CANARY@x.example"),
      "must not contain a user or a password; put it into mcp.secrets",
    ],
    [
      "with a secret in clear",
      mcpWorker("a", uri, { headers: { Authorization: "Bearer CANARY" } }),
      "mcp.headers.Authorization would store a secret in clear. Put the value into mcp.secrets",
    ],
    [
      "with an API key in clear",
      mcpWorker("a", uri, { headers: { "x-api-key": "CANARY" } }),
      "mcp.headers.x-api-key would store a secret in clear",
    ],
    [
      "with a cookie in clear",
      mcpWorker("a", uri, { headers: { cookie: "session=CANARY" } }),
      "mcp.headers.cookie would store a secret in clear",
    ],
    [
      "with a header that refers to nothing",
      mcpWorker("a", uri, { headers: { "X-Key": "${secret:NONE}" } }),
      "refers to a secret that is not in mcp.secrets: NONE. Add it there.",
    ],
    [
      "with a header name that is not one",
      mcpWorker("a", uri, { headers: { "a b": "c" } }),
      "mcp.headers has a name that is not valid in HTTP.",
    ],
    [
      "with a header twice",
      mcpWorker("a", uri, { headers: { "X-A": "1", "x-a": "2" } }),
      "mcp.headers has x-a twice.",
    ],
    [
      "with a line break in a header",
      mcpWorker("a", uri, { headers: { "X-A": "a\r\nX-Injected: CANARY" } }),
      "mcp.headers.X-A has characters that are not valid in a header",
    ],
    [
      "with a line break in the secret of a header",
      mcpWorker("a", uri, { headers: { "X-A": "${secret:K}" }, secrets: { K: "a\nX-Injected: CANARY" } }),
      "mcp.headers.X-A has characters that are not valid in a header",
    ],
    [
      "with a secret name that is not one",
      mcpWorker("a", uri, { secrets: { "a}b": "CANARY" } }),
      "Names in mcp.secrets have letters, digits and _ only.",
    ],
    [
      "with a header of the protocol",
      mcpWorker("a", uri, { headers: { "Mcp-Session-Id": "1" } }),
      "mcp.headers.Mcp-Session-Id is set by the protocol. Leave it out.",
    ],
    [
      "with a field of the other protocol",
      { ...httpWorker("a", "https://w.example"), trust_annotations: true },
      "trust_annotations has no effect on a worker of the type http.",
    ],
    ["with an id that makes no toolkit", mcpWorker("---", uri), "Give toolkit."],
    ["with an id that makes a long toolkit", mcpWorker("a".repeat(41), uri), "Give toolkit."],
  ];

  test.each(cases)("%s", async (_, request, message) => {
    const refused = site.runtime.workers.create(site.operator, request);

    await expect(refused).rejects.toMatchObject({ status: 400 });
    await expect(refused).rejects.toThrow(message);
    await expect(refused).rejects.not.toThrow("CANARY");
  });
});

test("an address that the policy refuses is an error that names the setting, and makes nothing", async () => {
  await using closed = await startWorkerSite({ environment: { RUNTIME_EGRESS_ALLOW: "" } });

  const refused = closed.runtime.workers.create(closed.operator, mcpWorker("own", upstream.uri));

  await expect(refused).rejects.toMatchObject({ status: 400, name: "invalid_parameter" });
  await expect(refused).rejects.toThrow(`include "${new URL(upstream.uri).host}"`);
  expect((await closed.runtime.workers.list(closed.operator)).items).toEqual([]);
});
