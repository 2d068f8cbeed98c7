// Clients that register themselves: what they may register, and that registrations cost nothing until a person allows one.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { query } from "../../../src/store";
import { at } from "../../support/api";
import { operator } from "../../tools/deployment";
import { REDIRECT, registration, type SignInSite, startSignInSite, TestClient, textAt } from "./site";

const DAY = 86_400_000;

let site: SignInSite;
let gateway: string;
beforeAll(async () => {
  site = await startSignInSite({
    environment: { RUNTIME_SESSIONS_LIFETIME: "31536000", RUNTIME_SESSIONS_IDLE: "31536000" },
  });
  gateway = await site.tokenGateway("workbench");
});
afterAll(() => site[Symbol.asyncDispose]());

const rows = () =>
  site.deployment.runtime.core.store.all(query<{ id: string }>("SELECT id FROM oauth_clients ORDER BY id"));
const pageOf = async (client: TestClient) =>
  (await site.browser("alice")).open(client.authorizeUrl({ resource: gateway }));

test("answers with what was registered", async () => {
  const answer = await registration(site.url, {
    client_name: "Editor",
    logo_uri: "https://x.example/logo.png",
  });
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
  const body = await answer.json();
  expect(body).toEqual({
    client_id: expect.stringMatching(/^dcr_[\w-]{40,400}$/),
    client_id_issued_at: expect.any(Number),
    client_name: "Editor",
    redirect_uris: ["http://127.0.0.1:33418/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  });
});

test("two that register the same are two clients", async () => {
  const [one, two] = [await TestClient.register(site.url), await TestClient.register(site.url)];
  expect(one.id).not.toBe(two.id);
});

describe("refuses", () => {
  test.each([
    ["no address", { redirect_uris: [] }],
    ["an address without TLS", { redirect_uris: ["http://client.example/callback"] }],
    ["a fragment", { redirect_uris: ["https://client.example/#x"] }],
    ["a user in an address", { redirect_uris: ["https://a@client.example/"] }],
    ["a script", { redirect_uris: ["javascript:alert(1)"] }],
    ["data", { redirect_uris: ["data:text/html,x"] }],
    ["a hidden line break", { redirect_uris: ["java\nscript:alert(1)"] }],
    ["a relative address", { redirect_uris: ["/callback"] }],
    ["a number", { redirect_uris: [7] }],
    ["many addresses", { redirect_uris: Array.from({ length: 11 }, (_, at) => `https://c.example/${at}`) }],
    ["a long address", { redirect_uris: [`https://c.example/${"x".repeat(600)}`] }],
    ["the implicit grant alone", { grant_types: ["implicit"] }],
    ["tokens without a person", { grant_types: ["client_credentials"] }],
    ["a token as the answer", { response_types: ["token"] }],
    ["keys", { token_endpoint_auth_method: "private_key_jwt" }],
    ["a name that is not a text", { client_name: {} }],
  ])("%s", async (_what, metadata) => {
    const answer = await registration(site.url, metadata);
    const body = await answer.json();
    expect([answer.status, textAt(body, "error")]).toEqual([
      400,
      expect.stringMatching(/^invalid_(redirect_uri|client_metadata)$/),
    ]);
    expect(textAt(body, "error_description").length).toBeGreaterThan(10);
  });

  test("a body that is not JSON", async () => {
    const answer = await fetch(`${site.url}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{",
    });
    expect([answer.status, at(await answer.json(), "error")]).toEqual([400, "invalid_client_metadata"]);
  });
});

test.each([
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "com.example.app:/callback",
  "http://localhost/callback",
  "http://[::1]:7777/callback",
])("takes %s", async (uri) => {
  expect((await registration(site.url, { redirect_uris: [uri] })).status).toBe(201);
});

test("a changed id is not a client", async () => {
  const { id } = await TestClient.register(site.url);
  for (let position = 4; position < id.length; position += 7) {
    const changed = `${id.slice(0, position)}${id[position] === "A" ? "B" : "A"}${id.slice(position + 1)}`;
    expect((await pageOf(new TestClient(site.url, changed))).status).toBe(400);
  }
});

test("stores nothing before a person allows it", async () => {
  const before = await rows();
  const client = await TestClient.register(site.url);
  await Promise.all(Array.from({ length: 200 }, () => registration(site.url)));
  expect(await rows()).toEqual(before);
  await client.tokens(await site.browser("alice"), gateway);
  expect((await rows()).length).toBe(before.length + 1);
});

test("works for ninety days without a use", async () => {
  const [used, unused] = [await TestClient.register(site.url), await TestClient.register(site.url)];
  await used.tokens(await site.browser("alice"), gateway);
  site.deployment.clock.move(89 * DAY);
  expect((await pageOf(unused)).status).toBe(200);
  expect((await used.code(await site.browser("alice"), gateway)).length).toBeGreaterThan(10);
  site.deployment.clock.move(DAY);
  expect((await pageOf(unused)).status).toBe(400);
  const again = await site.browser("alice");
  expect((await again.open(used.authorizeUrl({ resource: gateway }))).status).not.toBe(400);
  site.deployment.clock.move(90 * DAY);
  expect((await pageOf(used)).status).toBe(400);
});

/** A client with the longest id that the server gives. Random texts, because PostgreSQL compresses others. */
async function longest(): Promise<TestClient> {
  const text = Buffer.from(crypto.getRandomValues(new Uint8Array(1200))).toString("base64url");
  for (let length = 1400; length > 0; length -= 5) {
    const parts = text.slice(0, length).match(/.{1,450}/g) ?? [];
    const redirect_uris = [REDIRECT, ...parts.map((part) => `https://c.example/${part}`)];
    const answer = await registration(site.url, { redirect_uris });
    if (answer.status === 201) return new TestClient(site.url, textAt(await answer.json(), "client_id"));
  }
  throw new Error("no client can be registered");
}

test("with the longest id, and a person with the longest one, can be allowed", async () => {
  const client = await longest();
  const codes = crypto.getRandomValues(new Uint16Array(256)).map((value) => 0x4e00 + (value % 20_000));
  const person = String.fromCodePoint(...codes);

  const tokens = await client.tokens(await site.browser(person), gateway);

  expect(client.id.length).toBeGreaterThan(1400);
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
});

test("survives rotations of the data key and of the root key", async () => {
  const client = await TestClient.register(site.url);
  const tokens = await client.tokens(await site.browser("alice"), gateway);
  const { rotation } = site.deployment.runtime;
  await rotation.rotateDataKey(operator());
  await rotation.rotateRoot(operator());
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
});
