// Attacks on the authorization server and its tokens. Each of them gets nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { query } from "../../src/store";
import { client as mcpClient } from "../mcp/site";
import {
  type Browser,
  claimsOf,
  form,
  REDIRECT,
  registration,
  type SignInSite,
  startSignInSite,
  TestClient,
  textAt,
} from "../people/authorization-server/site";
import { operator } from "../tools/deployment";
import { printFigure } from "./figure";

let site: SignInSite;
let gateway: string;
let alice: Browser;
let client: TestClient;
beforeAll(async () => {
  site = await startSignInSite();
  gateway = await site.tokenGateway("workbench");
  await site.deployment.runtime.identity.createProject(operator(), "apart", "Apart");
  await site.tokenGateway("apart", {}, "apart");
});
beforeEach(async () => {
  client = await TestClient.register(site.url);
  alice = await site.browser("alice");
});
afterAll(async () => {
  printFigure("forged and foreign tokens of people", `${refused} tokens, 0 accepted`);
  await site[Symbol.asyncDispose]();
});

let refused = 0;
const statusAt = async (key: string, slug = "workbench"): Promise<number> => {
  const { status } = await mcpClient(`${site.url}/mcp/${slug}`, { key }).modern("tools/list");
  if (status === 401) refused++;
  return status;
};
const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const headerOf = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString("utf8"));

describe("a forged token", () => {
  let token: string;
  beforeEach(async () => {
    token = (await client.tokens(alice, gateway)).access_token;
  });

  test("without a signature", async () => {
    const claims = encoded(claimsOf(token));
    for (const alg of ["none", "None", ""]) {
      const header = encoded({ ...headerOf(token), alg });
      for (const forged of [`${header}.${claims}.`, `${header}.${claims}.AA`])
        expect(await statusAt(forged)).toBe(401);
    }
  });

  test("with the public key as a secret", async () => {
    const keys = await (await fetch(`${site.url}/oauth/jwks`)).text();
    const unsigned = `${encoded({ ...headerOf(token), alg: "HS256" })}.${encoded(claimsOf(token))}`;
    const signature = createHmac("sha256", keys).update(unsigned).digest("base64url");
    expect(await statusAt(`${unsigned}.${signature}`)).toBe(401);
  });

  test("with a key of its own", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwk = publicKey.export({ format: "jwk" });
    for (const more of [{}, { jwk }, { jku: "https://evil.example/keys" }, { kid: "../../x" }, { kid: 7 }]) {
      const unsigned = `${encoded({ ...headerOf(token), ...more })}.${encoded(claimsOf(token))}`;
      const signature = sign("sha256", Buffer.from(unsigned), { key: privateKey, dsaEncoding: "ieee-p1363" });
      expect(await statusAt(`${unsigned}.${signature.toString("base64url")}`)).toBe(401);
    }
  });

  test.each([
    ["user", { sub: "bob" }],
    ["audience", { aud: "http://localhost/mcp/apart" }],
    ["project", { project_id: "apart" }],
    ["end", { exp: 9_999_999_999 }],
    ["scope", { scope: "mcp runtime" }],
  ])("with another %s", async (_what, claims) => {
    const [header, , signature] = token.split(".");
    expect(await statusAt(`${header}.${encoded({ ...claimsOf(token), ...claims })}.${signature}`)).toBe(401);
  });

  test("of the kind that workers get", async () => {
    const keys = site.deployment.runtime.workers.identityKeys;
    const { id, key } = await keys.signing("default");
    const unsigned = `${encoded({ alg: "ES256", typ: "at+jwt", kid: id })}.${encoded(claimsOf(token))}`;
    const signature = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      key,
      Buffer.from(unsigned),
    );
    expect(await statusAt(`${unsigned}.${Buffer.from(signature).toString("base64url")}`)).toBe(401);
  });
});

describe("a token of a person", () => {
  test("at a gateway of another project", async () => {
    const { access_token: token } = await client.tokens(alice, gateway);
    expect([await statusAt(token), await statusAt(token, "apart")]).toEqual([200, 401]);
  });

  test("of a project with the same user is not one of the other", async () => {
    const there = await site.browser("alice", "apart");
    const { access_token: token } = await client.tokens(there, `${site.url}/mcp/apart`);
    expect([await statusAt(token), await statusAt(token, "apart")]).toEqual([401, 200]);
  });

  test("for the API at a gateway of another project, and for a gateway at the API", async () => {
    const begun = await (await form(`${site.url}/oauth/device`, { client_id: "runtime-cli" })).json();
    await alice.submit(await alice.open(`${site.url}/device?user_code=${textAt(begun, "user_code")}`), "yes");
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const device_code = textAt(begun, "device_code");
    const fields = { client_id: "runtime-cli", grant_type, device_code };
    const api = textAt(await (await form(`${site.url}/oauth/token`, fields)).json(), "access_token");
    // `runtime mcp` uses it at the gateways of its project.
    expect([await statusAt(api), await statusAt(api, "apart")]).toEqual([200, 401]);
    const { access_token: forGateway } = await client.tokens(alice, gateway);
    for (const path of ["/v1/tools", "/v1/caller", "/v1/admin/keys"]) {
      const answer = await fetch(site.url + path, { headers: { authorization: `Bearer ${forGateway}` } });
      expect([path, answer.status]).toEqual([path, 401]);
    }
    const admin = await fetch(`${site.url}/v1/admin/keys`, { headers: { authorization: `Bearer ${api}` } });
    expect(admin.status).toBe(403);
  });

  test("at another gateway that has got the address", async () => {
    const address = await site.tokenGateway("moving");
    const { access_token: token, refresh_token: refresh } = await client.tokens(alice, address);
    expect(await statusAt(token, "moving")).toBe(200);
    const { gateways } = site.deployment.runtime;
    const { items } = await gateways.list(operator(), { limit: 100, offset: 0 });
    await gateways.delete(operator(), items.find(({ slug }) => slug === "moving")?.id ?? "");
    await site.tokenGateway("moving", { name: "Another gateway" });
    expect(await statusAt(token, "moving")).toBe(401);
    expect((await client.refresh(refresh)).status).toBe(400);
  });

  test("who was removed", async () => {
    const mallory = await site.browser("mallory");
    const tokens = await client.tokens(mallory, gateway);
    expect(await statusAt(tokens.access_token)).toBe(200);
    await site.deployment.runtime.invitations.remove(operator(), "mallory");
    expect(await statusAt(tokens.access_token)).toBe(401);
    expect((await client.refresh(tokens.refresh_token)).status).toBe(400);
  });
});

describe("a code", () => {
  test("of one client at another", async () => {
    const other = await TestClient.register(site.url);
    const code = await client.code(alice, gateway);
    expect((await other.exchange(code, { code_verifier: client.verifier })).status).toBe(400);
  });

  test("that was injected into another session of the client", async () => {
    const attacked = new TestClient(site.url, client.id);
    const stolen = await client.code(alice, gateway);
    expect((await attacked.exchange(stolen)).status).toBe(400);
  });
});

test("an answer names its issuer, so that a client can tell servers apart (RFC 9207)", async () => {
  for (const answer of ["yes", "no"] as const) {
    const page = await alice.open(client.authorizeUrl({ resource: gateway, prompt: "consent" }));
    const back = await alice.submit(page, answer);
    expect(new URL(back.url).searchParams.get("iss")).toBe(site.url);
  }
  const { url } = await alice.open(client.authorizeUrl({ resource: gateway, prompt: "none" }));
  expect(new URL(url).searchParams.get("iss")).toBe(site.url);
});

test("the headers of a caller do not change addresses", async () => {
  const headers = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    "x-forwarded-proto": "https",
    forwarded: "host=evil.example;proto=https",
  };
  for (const path of ["/.well-known/oauth-authorization-server", "/oauth/jwks"])
    expect(await (await fetch(site.url + path, { headers })).text()).not.toContain("evil");
  const answer = await fetch(client.authorizeUrl({ resource: gateway }), { headers, redirect: "manual" });
  expect(answer.headers.get("location")).toStartWith(`${site.url}/oauth/interaction/`);
  const device = await form(`${site.url}/oauth/device`, { client_id: "runtime-cli" }, headers);
  expect(await device.text()).not.toContain("evil");
});

test("pages of the library's development are not there", async () => {
  for (const path of [
    "/interaction/x",
    "/oauth/userinfo",
    "/oauth/introspect",
    "/session/end",
    "/me/x/y",
    "/.well-known/openid-configuration",
  ])
    expect([path, (await fetch(site.url + path)).status]).toEqual([path, 404]);
});

describe("a flood", () => {
  test("of registrations stores nothing, and others sign in meanwhile", async () => {
    const { store } = site.deployment.runtime.core;
    const rows = async () =>
      (await store.get(query<{ count: number }>("SELECT COUNT(*) AS count FROM oauth_clients")))?.count;
    const before = await rows();
    const flood = Promise.all(
      Array.from({ length: 20 }, async () => {
        for (let sent = 0; sent < 25; sent++) expect((await registration(site.url)).status).toBe(201);
      }),
    );
    const tokens = await client.tokens(alice, gateway);
    await flood;
    expect(await statusAt(tokens.access_token)).toBe(200);
    expect(await rows()).toBe((before ?? 0) + 1);
    printFigure("a flood of registrations", "500 registrations, 0 stored");
  });
});

describe("a page of another site", () => {
  test("may read what clients ask, and not what people answer", async () => {
    const origin = "https://evil.example";
    const token = await form(
      `${site.url}/oauth/token`,
      { client_id: client.id, grant_type: "refresh_token" },
      { origin },
    );
    expect(token.headers.get("access-control-allow-origin")).toBe("*");
    for (const url of [
      client.authorizeUrl({ resource: gateway }),
      `${site.url}/device`,
      `${site.url}/oauth/interaction/x`,
    ]) {
      const answer = await fetch(url, { headers: { origin }, redirect: "manual" });
      expect([url, answer.headers.get("access-control-allow-origin")]).toEqual([url, null]);
    }
    const preflight = await fetch(`${site.url}/oauth/token`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
  });

  test("cannot answer for the person", async () => {
    const page = await alice.open(client.authorizeUrl({ resource: gateway }));
    const cookie = [...alice.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await form(
      page.url,
      { answer: "yes", token: "" },
      { cookie, origin: "https://evil.example" },
    );
    expect(answer.status).toBe(403);
    const [, formToken = ""] = /name="token" value="([^"]+)"/.exec(page.text) ?? [];
    const withToken = await form(
      page.url,
      { answer: "yes", token: formToken },
      { cookie, origin: "https://evil.example" },
    );
    expect(withToken.status).toBe(403);
  });

  test("cannot show the page in a frame", async () => {
    const page = await alice.open(client.authorizeUrl({ resource: gateway }));
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  });
});

test("no secret of a flow is in the log", async () => {
  const code = await client.code(alice, gateway);
  const tokens = await client.exchange(code).then((answer) => answer.json());
  const log = site.deployment.logLines.join("\n");
  const secrets = [code, textAt(tokens, "access_token"), textAt(tokens, "refresh_token"), client.verifier];
  for (const secret of secrets) expect([secret, log.includes(secret)]).toEqual([secret, false]);
});

test("people are not asked where they do not sign in", async () => {
  await using without = await startSignInSite({ environment: { RUNTIME_SIGN_IN: "none" } });
  for (const path of [
    "/.well-known/oauth-authorization-server",
    "/oauth/jwks",
    "/oauth/authorize?x=1",
    "/device",
  ])
    expect([path, (await fetch(without.url + path)).status]).toEqual([path, 404]);
  expect((await registration(without.url)).status).toBe(404);
  expect((await form(`${without.url}/oauth/token`, { grant_type: "refresh_token" })).status).toBe(404);
  expect(REDIRECT).toStartWith("http://127.0.0.1");
});
