// The operations of workers over HTTP: preconditions, repeats, bodies, and records of others.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ApiCall, api, at, call } from "../support/api";
import { type PlainWorker, startPlainWorker } from "../sandbox/workers";
import { httpWorker, mcpWorker, startWorkerSite, type WorkerSite } from "../workers/site";

let site: WorkerSite;
let upstream: PlainWorker;
let key: string;
let others: string;
beforeAll(async () => {
  site = await startWorkerSite();
  upstream = await startPlainWorker();
  key = await site.key("admin");
  await site.runtime.identity.createProject(site.operator, "elsewhere", "elsewhere");
  others = await site.key("admin", undefined, "elsewhere");
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

const admin = () => api(site.url, key);
const send = (request: Omit<ApiCall, "key">) => call(site.url, { key, ...request });

describe("a worker that is created again under the same key", () => {
  test("is the one of the first time, and is asked once", async () => {
    const headers = { "idempotency-key": "once-1" };
    const request = { method: "POST", path: "/v1/workers", body: mcpWorker("once", upstream.uri), headers };
    const first = await send(request);
    const asked = upstream.asked.length;
    const again = await send(request);

    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    expect(upstream.asked).toHaveLength(asked);
  });

  test("is taken under another key", async () => {
    const again = await admin().post("/v1/workers", mcpWorker("once", upstream.uri));
    expect([again.status, at(again.body, "name")]).toEqual([400, "already_exists"]);
  });
});

test("a change is made only to the version that it names", async () => {
  await admin().post("/v1/workers", mcpWorker("tagged", upstream.uri));
  const path = "/v1/workers/tagged";
  const tag = (await send({ method: "GET", path })).headers.get("etag") ?? "";
  const change = (headers: Record<string, string>) =>
    send({ method: "PATCH", path, body: { mcp: { timeout: 20 } }, headers });

  expect((await change({ "if-match": tag })).status).toBe(200);
  expect((await change({ "if-match": tag })).status).toBe(412);
  expect((await send({ method: "DELETE", path, headers: { "if-match": tag } })).status).toBe(412);
  expect((await send({ method: "GET", path, headers: { "if-none-match": tag } })).status).toBe(200);
});

describe("a body is 400 and names the field", () => {
  const worker = mcpWorker("body", "https://worker.example/mcp");
  test.each([
    ["another type", { ...worker, type: "openapi" }, "type"],
    ["no protocol", { id: "body" }, ""],
    ["an id that no path can have", { ...worker, id: "a/b" }, "id"],
    ["an id of 101 characters", { ...worker, id: "a".repeat(101) }, "id"],
    ["no address", { id: "body", mcp: { timeout: 1, retry: 0 } }, "mcp.uri"],
    ["no time limit", { id: "body", mcp: { uri: "https://worker.example", retry: 0 } }, "mcp.timeout"],
    ["a part of a second", { ...worker, mcp: { ...worker.mcp, timeout: 0.5 } }, "mcp.timeout"],
    ["eleven repeats", { ...worker, mcp: { ...worker.mcp, retry: 11 } }, "mcp.retry"],
    [
      "a header name with a space",
      { ...worker, mcp: { ...worker.mcp, headers: { "a b": "c" } } },
      "mcp.headers",
    ],
    ["a header that is a number", { ...worker, mcp: { ...worker.mcp, headers: { a: 1 } } }, "mcp.headers.a"],
    [
      "an address of 2,049 characters",
      mcpWorker("body", `https://worker.example/${"a".repeat(2026)}`),
      "mcp.uri",
    ],
    [
      "a secret of 101 characters",
      { id: "body", http: { ...httpWorker("body", "https://w.example").http, secret: "s".repeat(101) } },
      "http.secret",
    ],
    ["another way to update", { ...worker, updates: "never" }, "updates"],
    ["no calls at a time", { ...worker, limits: { concurrency: 0 } }, "limits.concurrency"],
    ["a toolkit with a dot", { ...worker, toolkit: "My.Kit" }, "toolkit"],
  ])("%s", async (_, body, field) => {
    const answer = await admin().post("/v1/workers", body);

    expect(answer.status).toBe(400);
    if (field !== "") expect(answer.text).toContain(field);
    expect((await admin().get("/v1/workers/body")).status).toBe(404);
  });

  test("null for a field that may be absent is not given", async () => {
    const body = { ...mcpWorker("nulls", upstream.uri), enabled: null, http: null, toolkit: null };
    expect((await admin().post("/v1/workers", body)).status).toBe(201);
  });
});

describe("an unknown worker is 404", () => {
  const cases: [string, string, object | undefined][] = [
    ["GET", "", undefined],
    ["PATCH", "", { enabled: true }],
    ["DELETE", "", undefined],
    ["GET", "/health", undefined],
    ["GET", "/tools", undefined],
    ["GET", "/authorize", undefined],
    ["POST", "/refresh", undefined],
    ["GET", "/diff", undefined],
    ["POST", "/accept", {}],
  ];
  const request = (method: string, path: string, body: object | undefined) => ({
    method,
    path,
    ...(body === undefined ? {} : { body }),
  });

  test.each(cases)("%s /v1/workers/{id}%s", async (method, rest, body) => {
    const answer = await send(request(method, `/v1/workers/unknown${rest}`, body));
    expect([answer.status, at(answer.body, "name")]).toEqual([404, "not_found"]);
  });

  test.each(cases)("also one of another project: %s /v1/workers/{id}%s", async (method, rest, body) => {
    await admin().post("/v1/workers", mcpWorker("theirs", upstream.uri));
    const asked = upstream.asked.length;
    const foreign = request(method, `/v1/workers/theirs${rest}`, body);
    const answer = await call(site.url, { key: others, ...foreign });

    expect([answer.status, at(answer.body, "name")]).toEqual([404, "not_found"]);
    expect(upstream.asked).toHaveLength(asked);
    expect((await admin().get("/v1/workers/theirs")).status).toBe(200);
  });
});

describe("a test of a server", () => {
  test("says what it is, and stores nothing", async () => {
    upstream.catalog = {
      tools: [],
      skipped: [],
      server: { name: "wiki", version: "2.0.0", description: "Pages" },
    };
    const before = (await admin().get("/v1/workers")).body;
    const { status, body } = await admin().post("/v1/workers/test", {
      type: "mcp",
      mcp: { uri: upstream.uri },
    });

    expect([status, body]).toEqual([
      200,
      {
        success: true,
        message: "It answers.",
        serverInfo: { name: "wiki", version: "2.0.0", description: "Pages" },
      },
    ]);
    expect((await admin().get("/v1/workers")).body).toEqual(before);
  });

  test("of one that fails says why", async () => {
    upstream.catalog = undefined;
    const { status, body } = await admin().post("/v1/workers/test", {
      type: "mcp",
      mcp: { uri: upstream.uri },
    });
    expect([status, body]).toEqual([200, { success: false, message: "It answered with the status 500." }]);
  });

  test.each([
    ["another type", { type: "files", mcp: { uri: "https://x.example" } }],
    ["the settings of the other type", { type: "http", mcp: { uri: "https://x.example" } }],
    ["no address", { type: "mcp" }],
    ["an address of another scheme", { type: "mcp", mcp: { uri: "file:///etc/passwd" } }],
  ])("with %s is 400", async (_, body) => {
    expect((await admin().post("/v1/workers/test", body)).status).toBe(400);
  });
});

describe("the consent of a worker that wants none", () => {
  const authorize = (id: string, query = "") => admin().get(`/v1/workers/${id}/authorize${query}`);

  test("is completed, for the user and with the address that were given", async () => {
    await using plain = await startPlainWorker();
    await admin().post("/v1/workers", mcpWorker("plain", plain.uri));
    const query = `?user_id=alice&next_uri=${encodeURIComponent("https://app.example/done")}`;

    const named = await authorize("plain", query);
    const unnamed = await authorize("plain");
    const unsafe = await authorize("plain", "?next_uri=javascript:alert(1)");

    const completed = { worker_id: "plain", status: "completed", scopes: [] };
    const next_uri = "https://app.example/done";
    expect([named.status, named.body]).toEqual([200, { ...completed, user_id: "alice", next_uri }]);
    expect([unnamed.status, unnamed.body]).toEqual([200, { ...completed, user_id: "worker:plain" }]);
    expect(unsafe.status).toBe(400);
  });

  test("is not known while the worker does not answer as one", async () => {
    await using mute = await startPlainWorker();
    mute.catalog = undefined;
    await admin().post("/v1/workers", mcpWorker("mute", mute.uri));

    const { status, body } = await authorize("mute", "?user_id=alice");

    expect([status, at(body, "name")]).toEqual([400, "tool_requirements_not_met"]);
    expect(at(body, "message")).toMatch(/"mute".* not known.*status 500.*Then ask again/);
  });

  test("is refused while the worker is disabled, with the command that enables it", async () => {
    await admin().post("/v1/workers", { ...mcpWorker("off", upstream.uri), enabled: false });

    const { status, body } = await authorize("off");

    expect([status, at(body, "name")]).toEqual([400, "tool_requirements_not_met"]);
    expect(at(body, "message")).toContain("runtime workers enable off");
  });
});
