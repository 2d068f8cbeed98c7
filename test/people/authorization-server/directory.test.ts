// The clients of a project, for administrators; and what a revocation ends while it runs.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { client as mcpClient, send, request } from "../../mcp/site";
import { api, at } from "../../support/api";
import { operator } from "../../tools/deployment";
import { type Browser, claimsOf, type SignInSite, startSignInSite, TestClient } from "./site";

let site: SignInSite;
let gateway: string;
let admin: ReturnType<typeof api>;
let alice: Browser;
let bob: Browser;
let client: TestClient;
beforeAll(async () => {
  site = await startSignInSite();
  gateway = await site.tokenGateway("workbench");
  await site.tokenGateway("second");
  admin = api(site.url, await site.key("admin"));
  await site.deployment.runtime.identity.createProject(operator(), "apart", "Apart");
  await site.tokenGateway("apart", {}, "apart");
  alice = await site.browser("alice");
  bob = await site.browser("bob");
});
beforeEach(async () => {
  client = await TestClient.register(site.url, { client_name: `Client ${crypto.randomUUID()}` });
});
afterAll(() => site[Symbol.asyncDispose]());

const statusOf = async (key: string): Promise<number> =>
  (await mcpClient(gateway, { key }).modern("tools/list")).status;
const recordOf = async (clientId: string) => {
  const name = (await site.deployment.runtime.authorizationServer.clients.find(clientId))?.client_name;
  const items = at((await admin.get("/v1/admin/clients")).body, "items");
  return Object((Array.isArray(items) ? items : []).find((one) => at(one, "name") === name));
};

describe("the list", () => {
  test("has who allowed a client what, and how it came", async () => {
    await client.tokens(alice, gateway);
    await client.tokens(bob, gateway);
    await client.tokens(alice, `${site.url}/mcp/second`);
    const record = await recordOf(client.id);
    expect(record).toMatchObject({ origin: "registered", id: expect.stringMatching(/^cl_[0-9a-f]{20}$/) });
    expect(
      record.allowed.map(({ user_id, gateway: slug }: Record<string, string>) => `${user_id} ${slug}`),
    ).toEqual(["alice workbench", "bob workbench", "alice second"]);
    expect(typeof record.last_used_at).toBe("string");
  });

  test("has no clients of other projects", async () => {
    const there = await site.browser("alice", "apart");
    await client.tokens(there, `${site.url}/mcp/apart`);
    expect(await recordOf(client.id)).toEqual({});
  });
});

describe("a revocation", () => {
  test("ends what all people of the project have allowed the client", async () => {
    const tokens = [await client.tokens(alice, gateway), await client.tokens(bob, gateway)];
    const { id } = await recordOf(client.id);
    const revoked = await admin.post("/v1/admin/clients/revoke", { id });
    expect(revoked.body).toEqual({ id, grants: 2, registration: false });
    for (const { access_token, refresh_token } of tokens) {
      expect(await statusOf(access_token)).toBe(401);
      expect((await client.refresh(refresh_token)).status).toBe(400);
    }
    // People may allow it again.
    expect((await alice.open(client.authorizeUrl({ resource: gateway }))).status).toBe(200);
    expect((await admin.post("/v1/admin/clients/revoke", { id })).status).toBe(404);
  });

  test("of the operator ends the registration too", async () => {
    await client.tokens(alice, gateway);
    const { id } = await recordOf(client.id);
    const { directory } = site.deployment.runtime.authorizationServer;
    expect(await directory.revoke(operator(), id)).toEqual({ id, grants: 1, registration: true });
    expect((await alice.open(client.authorizeUrl({ resource: gateway }))).status).toBe(400);
  });

  test("in one project leaves the others", async () => {
    const there = await site.browser("alice", "apart");
    const apart = await client.tokens(there, `${site.url}/mcp/apart`);
    await client.tokens(alice, gateway);
    await admin.post("/v1/admin/clients/revoke", { id: (await recordOf(client.id)).id });
    expect((await client.refresh(apart.refresh_token)).status).toBe(200);
  });

  test("ends a stream that is open", async () => {
    const tokens = await client.tokens(alice, gateway);
    const mcp = mcpClient(gateway, { key: tokens.access_token });
    const stream = await send(
      gateway,
      request("subscriptions/listen", {
        notifications: { toolsListChanged: true },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      }),
      {
        key: tokens.access_token,
        headers: { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
      },
    );
    expect(stream.status).toBe(200);
    expect((await mcp.modern("tools/list")).status).toBe(200);
    const { grants } = site.deployment.runtime.authorizationServer;
    await grants.end({ projectId: "default", userId: "alice" }, String(claimsOf(tokens.access_token)["gid"]));
    // It ends by itself.
    await stream.text();
    expect((await mcp.modern("tools/list")).status).toBe(401);
  });
});

test("a missing consent upstream is not a reason to sign in again", async () => {
  await site.deployment.addProvider();
  const { access_token: key } = await client.tokens(await site.browser("carol"), gateway);
  const answer = await mcpClient(gateway, { key }).modern("tools/call", { name: "Test_Call", arguments: {} });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("www-authenticate")).toBeNull();
  expect(answer.text).toContain("/authorize/");
});
