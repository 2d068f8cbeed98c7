// What the log says about requests: the access log, and refusals with their reason. Neither contains a secret.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, call } from "../support/api";
import { Browser } from "../support/browser";
import { startConsent, startStage, type Stage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({ environment: { RUNTIME_LOG_ACCESS: "true" } });
});
afterAll(() => stage[Symbol.asyncDispose]());

type Line = Record<string, unknown>;

/** The new lines with this message that `act` causes. */
async function linesOf(message: string, act: () => Promise<unknown>): Promise<Line[]> {
  const before = stage.site.logLines.length;
  await act();
  const lines = stage.site.logLines.slice(before).map((line): Line => JSON.parse(line));
  return lines.filter((line) => line["message"] === message);
}

const keyIdOf = (key: string): Promise<string> =>
  stage.site.runtime.identity
    .authenticate(`Bearer ${key}`)
    .then((principal) => (principal.kind === "key" ? principal.keyId : ""));

describe("the access log", () => {
  test("has one line for each request", async () => {
    const lines = await linesOf("request", () =>
      api(stage.site.url, stage.keys.read).get("/v1/tools/Chat.WhoAmI"),
    );

    expect(lines).toEqual([
      {
        time: expect.any(String) as unknown as string,
        level: "info",
        message: "request",
        method: "GET",
        route: "/v1/tools/:name",
        status: 200,
        ms: expect.any(Number) as unknown as number,
        key_id: await keyIdOf(stage.keys.read),
        project_id: "default",
        address: "127.0.0.1",
        request_id: expect.stringMatching(/^[0-9a-z]{20}$/) as unknown as string,
      },
    ]);
  });

  test.each<[string, string, string, string, number]>([
    ["a path that is not served", "GET", "/v1/nothing/xoxb-secret", "none", 404],
    ["a request without a credential", "GET", "/v1/tools", "/v1/tools", 401],
    ["a public operation", "GET", "/v1/health", "/v1/health", 200],
    ["HEAD", "HEAD", "/v1/health", "/v1/health", 200],
    ["the API description", "GET", "/openapi.json", "/openapi.json", 200],
    ["a consent page", "GET", "/authorize/some-token-of-a-user", "/authorize/:token", 404],
    ["a gateway", "POST", "/mcp/unknown-slug", "/mcp/:slug", 404],
    [
      "an operation below its project",
      "GET",
      "/v1/orgs/default/projects/default/tools",
      "/v1/orgs/:org_id/projects/:project_id/tools",
      401,
    ],
  ])("has the route of %s, not its path", async (_what, method, path, route, status) => {
    const [line, ...others] = await linesOf("request", () => fetch(stage.site.url + path, { method }));

    expect(line).toMatchObject({ method, route, status });
    expect(others).toEqual([]);
    expect(JSON.stringify(line)).not.toContain("secret");
    expect(JSON.stringify(line)).not.toContain("some-token");
  });

  test("names the client that a trusted proxy names", async () => {
    await using proxied = await startStage({
      environment: { RUNTIME_LOG_ACCESS: "true", RUNTIME_HTTP_TRUSTED_PROXIES: "127.0.0.1" },
    });
    await call(proxied.site.url, {
      method: "GET",
      path: "/v1/health",
      headers: { "x-forwarded-for": "192.0.2.7" },
    });
    const line = proxied.site.logLines
      .map((text): Line => JSON.parse(text))
      .find(({ message }) => message === "request");
    expect(line?.["address"]).toBe("192.0.2.7");
  });

  test("is off by default", async () => {
    await using plain = await startStage();
    await api(plain.site.url, plain.keys.read).get("/v1/tools");
    expect(plain.site.logLines.filter((line) => line.includes('"message":"request"'))).toEqual([]);
  });
});

describe("a refused request is in the log with its reason:", () => {
  const get = (path: string, headers: Record<string, string> = {}) =>
    linesOf("refused", () => call(stage.site.url, { method: "GET", path, headers }));

  test("without a credential", async () => {
    expect(await get("/v1/tools")).toMatchObject([
      {
        level: "info",
        status: 401,
        error: "invalid_authorization",
        reason: "Missing Authorization header",
        route: "/v1/tools",
        address: "127.0.0.1",
      },
    ]);
  });

  test("with a wrong key, of which only the prefix is shown", async () => {
    const key = `${stage.keys.run.slice(0, -4)}0000`;
    const [line] = await get("/v1/tools", { authorization: `Bearer ${key}` });

    expect(line).toMatchObject({ status: 401, key_prefix: key.slice(0, 9) });
    expect(JSON.stringify(line)).not.toContain(key.slice(0, 12));
  });

  test("with something else than a key, of which nothing is shown", async () => {
    const [line] = await get("/v1/tools", { authorization: "Bearer xoxb-1234567890-abcdef" });
    expect(JSON.stringify(line)).not.toContain("xoxb");
  });

  test("with a key of another role", async () => {
    const [line] = await linesOf("refused", () =>
      api(stage.site.url, stage.keys.read).post("/v1/tools/execute", {}),
    );

    expect(line).toMatchObject({
      status: 403,
      key_id: await keyIdOf(stage.keys.read),
      reason: expect.stringContaining("needs a key with the role") as unknown as string,
    });
  });

  test("for an address that the policy refuses", async () => {
    const lines = await linesOf("refused", async () => {
      await stage.site.runtime.core.egress
        .fetch("http://169.254.169.254/latest?token=s3cret", { project: "default" })
        .catch(() => undefined);
    });

    expect(lines).toMatchObject([{ error: "address_refused", project_id: "default" }]);
    expect(JSON.stringify(lines)).toContain("169.254.169.254");
    expect(JSON.stringify(lines)).not.toContain("s3cret");
  });

  test("for a consent that the user declines", async () => {
    const { url } = await startConsent(stage);
    const browser = new Browser();
    const back = await browser.toCallback(url, "cancel");
    const lines = await linesOf("refused", () => browser.open(back));

    expect(lines).toMatchObject([{ error: "consent_failed", address: "127.0.0.1" }]);
    expect(JSON.stringify(lines)).not.toContain(url.split("/").at(-1) ?? url);
  });

  test("for a callback that belongs to no consent", async () => {
    const path = "/api/v1/oauth/nothing/callback?state=stolen-state&code=stolen-code";
    const lines = await linesOf("refused", () => fetch(stage.site.url + path));

    expect(lines.map(({ error }) => error)).toContain("consent_refused");
    expect(JSON.stringify(lines)).not.toContain("stolen");
  });
});

test("the path of a request is logged at debug without what may be a secret", async () => {
  const token = "Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFy";
  for (const path of [
    `/authorize/${token}/`,
    `/authorize/../x/${token}`,
    `/%61uthorize/${token}`,
    `/x/${token}`,
  ]) {
    const lines = await linesOf("request details", () => fetch(stage.site.url + path));
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toContain(token);
  }
});
