// Workers behind authorization servers of others: the example of the official SDK, `oidc-provider`, and `better-auth`.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { startOpenIdProvider } from "../../interop/oidc/provider";
import { signInAs } from "../../interop/oidc/sign-in";
import { api, at } from "../../support/api";
import { Browser } from "../../support/browser";
import { testWith } from "../../support/require";
import { type Site, startSite } from "../../support/site";
import { echoServer } from "./echo-worker";
import { RESOURCE } from "./stand-in";

const PEERS = join(import.meta.dir, "peers");

let site: Site;
let admin: ReturnType<typeof api>;
let agent: ReturnType<typeof api>;
beforeAll(async () => {
  site = await startSite();
  [admin, agent] = [api(site.url, await site.key("admin")), api(site.url, await site.key("run"))];
});
afterAll(() => site[Symbol.asyncDispose]());

/** Creates the worker, with a client that is registered, and reads its catalog with the consent of `admin`. */
async function addWorker(id: string, uri: string, consent: Consent): Promise<unknown> {
  const mcp = { uri, timeout: 10, retry: 0, oauth2: { register: true } };
  const created = await admin.post("/v1/workers", { id, mcp });
  expect([created.status, at(created.body, "mcp.oauth2.problem")]).toEqual([201, undefined]);
  const { body } = await admin.get(`/v1/workers/${id}/authorize`);
  await consent(String(at(body, "url")), "admin");
  await admin.get(`/v1/workers/${id}/authorize`);
  return (await admin.get(`/v1/workers/${id}`)).body;
}

/** Takes a person through our page and that of the authorization server. */
type Consent = (url: string, person: string) => Promise<Response>;

async function consentTo(tool_name: string, user_id: string, consent: Consent): Promise<void> {
  const { body } = await agent.post("/v1/tools/authorize", { tool_name, user_id });
  await consent(String(at(body, "url")), user_id);
}

const run = async (tool_name: string, user_id: string, input: object = {}): Promise<unknown> =>
  at((await agent.post("/v1/tools/execute", { tool_name, user_id, input })).body, "output.value");

test("the OAuth example of the official SDK, which checks the resource of tokens", async () => {
  const [mcpPort, authPort] = [freePort(), freePort()];
  const example = require.resolve("@modelcontextprotocol/sdk/examples/server/simpleStreamableHttp.js");
  const child = Bun.spawn([process.execPath, example, "--oauth", "--oauth-strict"], {
    env: { ...process.env, MCP_PORT: String(mcpPort), MCP_AUTH_PORT: String(authPort) },
    stdout: "pipe",
    stderr: "pipe",
  });
  try {
    await says(child.stdout, "listening on port", 2);
    // Its authorization server has no login: it redirects at once.
    const consent: Consent = async (url) => {
      const browser = new Browser();
      let response = await browser.open(url);
      for (let location = response.headers.get("location"); location !== null;) {
        response = await browser.open(location);
        location = response.headers.get("location");
      }
      return browser.answer(response, site.url, "yes");
    };
    const worker = await addWorker("example", `http://localhost:${mcpPort}/mcp`, consent);
    expect(at(worker, "mcp.oauth2.issuer")).toBe(`http://localhost:${authPort}/`);
    expect(at(worker, "catalog.error")).toBeUndefined();
    const refused = await agent.post("/v1/tools/execute", {
      tool_name: "Example.greet",
      user_id: "alice",
      input: { name: "A" },
    });
    expect(refused.status).toBe(403);
    await consentTo("Example.greet", "alice", consent);

    expect(await run("Example.greet", "alice", { name: "Alice" })).toBe("Hello, Alice!");
  } finally {
    child.kill();
    await child.exited;
  }
}, 60_000);

describe("oidc-provider", () => {
  test("gives each user tokens for the worker only, and refreshes them", async () => {
    await using issuer = await startOpenIdProvider({
      registration: true,
      resourceScope: "mcp",
      scopes: ["mcp"],
    });
    const keys = createRemoteJWKSet(new URL(`${issuer.url}/jwks`));
    let uri = "";
    const audience = (): string => uri;
    const { seen, handle } = echoServer({
      metadata: "",
      tokenOf: async (request) => {
        const token = (request.headers.get("authorization") ?? "").replace("Bearer ", "");
        const options = { issuer: issuer.url, audience: audience(), typ: "at+jwt" };
        const verified = await jwtVerify(token, keys, options).catch(() => undefined);
        if (verified === undefined) return undefined;
        const { sub = "", client_id, scope } = verified.payload;
        return { subject: sub, client: String(client_id), scopes: String(scope).split(" ") };
      },
    });
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) =>
        new URL(request.url).pathname === `${RESOURCE}/mcp`
          ? Response.json({ resource: uri, authorization_servers: [issuer.url], scopes_supported: ["mcp"] })
          : handle(request),
    });
    uri = `http://127.0.0.1:${server.port}/mcp`;
    const consent: Consent = async (url, person) => {
      const browser = new Browser();
      const location = (await browser.open(url)).headers.get("location") ?? "";
      const callback = await signInAs(issuer.url, location, person, browser);
      return browser.answer(await browser.open(callback), site.url, "yes");
    };
    const worker = await addWorker("oidc", uri, consent);
    expect(at(worker, "catalog.tools")).toBe(2);
    for (const user of ["alice", "bob"]) await consentTo("Oidc.whoami", user, consent);
    // Refresh tokens work once, so the second refresh of a user needs the answer of the first one.
    for (const user of ["alice", "bob", "alice"]) {
      const operator = await site.runtime.identity.operator("default");
      const { items } = await site.runtime.connections.list(operator, { user_id: user });
      expect(items.map(({ provider_id }) => provider_id)).toContain("worker-oidc");
      const provider = await site.runtime.providers.find("default", "worker-oidc");
      const grant = provider && (await site.runtime.connections.grant("default", user, provider));
      if (provider === undefined || grant === undefined) throw new Error("no grant");
      expect(await site.runtime.connections.renew("default", user, provider, grant)).toBeDefined();
      expect(await run("Oidc.whoami", user, { user })).toBe(`subject: ${user}`);
    }

    expect(seen.calls.filter(({ user, subject }) => user !== subject)).toEqual([]);
    expect((await admin.delete("/v1/workers/oidc")).status).toBe(204);
  }, 60_000);
});

testWithBetterAuth()(
  "better-auth with its plugin for MCP",
  async () => {
    const port = freePort();
    const origin = `http://127.0.0.1:${port}`;
    const child = Bun.spawn([process.execPath, join(PEERS, "better-auth.js"), String(port)], {
      stdout: "pipe",
      stderr: "ignore",
    });
    try {
      await says(child.stdout, "listening", 1);
      const { seen, handle } = echoServer({
        metadata: "",
        tokenOf: async (request) => {
          const authorization = request.headers.get("authorization");
          if (authorization === null) return undefined;
          const answer: unknown = await (
            await fetch(`${origin}/whoami`, { headers: { authorization } })
          ).json();
          const name = at(answer, "name");
          if (typeof name !== "string") return undefined;
          return { subject: name, client: String(at(answer, "client")), scopes: [] };
        },
      });
      let uri = "";
      using server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        fetch: (request) =>
          new URL(request.url).pathname === `${RESOURCE}/mcp`
            ? Response.json({ resource: uri, authorization_servers: [origin] })
            : handle(request),
      });
      uri = `http://127.0.0.1:${server.port}/mcp`;
      const consent: Consent = async (url, person) => {
        const browser = new Browser();
        await browser.open(`${origin}/api/auth/sign-up/email`, {
          method: "POST",
          headers: { "content-type": "application/json", origin },
          body: JSON.stringify({ name: person, email: `${person}@example.com`, password: "only for tests" }),
        });
        const location = (await browser.open(url)).headers.get("location") ?? "";
        const callback = (await browser.open(location)).headers.get("location") ?? "";
        return browser.answer(await browser.open(callback), site.url, "yes");
      };
      const worker = await addWorker("better", uri, consent);
      expect(at(worker, "catalog.tools")).toBe(2);
      for (const user of ["alice", "bob"]) await consentTo("Better.whoami", user, consent);
      for (const user of ["alice", "bob", "alice"]) {
        expect(await run("Better.whoami", user, { user })).toBe(`subject: ${user}`);
        const provider = await site.runtime.providers.find("default", "worker-better");
        const grant = provider && (await site.runtime.connections.grant("default", user, provider));
        if (provider === undefined || grant === undefined) throw new Error("no grant");
        expect(await site.runtime.connections.renew("default", user, provider, grant)).toBeDefined();
      }

      expect(seen.calls.filter(({ user, subject }) => user !== subject)).toEqual([]);
    } finally {
      child.kill();
      await child.exited;
    }
  },
  60_000,
);

/** `test` if the package is or can be installed; otherwise a skipped test with the reason. */
function testWithBetterAuth(): typeof test {
  const isThere =
    existsSync(join(PEERS, "node_modules", "better-auth")) ||
    Bun.spawnSync([process.execPath, "install", "--frozen-lockfile"], { cwd: PEERS, timeout: 120_000 })
      .exitCode === 0;
  return testWith("the folder of authorization servers (bun install needs the network)", isThere);
}

function freePort(): number {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const { port = 0 } = server;
  void server.stop(true);
  return port;
}

/** Resolves when a process has printed a text so many times. */
async function says(stream: ReadableStream<Uint8Array>, text: string, times: number): Promise<void> {
  let said = "";
  for await (const piece of stream) {
    said += new TextDecoder().decode(piece);
    if (said.split(text).length > times) return;
  }
  throw new Error(`it ended after: ${said}`);
}
