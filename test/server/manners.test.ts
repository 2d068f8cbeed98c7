// What every answer has besides its body: methods, retries, traces, deprecation, and errors in the form of RFC 9457.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { errorAnswer } from "../../server/answer";
import { conflict, internalError, rateLimited, RuntimeError, unavailable } from "../../src/errors";
import { api, at, call } from "../support/api";
import { connect, type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("a method that a path does not take", () => {
  test.each([
    ["DELETE", "/v1/health", "GET, HEAD"],
    ["POST", "/v1/tools", "GET, HEAD"],
    ["PATCH", "/v1/tools/execute", "GET, HEAD, POST"],
    ["PUT", "/v1/admin/auth_providers/slack", "GET, HEAD, PATCH, DELETE"],
    ["GET", "/v1/admin/secrets/X", "POST, PUT, DELETE"],
    ["PUT", "/v1/orgs/default/projects/default/tools", "GET, HEAD"],
    ["DELETE", "/authorize/x", "GET, HEAD, POST"],
    ["POST", "/openapi.json", "GET, HEAD"],
  ])("%s %s is answered with what it takes", async (method, path, allowed) => {
    const answer = await call(stage.site.url, { method, path });
    const methods = (answer.headers.get("allow") ?? "").split(", ");

    expect(answer.status).toBe(404);
    expect(methods.toSorted()).toEqual(["OPTIONS", ...allowed.split(", ")].toSorted());
  });

  test("a path that does not exist takes none", async () => {
    const answer = await call(stage.site.url, { method: "DELETE", path: "/v1/nothing" });
    expect(answer.status).toBe(404);
    expect(answer.headers.get("allow")).toBeNull();
  });
});

describe("an error", () => {
  test.each([
    [401, "Unauthorized", "/v1/tools", undefined],
    [404, "Not Found", "/v1/nothing", undefined],
    [400, "Bad Request", "/v1/tools?limit=0", "admin"],
    [404, "Not Found", "/v1/admin/auth_providers/none", "admin"],
  ] as const)("with status %i also has the members of RFC 9457", async (status, title, path, as) => {
    const key = as === undefined ? undefined : stage.keys[as];
    const answer = await call(stage.site.url, { method: "GET", path, key });

    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ type: "about:blank", title, status });
    expect(at(answer.body, "detail")).toBe(at(answer.body, "message") as string);
    // Public clients parse what says so, and nothing else.
    expect(answer.headers.get("content-type")).toBe("application/json");
  });
});

describe("whether a client should send it again", () => {
  test.each([
    ["a conflict", conflict("taken"), "false", null],
    ["too many requests", rateLimited("wait", { retryAfterMs: 1200 }), "true", "2"],
    [
      "what an upstream did not answer in time",
      new RuntimeError("gateway_timeout", 504, "late"),
      "false",
      null,
    ],
    ["a database that is locked", unavailable("locked", { retryAfterMs: 1 }), null, "1"],
    ["a failure of ours", internalError("broken"), null, null],
    ["a failure that will not pass", internalError("broken", { shouldRetry: false }), "false", null],
    ["anything thrown", new TypeError("s3cr3t"), null, null],
  ])("%s says so", (_what, error, shouldRetry, retryAfter) => {
    const { headers } = errorAnswer(error);
    expect([headers.get("x-should-retry"), headers.get("retry-after")]).toEqual([shouldRetry, retryAfter]);
  });
});

describe("traceparent", () => {
  const TRACE = "0af7651916cd43dd8448eb211c80319c";
  const send = (path: string, traceparent: string) =>
    fetch(stage.site.url + path, { headers: { traceparent, authorization: stage.keys.read } });

  test.each(["/v1/health", "/v1/tools", "/v1/nothing", "/authorize/nothing"])(
    "comes back on %s, and its trace id is in the log",
    async (path) => {
      const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
      const answer = await send(path, traceparent);

      expect(answer.headers.get("traceparent")).toBe(traceparent);
      const id = answer.headers.get("x-request-id") ?? "none";
      const line = stage.site.logLines.find((text) => text.includes(id)) ?? "{}";
      expect(JSON.parse(line)).toMatchObject({ trace_id: TRACE });
    },
  );

  test.each([
    `00-${TRACE}-b7ad6b7169203331`,
    `00-${"0".repeat(32)}-b7ad6b7169203331-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `ff-${TRACE}-b7ad6b7169203331-01`,
    `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`,
    `00-${TRACE}-b7ad6b7169203331-01-${"x".repeat(600)}`,
    "x",
  ])("%p is none, and is left out", async (traceparent) => {
    expect((await send("/v1/health", traceparent)).headers.get("traceparent")).toBeNull();
  });
});

describe("a deprecated tool", () => {
  const OLD = "Chat.ListPublicChannelsMetadata";
  const expectDeprecated = (headers: Headers) => {
    expect(headers.get("deprecation")).toMatch(/^@\d{10}$/);
    expect(headers.get("link")).toBe(
      `<${stage.site.url}/v1/tools/Chat.ListConversations>; rel="successor-version"`,
    );
  };

  test("says so when it is read, in every form, and when it is run", async () => {
    await connect(stage, "alice");
    const admin = api(stage.site.url, stage.keys.admin);
    const request = { tool_name: OLD, user_id: "alice", input: { limit: 1 } };

    expectDeprecated((await admin.get(`/v1/tools/${OLD}`)).headers);
    expectDeprecated((await admin.get(`/v1/formatted_tools/${OLD}`)).headers);
    expectDeprecated((await admin.post("/v1/tools/authorize", { ...request, input: undefined })).headers);
    const run = await admin.post("/v1/tools/execute", request);
    expect(at(run.body, "success")).toBe(true);
    expectDeprecated(run.headers);
  });

  test("is told from others, which say nothing", async () => {
    const answer = await api(stage.site.url, stage.keys.read).get("/v1/tools/Chat.ListConversations");
    expect([answer.headers.get("deprecation"), answer.headers.get("link")]).toEqual([null, null]);
  });

  test("knows the day on which it was replaced", () => {
    const old = extensions.catalogs.flatMap(({ tools }) =>
      tools.filter(({ replacement }) => replacement !== undefined),
    );
    expect(old.length).toBeGreaterThan(0);
    for (const { name, deprecatedSince = "" } of old) {
      expect([name, Number.isNaN(Date.parse(deprecatedSince))]).toEqual([name, false]);
    }
  });
});

test.each(["/v1/health", "/v1/config", "/v1/admin/secrets", "/v1/tools/Chat.WhoAmI", "/authorize/x"])(
  "%s is kept by no cache",
  async (path) => {
    const answer = await fetch(stage.site.url + path, { headers: { authorization: stage.keys.admin } });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  },
);

test("what may be kept is kept by its caller alone, and asked about each time", async () => {
  const answer = await fetch(`${stage.site.url}/v1/tools`, { headers: { authorization: stage.keys.read } });
  expect(answer.headers.get("cache-control")).toBe("private, no-cache");
  expect(answer.headers.get("vary")).toBe("authorization");
});
