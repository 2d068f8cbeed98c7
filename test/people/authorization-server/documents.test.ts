// Clients whose id is the address of their metadata document.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../../support/certificates";
import { REDIRECT, type SignInSite, startSignInSite, TestClient } from "./site";

let folder: string;
let site: SignInSite;
let gateway: string;
let host: Bun.Server<undefined>;
let base: string;
let answers: Map<string, () => Response>;
let asked: string[] = [];
let count = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "runtime-documents-"));
  const { cert, key } = makeCertificate(folder, "documents");
  host = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") },
    fetch: (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      return answers.get(pathname)?.() ?? new Response(null, { status: 404 });
    },
  });
  base = `https://localhost:${host.port}`;
  site = await startSignInSite({ environment: { RUNTIME_EGRESS_CA_FILE: cert } });
  gateway = await site.tokenGateway("workbench");
});
beforeEach(() => {
  answers = new Map();
  asked = [];
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await host.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

/** A client with a document at a new address of so many characters. */
function described(document: object = {}, answer?: (text: string) => Response, length = 0): TestClient {
  const start = `/client-${count++}`;
  // An index entry must have room for what cannot be compressed.
  const filling = Buffer.from(crypto.getRandomValues(new Uint8Array(2000))).toString("base64url");
  const path = `${start.padEnd(length - base.length - ".json".length, filling)}.json`;
  const text = JSON.stringify({
    client_id: base + path,
    client_name: "Described client",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    token_endpoint_auth_method: "none",
    ...document,
  });
  answers.set(
    path,
    () => answer?.(text) ?? new Response(text, { headers: { "content-type": "application/json" } }),
  );
  return new TestClient(site.url, base + path);
}

/** 256 characters of three bytes each. */
function longUser(): string {
  const codes = crypto.getRandomValues(new Uint16Array(256)).map((code) => 0x4e00 + (code % 20_000));
  return String.fromCharCode(...codes);
}

const pageOf = async (client: TestClient) =>
  (await site.browser("alice")).open(client.authorizeUrl({ resource: gateway }));

test("a document is enough to get tokens, and is asked for once", async () => {
  const client = described();
  const page = await pageOf(client);
  expect(page.text).toContain("Described client");
  expect(page.text).toContain(client.id);
  expect(page.text).not.toContain("Unverified");
  const tokens = await client.tokens(await site.browser("alice"), gateway);
  expect(tokens.refresh_token).not.toBe("");
  expect((await client.refresh(tokens.refresh_token)).status).toBe(200);
  expect(asked.length).toBe(1);
});

test("a document at the longest address is enough, for a user with the longest id", async () => {
  const client = described({}, undefined, 1500);
  const tokens = await client.tokens(await site.browser(longUser()), gateway);

  expect(tokens.refresh_token).not.toBe("");
});

describe("a document is refused", () => {
  test.each([
    ["of another client", { client_id: "https://other.example/client.json" }],
    ["with a secret", { client_secret: "x".repeat(40) }],
    ["with a method that needs a secret", { token_endpoint_auth_method: "client_secret_basic" }],
    ["without an address", { redirect_uris: [] }],
    ["with an address that is not allowed", { redirect_uris: ["http://client.example/"] }],
    ["with a script as address", { redirect_uris: ["javascript:alert(1)"] }],
  ])("%s", async (_what, document) => {
    expect((await pageOf(described(document))).status).toBe(400);
  });

  test.each([
    ["that is not JSON", () => new Response("no")],
    ["that is large", (text: string) => new Response(text + " ".repeat(100_000))],
    [
      "that is elsewhere",
      () => new Response(null, { status: 302, headers: { location: "https://x.example" } }),
    ],
    ["that is missing", () => new Response(null, { status: 404 })],
  ])("%s", async (_what, answer) => {
    expect((await pageOf(described({}, answer))).status).toBe(400);
  });

  test("whose address is too long for a row", async () => {
    expect((await pageOf(described({}, undefined, 1501))).status).toBe(400);
  });

  test("that would let a client answer at another address", async () => {
    const page = await (
      await site.browser("alice")
    ).open(described().authorizeUrl({ resource: gateway, redirect_uri: "https://evil.example/" }));
    expect(page.status).toBe(400);
  });
});

test.each([
  "https://10.0.0.1/client.json",
  "https://169.254.169.254/latest/meta-data",
  "https://[fd00::1]/client.json",
  "https://192.168.1.1/client.json",
  "https://localhost/client.json#x",
  "http://localhost/client.json",
])("a document at %s is not asked for", async (id) => {
  expect((await pageOf(new TestClient(site.url, id))).status).toBe(400);
});

test("the answers of a server to a flood of addresses are bounded", async () => {
  const clients = Array.from({ length: 40 }, () => described());
  const browser = await site.browser("alice");
  for (const client of clients) await browser.open(client.authorizeUrl({ resource: gateway }));
  expect(asked.length).toBeLessThanOrEqual(21);
});
