// The end of a grant: where it is revoked, when it is not, and that nothing keeps a connection from being deleted.
import { describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import { recordOf, SECRET } from "./record";
import { type ProviderSite, type Script, startProviderSite } from "./site";

const PARAMS = { token: "{{refresh_token}}", token_type_hint: "refresh_token" };

/** Alice, and whoever else, connected at a provider that can revoke. */
async function connected(
  request: object = {},
  script: Script = {},
  users: readonly string[] = ["alice"],
): Promise<ProviderSite> {
  const site = await startProviderSite();
  const revoke_request = { endpoint: "/revoke", params: PARAMS, ...request };
  await site.addProvider(
    recordOf(site.deployment.idp.url, { record: { provider_id: "known" }, oauth2: { revoke_request } }),
  );
  let number = 0;
  site.script({
    token: () => {
      const { length } = users;
      const of = users[number++ % length] ?? "";
      return { body: { access_token: `T-${of}`, refresh_token: `R-${of}`, account: { id: "U1" } } };
    },
    revoke: { body: {} },
    ...script,
  });
  for (const user of users) await site.consent(user);
  return site;
}

async function remove(site: ProviderSite, user: string): Promise<number> {
  const connection = (await site.connections()).find((one) => at(one, "user_id") === user);
  return (await site.admin.delete(`/v1/admin/user_connections/${String(at(connection, "id"))}`)).status;
}

describe("the deletion of a connection", () => {
  test("revokes the refresh token at the record's endpoint and deletes the tokens", async () => {
    await using site = await connected();

    expect(await remove(site, "alice")).toBe(204);
    const [request] = site.sent("revoke");
    expect(request?.method).toBe("POST");
    expect(request?.params).toEqual({ token: "R-alice", token_type_hint: "refresh_token" });
    expect(request?.headers.get("authorization")).toBeNull();
    expect(await site.connections()).toEqual([]);
    expect((await site.execute("alice")).status).toBe(403);
  });

  test("revokes the access token if there is no other", async () => {
    await using site = await connected({}, { token: { body: { access_token: "T", account: { id: "U1" } } } });
    await remove(site, "alice");

    expect(site.sent("revoke")[0]?.params["token"]).toBe("T");
  });

  test("authenticates the client if the record requires it (RFC 7009 section 2.1)", async () => {
    await using site = await connected({ auth_method: "client_secret_post" });
    await remove(site, "alice");

    expect(site.sent("revoke")[0]?.params).toMatchObject({ client_id: "cl:ient", client_secret: SECRET });
  });

  test("sends the access token if the record requires it", async () => {
    await using site = await connected({ auth_method: "bearer_access_token", params: {} });
    await remove(site, "alice");

    expect(site.sent("revoke")[0]?.headers.get("authorization")).toBe("Bearer T-alice");
  });

  test("revokes nothing while another connection lives on the same account", async () => {
    await using site = await connected({}, {}, ["alice", "bob"]);
    await remove(site, "alice");
    expect(site.sent("revoke")).toEqual([]);
    expect((await site.execute("bob")).status).toBe(200);

    await remove(site, "bob");
    expect(site.sent("revoke").map(({ params }) => params["token"])).toEqual(["R-bob"]);
  });

  test.each<[string, Script["revoke"]]>([
    ["is down", { status: 503 }],
    ["breaks off", { resets: true }],
    ["refuses", { status: 400, body: { error: "unsupported_token_type" } }],
    ["redirects", { status: 302, headers: { location: "/revoke/again" } }],
  ])("succeeds if the provider %s", async (_name, revoke) => {
    await using site = await connected({}, revoke === undefined ? {} : { revoke });

    expect(await remove(site, "alice")).toBe(204);
    expect(await site.connections()).toEqual([]);
    const log = site.deployment.logLines.join("\n");
    expect(log).toContain("a grant was not revoked");
    expect(log).not.toContain("R-alice");
  });

  test("sends no second request", async () => {
    await using site = await connected();
    const [connection] = await site.connections();
    await remove(site, "alice");
    const again = await site.admin.delete(`/v1/admin/user_connections/${String(at(connection, "id"))}`);

    expect(again.status).toBe(404);
    expect(site.sent("revoke")).toHaveLength(1);
  });
});

describe("the deletion of a provider", () => {
  test("deletes connections and pending consents; a new record with the same id is empty", async () => {
    await using site = await connected({}, {}, ["alice", "bob"]);
    const auth_requirement = { id: "idp", oauth2: { scopes: ["a", "b", "z"] } };
    const pending = await site.agent.post("/v1/auth/authorize", { auth_requirement, user_id: "alice" });
    const removed = await site.admin.delete("/v1/admin/auth_providers/idp");
    await site.addProvider(recordOf(site.deployment.idp.url));

    expect(removed.status).toBe(200);
    expect(await site.connections()).toEqual([]);
    const state = await site.agent.get(`/v1/auth/status?id=${String(at(pending.body, "id"))}`);
    expect(at(state.body, "status")).toBe("failed");
    expect((await site.execute("alice")).status).toBe(403);
    expect(site.deployment.platform.tokens()).toEqual([]);
  });
});
