// Requests of clients: what is refused, which resource is meant, and the other ways to begin (PAR, devices).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import {
  type Browser,
  claimsOf,
  form,
  REDIRECT,
  type SignInSite,
  startSignInSite,
  TestClient,
  textAt,
  tokensIn,
} from "./site";

let site: SignInSite;
let gateway: string;
let client: TestClient;
let alice: Browser;
beforeAll(async () => {
  site = await startSignInSite();
  gateway = await site.tokenGateway("workbench");
});
beforeEach(async () => {
  client = await TestClient.register(site.url);
  alice = await site.browser("alice");
});
afterAll(() => site[Symbol.asyncDispose]());

describe("an authorization request", () => {
  test.each([
    [
      "without a challenge",
      { code_challenge: undefined, code_challenge_method: undefined },
      "invalid_request",
    ],
    ["with a plain challenge", { code_challenge_method: "plain" }, "invalid_request"],
    ["without the method of the challenge", { code_challenge_method: undefined }, "invalid_request"],
    ["for a token in the address", { response_type: "token" }, "invalid_request"],
    ["for an ID token", { response_type: "id_token" }, "invalid_request"],
    ["for the answer in a form", { response_mode: "form_post" }, "unsupported_response_mode"],
    ["for the answer in the fragment", { response_mode: "fragment" }, "invalid_request"],
    ["for an unknown gateway", { resource: "http://127.0.0.1:1/mcp/none" }, "invalid_target"],
    ["for the API", { resource: "API" }, "invalid_target"],
  ])("%s is refused", async (_what, parameters, error) => {
    const resource = { resource: gateway, ...parameters };
    const { url } = await alice.open(
      client.authorizeUrl(resource.resource === "API" ? { ...resource, resource: site.url } : resource),
    );
    const answer = new URLSearchParams(new URL(url).search + new URL(url).hash.replace("#", "&"));
    expect([url.startsWith(REDIRECT), answer.get("error"), answer.get("iss")]).toEqual([
      true,
      error,
      site.url,
    ]);
  });

  test.each([
    "http://127.0.0.1:33418/callback/more",
    "http://127.0.0.1:33418/callback?more=1",
    "http://127.0.0.1:33418/../callback",
    "http://localhost:33418/callback",
    "https://127.0.0.1:33418/callback",
    "http://127.0.0.1.evil.example:33418/callback",
    "http://user@127.0.0.1:33418/callback",
    "http://evil.example/callback",
    "",
  ])("with the address %s leads nowhere", async (redirect_uri) => {
    const page = await alice.open(client.authorizeUrl({ resource: gateway, redirect_uri }));
    expect([page.status, page.url.startsWith(site.url)]).toEqual([400, true]);
    expect(page.text).toContain("This did not work");
  });

  test("may use any port of loopback", async () => {
    const page = await alice.open(
      client.authorizeUrl({ resource: gateway, redirect_uri: "http://127.0.0.1:50123/callback" }),
    );
    expect(page.status).toBe(200);
  });

  test("of an unknown client leads nowhere", async () => {
    for (const id of ["nobody", "dcr_AAAA", `${client.id.slice(0, -2)}AA`, "http://127.0.0.1/client.json"]) {
      const page = await alice.open(new TestClient(site.url, id).authorizeUrl({ resource: gateway }));
      expect([id, page.status]).toEqual([id, 400]);
    }
  });

  test("without a resource is for the only gateway, and refused if there are two", async () => {
    const tokens = await client.tokens(alice, undefined);
    expect(claimsOf(tokens.access_token)["aud"]).toBe(gateway);
    await using two = await startSignInSite();
    await two.tokenGateway("first");
    await two.tokenGateway("second");
    const of = await TestClient.register(two.url);
    const { url } = await (await two.browser("alice")).open(of.authorizeUrl());
    expect(new URL(url).searchParams.get("error")).toBe("invalid_target");
    expect(new URL(url).searchParams.get("error_description")).toContain("resource");
  });

  test("for two resources is refused", async () => {
    const url = new URL(client.authorizeUrl({ resource: gateway }));
    url.searchParams.append("resource", `${gateway}x`);
    const page = await alice.open(url.href);
    expect(new URL(page.url).searchParams.get("error")).toBe("invalid_target");
  });

  test.each([undefined, "mcp", "openid profile email mcp", "offline_access"])(
    "for the scope %p gets that of the gateway",
    async (scope) => {
      const page = await alice.open(client.authorizeUrl({ resource: gateway, scope, prompt: "consent" }));
      const back = await alice.submit(page, "yes");
      const answer = await client.exchange(new URL(back.url).searchParams.get("code") ?? "");
      const body = await answer.json();
      expect([textAt(body, "scope"), at(body, "id_token")]).toEqual(["mcp", undefined]);
    },
  );
});

test("a pushed request gets the same", async () => {
  const url = new URL(client.authorizeUrl({ resource: gateway }));
  const pushed = await form(`${site.url}/oauth/par`, Object.fromEntries(url.searchParams));
  expect(pushed.status).toBe(201);
  const request_uri = textAt(await pushed.json(), "request_uri");
  const query = new URLSearchParams({ client_id: client.id, request_uri });
  const page = await alice.open(`${site.url}/oauth/authorize?${query}`);
  const back = await alice.submit(page, "yes");
  const answer = await client.exchange(new URL(back.url).searchParams.get("code") ?? "");
  expect(claimsOf(tokensIn(await answer.json()).access_token)["aud"]).toBe(gateway);
  const again = await alice.open(`${site.url}/oauth/authorize?${query}`);
  expect(again.text + again.url).toContain("invalid_request_uri");
});

describe("a client with a secret", () => {
  test.each(["client_secret_basic", "client_secret_post"])("proves itself with %s", async (method) => {
    const answer = await fetch(`${site.url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: [REDIRECT], token_endpoint_auth_method: method }),
    });
    const body = await answer.json();
    client = new TestClient(site.url, textAt(body, "client_id"));
    const secret = textAt(body, "client_secret");
    expect(secret.length).toBeGreaterThan(40);
    const send = async (given: string) => {
      const code = await client.code(alice, gateway);
      const fields = {
        grant_type: "authorization_code",
        code,
        redirect_uri: REDIRECT,
        code_verifier: client.verifier,
      };
      return method === "client_secret_basic"
        ? form(`${site.url}/oauth/token`, fields, { authorization: `Basic ${btoa(`${client.id}:${given}`)}` })
        : form(`${site.url}/oauth/token`, { ...fields, client_id: client.id, client_secret: given });
    };
    expect((await send("wrong")).status).toBe(401);
    expect((await send(secret)).status).toBe(200);
    const code = await client.code(alice, gateway);
    expect((await client.exchange(code)).status).toBe(401);
  });
});

describe("a device", () => {
  const begin = (parameters: Record<string, string> = {}) =>
    form(`${site.url}/oauth/device`, { client_id: "runtime-cli", scope: "runtime", ...parameters });
  const poll = (device_code: string) =>
    form(`${site.url}/oauth/token`, {
      client_id: "runtime-cli",
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      device_code,
    });

  test("gets tokens for the API when the person has typed its code", async () => {
    const body = await (await begin()).json();
    const [code, userCode] = [textAt(body, "device_code"), textAt(body, "user_code")];
    expect(textAt(body, "verification_uri")).toBe(`${site.url}/device`);
    expect(at(await (await poll(code)).json(), "error")).toBe("authorization_pending");
    const page = await alice.open(`${site.url}/device?user_code=${userCode.toLowerCase()}`);
    for (const word of ["Runtime command line", "alice", "Allow"]) expect(page.text).toContain(word);
    expect((await alice.submit(page, "yes")).text).toContain("Connected");
    const tokens = tokensIn(await (await poll(code)).json());
    expect(claimsOf(tokens.access_token)).toMatchObject({ sub: "alice", aud: site.url, scope: "runtime" });
    const answer = await fetch(`${site.url}/v1/tools`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(answer.status).toBe(200);
    expect((await poll(code)).status).toBe(400);
    expect((await alice.open(`${site.url}/device?user_code=${userCode}`)).status).toBe(400);
  });

  test("is told that the person refused", async () => {
    const body = await (await begin()).json();
    const page = await alice.open(`${site.url}/device?user_code=${textAt(body, "user_code")}`);
    await alice.submit(page, "no");
    expect(at(await (await poll(textAt(body, "device_code"))).json(), "error")).toBe("access_denied");
  });

  test("is not begun by other clients", async () => {
    expect((await begin({ client_id: client.id })).status).toBe(400);
  });

  test("has a code that cannot be tried often", async () => {
    await using limited = await startSignInSite({ environment: { RUNTIME_LIMITS_BAD_CREDENTIALS: "1" } });
    const browser = await limited.browser("alice");
    const statuses: number[] = [];
    for (let tries = 0; tries < 10; tries++)
      statuses.push((await browser.open(`${limited.url}/device?user_code=BBBB-BBBB`)).status);
    expect(new Set(statuses)).toEqual(new Set([400, 429]));
  });
});
