// DNS rebinding: requests with a foreign Host or Origin are refused before anything else.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { request as send } from "node:http";
import { request, startMcpSite, type McpSite } from "../mcp/site";
import { printFigure } from "./figure";

let refused = 0;
afterAll(() => printFigure("a page or host of others at MCP addresses", `${refused} requests: all 403`));

/** `fetch` sets Host itself. */
function status(
  site: McpSite,
  headers: Record<string, string>,
  method = "POST",
  path = "/mcp/origin",
): Promise<number> {
  const { hostname, port } = new URL(site.url);
  return new Promise((resolve, reject) => {
    const sent = send({
      hostname,
      port,
      path,
      method,
      headers: { "content-type": "application/json", ...headers },
    });
    sent.on("response", (response) => {
      response.resume();
      if (response.statusCode === 403) refused += 1;
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? JSON.stringify(request("ping")) : undefined);
  });
}

describe("on a developer's machine", () => {
  let site: McpSite;
  let credentials: Record<string, string>;
  beforeAll(async () => {
    site = await startMcpSite({ environment: { RUNTIME_MCP_ALLOWED_HOSTS: "runtime.internal" } });
    await site.gateway("origin");
    credentials = { authorization: `Bearer ${await site.key()}`, "x-user-id": "alice" };
  });
  afterAll(() => site[Symbol.asyncDispose]());

  test.each([
    "127.0.0.1",
    "127.0.0.1:9099",
    "localhost:1",
    "LOCALHOST",
    "[::1]:9099",
    "a.localhost",
    "192.0.2.7",
    "runtime.internal:80",
  ])("the host %s is served", async (host) => {
    expect(await status(site, { ...credentials, host })).toBe(200);
  });

  test.each([
    "evil.example.com",
    "evil.example.com:9099",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "xlocalhost",
  ])("the host %s is 403, with and without a credential, on every method", async (host) => {
    expect(await status(site, { ...credentials, host })).toBe(403);
    expect(await status(site, { host })).toBe(403);
    expect(await status(site, { host }, "GET")).toBe(403);
    expect(await status(site, { host }, "POST", "/mcp/nowhere")).toBe(403);
  });

  test.each(["http://localhost:5173", "http://127.0.0.1:6274", "http://[::1]:80"])(
    "pages of %s are served",
    async (origin) => {
      expect(await status(site, { ...credentials, origin })).toBe(200);
    },
  );

  test.each(["http://evil.example.com", "https://localhost.evil.example", "null", "", "file://", "x"])(
    "pages of %p are 403",
    async (origin) => {
      expect(await status(site, { ...credentials, origin })).toBe(403);
    },
  );
});

test("a public server accepts its own origin and those of cors.allow, but no local ones", async () => {
  await using site = await startMcpSite({
    environment: {
      RUNTIME_PUBLIC_URL: "https://runtime.example.com",
      RUNTIME_CORS_ALLOW: "https://app.example.com",
      RUNTIME_SESSION_VERIFICATION: "page_only",
    },
  });
  await site.gateway("origin");
  const credentials = {
    authorization: `Bearer ${await site.key()}`,
    "x-user-id": "alice",
    host: "runtime.example.com",
  };
  const from = (origin: string) => status(site, { ...credentials, origin });
  expect(await status(site, credentials)).toBe(200);
  expect(await from("https://runtime.example.com")).toBe(200);
  expect(await from("https://app.example.com")).toBe(200);
  expect(await from("http://localhost:5173")).toBe(403);
  expect(await from("https://other.example.com")).toBe(403);
});

test("a preflight is answered with the headers of all revisions", async () => {
  await using site = await startMcpSite({ environment: { RUNTIME_CORS_ALLOW: "https://app.example.com" } });
  const names = "mcp-method, mcp-name, mcp-protocol-version, mcp-session-id, x-user-id";
  const answer = await fetch(await site.gateway("origin"), {
    method: "OPTIONS",
    headers: {
      origin: "https://app.example.com",
      "access-control-request-method": "POST",
      "access-control-request-headers": names,
    },
  });
  expect(answer.status).toBe(204);
  expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
  const allowed = answer.headers.get("access-control-allow-headers") ?? "";
  expect(names.split(", ").filter((name) => !allowed.includes(name))).toEqual([]);
});
