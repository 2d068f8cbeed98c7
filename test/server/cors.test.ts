// Pages of other origins that call the API.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { loadConfig } from "../support/config";
import { head, sendRaw } from "./raw";
import { type Own, startOwn, testCatalog } from "./own";

const APP = "https://app.test";
const STRANGER = "https://stranger.test";

let own: Own;
let open: Own;
let closed: Own;
let key = "";
beforeAll(async () => {
  own = await startOwn([testCatalog], { RUNTIME_CORS_ALLOW: `${APP},http://localhost:3000` });
  open = await startOwn([testCatalog], { RUNTIME_CORS_ALLOW: "*" });
  closed = await startOwn([testCatalog]);
  key = await own.key("run");
});
afterAll(async () => {
  for (const each of [own, open, closed]) await each[Symbol.asyncDispose]();
});

interface Question {
  at?: Own;
  path?: string;
  origin?: string;
  method?: string;
}
const ask = ({ at = own, path = "/v1/tools/execute", origin = APP, method = "POST" }: Question = {}) =>
  fetch(at.url + path, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": method,
      "access-control-request-headers": "authorization,content-type, mcp-param-Region,x-y z,",
    },
  });
const words = (response: Response, name: string): string[] =>
  (response.headers.get(name) ?? "").split(",").map((word) => word.trim().toLowerCase());

describe("a browser's question before the real request", () => {
  test("needs no credential and is 204 without a body [fault: preflight]", async () => {
    const answer = await ask();

    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(answer.headers.get("access-control-allow-origin")).toBe(APP);
    expect(words(answer, "access-control-allow-methods")).toContain("post");
    // As many as it asked for: gateways have headers of their own.
    expect(words(answer, "access-control-allow-headers")).toEqual([
      "authorization",
      "content-type",
      "mcp-param-region",
    ]);
    expect(Number(answer.headers.get("access-control-max-age"))).toBeGreaterThan(0);
    expect(answer.headers.get("x-request-id")).toBeTruthy();
  });

  test("never lets cookies through", async () => {
    const answer = await ask();
    expect(answer.headers.get("access-control-allow-origin")).not.toBeNull();
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test("names what the path takes, whichever method was asked for", async () => {
    const answer = await ask({ path: "/v1/admin/auth_providers/slack", method: "DELETE" });
    expect(words(answer, "access-control-allow-methods").toSorted()).toEqual([
      "delete",
      "get",
      "head",
      "patch",
    ]);
  });

  test.each([STRANGER, "null", "https://app.test.evil.test", "http://app.test", "https://app.test:444", ""])(
    "of %p is answered like any OPTIONS, without headers for its page [fault: preflight]",
    async (origin) => {
      const answer = await ask({ origin });

      expect([answer.status, answer.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS, POST"]);
      expect([...answer.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    },
  );

  test("about a path that is not there is 404, which the page may read", async () => {
    const answer = await ask({ path: "/v1/nothing" });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([404, APP]);
  });

  test("has no headers for pages where no origin is allowed, which is the default", async () => {
    const answer = await ask({ at: closed });
    expect(answer.status).toBe(204);
    expect([...answer.headers.keys()].filter((name) => /access-control|vary/.test(name))).toEqual([]);
  });

  test("is answered to anybody where all origins are allowed", async () => {
    const answer = await ask({ at: open, origin: STRANGER });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });
});

describe("OPTIONS that is not a preflight", () => {
  test.each<[string, Record<string, string>]>([
    ["without any header", {}],
    ["without a method", { origin: APP }],
    ["without an origin", { "access-control-request-method": "POST" }],
  ])("%s is 204 and names what is allowed [fault: preflight]", async (_what, headers) => {
    const answer = await fetch(`${own.url}/v1/tools/execute`, { method: "OPTIONS", headers });
    expect([answer.status, answer.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS, POST"]);
  });
});

describe("an answer to a page", () => {
  const send = (path: string, origin: string, init: RequestInit = {}) =>
    fetch(own.url + path, {
      redirect: "manual",
      ...init,
      headers: { origin, authorization: key, ...Object(init.headers) },
    });

  test.each<[number, string, RequestInit]>([
    [200, "/v1/health", {}],
    [200, "/v1/tools", {}],
    [304, "/v1/tools", { headers: { "if-none-match": "*" } }],
    [400, "/v1/tools?limit=0", {}],
    [401, "/v1/tools", { headers: { authorization: "" } }],
    [403, "/v1/admin/secrets/A", { method: "POST", body: "{}" }],
    [404, "/v1/nothing", {}],
    [415, "/v1/tools/execute", { method: "POST", body: "x", headers: { "content-type": "text/plain" } }],
    [200, "/openapi.json", {}],
  ])(
    "with status %i of %s may be read by the allowed origin only [fault: preflight]",
    async (status, path, init) => {
      const mine = await send(path, APP, init);
      const theirs = await send(path, STRANGER, init);

      expect([mine.status, theirs.status]).toEqual([status, status]);
      expect(mine.headers.get("access-control-allow-origin")).toBe(APP);
      expect(words(mine, "access-control-expose-headers")).toEqual(
        expect.arrayContaining(["x-request-id", "retry-after", "x-should-retry"]),
      );
      expect(theirs.headers.get("access-control-allow-origin")).toBeNull();
      for (const answer of [mine, theirs]) expect(words(answer, "vary")).toContain("origin");
    },
  );

  test("to HEAD has the same headers", async () => {
    const answer = await sendRaw(own.url, [head("HEAD", "/v1/health", { origin: APP })]);
    expect(answer.head.toLowerCase()).toContain(`access-control-allow-origin: ${APP}`);
  });
});

test.each([
  "app.test",
  "https://app.test/",
  "https://app.test/path",
  "ftp://app.test",
  "null",
  "https://*.test x",
])("%p is not an origin, and prevents the start", (origin) => {
  expect(() => loadConfig({ environment: { HOME: "/home/x", RUNTIME_CORS_ALLOW: origin } })).toThrow(
    "RUNTIME_CORS_ALLOW",
  );
});
