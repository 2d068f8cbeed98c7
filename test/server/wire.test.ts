// Paths, methods and headers: what is served, and how everything else is refused.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at, call } from "../support/api";
import { head, sendRaw } from "./raw";
import { type Scenario, scenarios } from "./scenario";
import { type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("a path or method that does not exist is 404 for every caller", () => {
  const routes: [string, string][] = [
    ["POST", "/v1"],
    ["GET", "/v1/nothing"],
    ["GET", "/v1/tools/Chat.WhoAmI/more"],
    ["GET", "/v1/admin"],
    ["GET", "/V1/health"],
    ["GET", "/v1//tools"],
    ["GET", "/authorize/"],
    ["GET", "/api/v1/oauth/callback"],
    ["GET", "/v1/tools/execute/x"],
    ["POST", "/v1/health"],
    ["PUT", "/v1/tools"],
    ["DELETE", "/v1/tools"],
    ["PATCH", "/v1/tools/execute"],
    ["PUT", "/v1/admin/auth_providers/slack"],
    ["POST", "/v1/admin/auth_providers/slack"],
    ["PUT", "/authorize/x"],
    ["POST", "/api/v1/oauth/x/callback"],
    ["OPTIONS", "/v1/nothing"],
  ];
  const rows = routes.flatMap(([method, path]): Scenario[] => {
    const refused = {
      method,
      path,
      status: 404,
      error: "route_not_found",
      fields: { message: "requested route is not found or method is not allowed" },
    };
    return [
      { name: `${method} ${path} without a credential`, ...refused },
      { name: `${method} ${path} with a key`, as: "admin", ...refused },
    ];
  });
  scenarios(() => stage, rows);

  test.each(["//v1/health", "///v1/tools", "//v1/tools/Chat.WhoAmI", "//authorize/x"])(
    "%s is another path, under any host",
    async (path) => {
      for (const host of ["localhost:9099", "rt", "a.b", ""]) {
        const request = head("GET", path, { host, authorization: stage.keys.admin });
        expect((await sendRaw(stage.site.url, [request])).status).toBe(404);
      }
    },
  );

  test("a made-up path is 404 before anybody looks at the body", async () => {
    for (const raw of ["{broken", "x".repeat(5_000_000)]) {
      const answer = await call(stage.site.url, { method: "POST", path: "/v1/nothing", raw });
      expect(answer.status).toBe(404);
    }
  });
});

describe("HEAD", () => {
  test.each([
    ["/v1/health", 200],
    ["/v1/tools", 401],
    ["/v1/nothing", 404],
  ])("%s answers %d like GET, without a body [fault: preflight]", async (path, status) => {
    const answer = await sendRaw(stage.site.url, [head("HEAD", path)]);
    expect(answer.status).toBe(status);
    expect(answer.body).toBe("");
    expect(answer.head.toLowerCase()).toContain("content-type: application/json");
    expect(answer.head.toLowerCase()).toContain("x-request-id: ");
  });
});

describe("every answer", () => {
  test.each([
    ["200", "GET", "/v1/health"],
    ["401", "GET", "/v1/tools"],
    ["404", "GET", "/v1/nothing"],
    ["a page", "GET", "/authorize/nothing"],
    ["a callback", "GET", "/api/v1/oauth/nothing/callback"],
  ])("%s has a request id of its own", async (_what, method, path) => {
    const ids = await Promise.all(
      [1, 2].map(async () => {
        const response = await fetch(stage.site.url + path, { method });
        return response.headers.get("x-request-id") ?? "";
      }),
    );
    expect(ids[0]).toMatch(/^[0-9a-z]{20}$/);
    expect(ids[0]).not.toBe(ids[1] ?? "");
  });

  test("is in the log under its request id", async () => {
    const answer = await call(stage.site.url, { method: "GET", path: "/v1/nothing" });
    const id = answer.headers.get("x-request-id") ?? "none";
    const line = stage.site.logLines.find((text) => text.includes(id)) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({ method: "GET", path: "/v1/nothing", status: 404 });
  });

  test("is not to be kept by caches", async () => {
    const answer = await call(stage.site.url, { method: "GET", path: "/v1/health" });
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});

describe("a path value", () => {
  const get = (path: string) => ({ method: "GET", path, as: "admin" as const });
  const long = "x".repeat(5000);
  scenarios(
    () => stage,
    [
      {
        name: "with a broken escape is 400",
        ...get("/v1/tools/%zz"),
        status: 400,
        error: "invalid_parameter",
      },
      { name: "that ends in a percent sign is 400", ...get("/v1/tools/a%"), status: 400 },
      { name: "that is not UTF-8 is 400", ...get("/v1/tools/%ff%fe"), status: 400 },
      {
        name: "with NUL is 400",
        ...get("/v1/tools/Chat%00.WhoAmI"),
        status: 400,
        error: "invalid_parameter",
      },
      { name: "is decoded", ...get("/v1/tools/Chat%2EWhoAmI"), status: 200, contains: ["Chat.WhoAmI"] },
      { name: "of 5,000 letters is 400", ...get(`/v1/tools/${long}`), status: 400, lacks: [long] },
      {
        name: "of 5,000 letters is 400 for records",
        ...get(`/v1/admin/auth_providers/${long}`),
        status: 400,
      },
      {
        name: "that leaves its place finds nothing",
        ...get("/v1/admin/auth_providers/..%2fsecrets"),
        status: 404,
        error: "not_found",
      },
      // The published statuses of this operation have no 400: what can be no id is an unknown id.
      {
        name: "that can be no id is 404 where 400 is not declared",
        method: "DELETE",
        path: "/v1/admin/secrets/%ff",
        as: "admin",
        status: 404,
        error: "not_found",
      },
      {
        name: "of 5,000 letters too",
        method: "DELETE",
        path: `/v1/admin/secrets/${long}`,
        as: "admin",
        status: 404,
      },
    ],
  );
});

describe("a query", () => {
  const status = (query: string) => ({ method: "GET", path: `/v1/auth/status?${query}`, as: "run" as const });
  scenarios(
    () => stage,
    [
      {
        name: "without a required parameter is 400",
        ...status("wait=0"),
        status: 400,
        contains: ["id is required"],
      },
      {
        name: "with NUL is 400",
        ...status("id=a%00b"),
        status: 400,
        error: "malformed_request",
        lacks: ["a\\u0000"],
      },
      { name: "that is not UTF-8 is 400", ...status("id=a%ffb"), status: 400, error: "malformed_request" },
      {
        name: "with an unknown parameter is read without it",
        method: "GET",
        path: "/v1/tools?x=1",
        as: "run",
        status: 200,
      },
      {
        name: "with a parameter twice takes the last",
        method: "GET",
        path: "/v1/tools?limit=x&limit=1",
        as: "run",
        status: 200,
        fields: { limit: 1 },
      },
      {
        name: "of a public operation is not looked at",
        method: "GET",
        path: "/v1/health?%00=%zz",
        status: 200,
      },
    ],
  );
});

describe("the host that a caller names", () => {
  test.each([
    ["localhost", 200],
    ["rt", 200],
    ["x", 200],
    ["evil.example", 200],
    ["", 200],
    ["[", 400],
    ["a b", 400],
  ])("%p does not matter if it is one: %i", async (host, status) => {
    const answer = await sendRaw(stage.site.url, [
      head("GET", "/v1/tools/Chat.WhoAmI?user_id=alice", { host, authorization: stage.keys.run }),
    ]);
    expect(answer.status).toBe(status);
  });

  test("may be missing, as health probes of HTTP/1.0 leave it out", async () => {
    const answer = await sendRaw(stage.site.url, ["GET /v1/health HTTP/1.0\r\n\r\n"]);
    expect(answer.status).toBe(200);
    expect(answer.body).toBe('{"healthy":true}');
  });
});

describe("the Host header", () => {
  const withHosts = (path: string, ...hosts: string[]) =>
    sendRaw(stage.site.url, [
      `GET ${path} HTTP/1.1\r\n${hosts.map((host) => `host: ${host}\r\n`).join("")}connection: close\r\n\r\n`,
    ]);

  test.each(["/v1/health", "/v1/nothing", "/authorize/x", "/mcp/x", "/openapi.json"])(
    "of %s is exactly one",
    async (path) => {
      for (const hosts of [["a.example", "b.example"], ["a.example", "a.example"], ["a.example", ""], []]) {
        expect([hosts, (await withHosts(path, ...hosts)).status]).toEqual([hosts, 400]);
      }
    },
  );

  test.each([
    "a.example",
    "a.example:443",
    "127.0.0.1:9099",
    "[::1]:9099",
    "a_b.example",
    "xn--bcher-kva.example",
  ])("%s is accepted", async (host) => {
    expect((await withHosts("/v1/health", host)).status).toBe(200);
  });
});

describe("an invalid request", () => {
  test.each([
    ["an unknown method", "BREW /v1/health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"],
    ["no version", "GET /v1/health\r\n\r\n"],
    [
      "two lengths",
      head("POST", "/v1/tools/execute", { "content-length": "3", "transfer-encoding": "chunked" }),
    ],
    ["a length that is not a number", head("POST", "/v1/tools/execute", { "content-length": "abc" })],
    ["a negative length", head("POST", "/v1/tools/execute", { "content-length": "-5" })],
  ])("%s is refused and the server lives on", async (_what, text) => {
    const answer = await sendRaw(stage.site.url, [text]);
    expect(answer.status).not.toBe(200);
    expect((await call(stage.site.url, { method: "GET", path: "/v1/health" })).status).toBe(200);
  });

  test("a refused body is not taken for the next request", async () => {
    const inner = "GET /v1/health HTTP/1.1\r\nhost: inner\r\n\r\n";
    const first = `POST /v1/tools/execute HTTP/1.1\r\nhost: x\r\ncontent-length: ${inner.length}\r\n\r\n${inner}`;
    const answer = await sendRaw(stage.site.url, [first + head("GET", "/v1/nothing")]);
    expect(answer.status).toBe(401);
    expect(answer.body).toContain("HTTP/1.1 404");
    expect(answer.body).not.toContain("healthy");
  });
});

test("the log does not contain a consent address, not even a mistyped one", async () => {
  for (const path of ["/authorize/t0ken-canary", "//authorize/t0ken-canary", "/authorize/t0ken-canary/"]) {
    await sendRaw(stage.site.url, [head("GET", path)]);
  }
  const log = stage.site.logLines.join("\n");
  expect(log).toContain('"path":"/authorize/');
  expect(log).not.toContain("t0ken-canary");
});

test("the log names no credential and no cookie", async () => {
  const headers = { authorization: "Bearer s3cr3t-key", cookie: "runtime_consent=s3cr3t-cookie" };
  const answer = await call(stage.site.url, { method: "GET", path: "/v1/tools?token=s3cr3t-query", headers });
  expect(at(answer.body, "name")).toBe("invalid_authorization");
  const log = stage.site.logLines.join("\n");
  expect(log).toContain(answer.headers.get("x-request-id") ?? "no id");
  expect(log).not.toContain("s3cr3t");
});

test("a request for a tunnel is refused like a path that does not exist", async () => {
  const answer = await sendRaw(stage.site.url, [
    "CONNECT 127.0.0.1:80 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
  ]);

  expect([400, 404, 405]).toContain(answer.status);
  expect(JSON.parse(answer.body)).toMatchObject({ status: answer.status });
  expect(answer.head.toLowerCase()).toContain("x-request-id");
});
