// What a wrong address or method is told: a true `Allow`, the address without its slash, and a page at the root.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { version } from "../../package.json";
import { createApp } from "../../server/app";
import { head, sendRaw } from "./raw";
import { type Stage, startStage } from "./stage";

let stage: Stage;
/** Path → methods. */
const served = new Map<string, string[]>();
beforeAll(async () => {
  stage = await startStage();
  for (const route of createApp(stage.site.runtime, new AbortController().signal).routes) {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern.replaceAll(/:\w+/g, "some-value");
    if (method !== "ALL") served.set(path, [...(served.get(path) ?? []), method]);
  }
});
afterAll(() => stage[Symbol.asyncDispose]());

const METHODS = ["PUT", "PATCH", "DELETE", "POST", "GET"];
/** The headers with which GET is served at a gateway. */
const IN_SESSION = { accept: "text/event-stream, */*", "mcp-session-id": "x" };
const send = (method: string, path: string, headers = {}) =>
  fetch(stage.site.url + path, { method, redirect: "manual", headers });

test("`Allow` names the methods that are served, at every address", async () => {
  expect(served.size).toBeGreaterThan(60);
  for (const [path, methods] of served) {
    const allowed = ((await send("OPTIONS", path)).headers.get("allow") ?? "").split(", ");
    // Another route may have the same form: /v1/hooks/bulk is also a /v1/hooks/{hook_id}.
    const expected = METHODS.filter((method) => methods.includes(method) || allowed.includes(method));
    // A stream has no HEAD.
    const withHead = expected.flatMap((method) =>
      method === "GET" && path !== "/mcp/some-value" ? ["GET", "HEAD"] : [method],
    );
    expect([path, allowed.toSorted()]).toEqual([path, [...withHead, "OPTIONS"].toSorted()]);
    for (const method of allowed.filter((each) => each !== "OPTIONS")) {
      const { status, headers } = await send(method, path, IN_SESSION);
      expect([path, method, status === 405, headers.has("allow")]).toEqual([path, method, false, false]);
    }
  }
});

test.each([
  ["GET", 405, "OPTIONS, POST"],
  ["HEAD", 405, "OPTIONS, POST"],
  ["PUT", 405, "GET, OPTIONS, POST"],
  ["PATCH", 405, "GET, OPTIONS, POST"],
  ["DELETE", 405, "GET, OPTIONS, POST"],
  ["OPTIONS", 204, "GET, OPTIONS, POST"],
])("%s without a session at a gateway is %i, and allowed is %s", async (method, status, allow) => {
  const answer = await send(method, "/mcp/support");
  expect([answer.status, answer.headers.get("allow")]).toEqual([status, allow]);
});

test("a page of another origin learns nothing from a wrong method at a gateway", async () => {
  const headers = { origin: "https://evil.example" };
  expect((await fetch(`${stage.site.url}/mcp/support`, { method: "PUT", headers })).status).toBe(403);
});

describe("a slash at the end is 404 and names the address:", () => {
  test.each([
    ["GET", "/v1/tools/", "/v1/tools"],
    ["POST", "/v1/tools/execute/", "/v1/tools/execute"],
    ["GET", "/v1/tools/Chat.WhoAmI/", "/v1/tools/{name}"],
    ["POST", "/mcp/support/", "/mcp/{slug}"],
    ["GET", "/mcp/support/", "/mcp/{slug}"],
    ["GET", "/v1/swagger/ui/", "/v1/swagger/ui"],
    ["GET", "/v1/health//", "/v1/health"],
    [
      "GET",
      "/v1/orgs/default/projects/default/gateways/",
      "/v1/orgs/{org_id}/projects/{project_id}/gateways",
    ],
  ])("%s %s", async (method, path, address) => {
    const answer = await send(method, path);
    const { message } = (await answer.json()) as { message: string };
    expect([answer.status, message]).toEqual([
      404,
      `requested route is not found or method is not allowed; the address is ${address}, without a slash at the end`,
    ]);
  });

  test("but not what is in it, which may be a secret", async () => {
    const answer = await send("GET", "/authorize/secret-token/");
    const text = await answer.text();
    expect(text).toContain("/authorize/{token}");
    expect(text).not.toContain("secret-token");
  });

  test.each(["/v1/nothing/", "//", "/mcp/", "/v2/", "/mcp//"])("nothing is named for %s", async (path) => {
    const answer = await sendRaw(stage.site.url, [head("GET", path)]);
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain("slash");
  });
});

describe("the start page", () => {
  test("says what this is and links to what describes it", async () => {
    const answer = await send("GET", "/");
    const html = await answer.text();
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(html).toContain(version);
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => link);
    expect(links).toEqual(["docs", "v1/swagger/ui", "openapi.json", "llms.txt", "v1/health"]);
    for (const link of links) expect((await send("GET", `/${link}`)).status).toBe(200);
  });

  test("has no icon, which is not an error", async () => {
    expect((await send("GET", "/favicon.ico")).status).toBe(204);
  });
});
