// A worker that wants tokens, over HTTP: an administrator lists it, users consent, and each call carries its user's token.
import { describe, expect, test } from "bun:test";
import { at } from "../../support/api";
import { operator } from "../../tools/deployment";
import { RESOURCE } from "./stand-in";
import { OAuthSite } from "./site";
import { StrictServer } from "./strict-server";

describe("a worker that wants tokens", () => {
  test("is created without a client: its record says what to do, and which redirect address to register", async () => {
    await using made = await OAuthSite.start();
    const { status, body } = await made.create(null);

    expect(status).toBe(201);
    expect(body).toMatchObject({
      requirements: { met: false, authorization: { met: false, oauth2: { met: false } } },
      mcp: {
        redirect_uri: expect.stringMatching(/\/api\/v1\/oauth\/\w+\/callback$/),
        oauth2: { problem: expect.stringContaining("mcp.oauth2.register"), issuer: made.strict.at.issuer },
      },
      catalog: { tools: 0, error: expect.stringContaining("mcp.oauth2.register") },
    });
    expect(made.strict.registrations).toEqual([]);
    const refused = await made.admin.get("/v1/workers/echo/authorize");
    expect([refused.status, at(refused.body, "name")]).toEqual([400, "tool_requirements_not_met"]);
    expect(made.strict.registrations).toEqual([]);
  });

  test("gets its client later, with the redirect address that was registered for it", async () => {
    await using made = await OAuthSite.start();
    const { body } = await made.create(null);
    made.strict.addClient("console", "console-secret-CANARY", String(at(body, "mcp.redirect_uri")));
    const oauth2 = { client_id: "console", client_secret: "console-secret-CANARY" };
    const patched = await made.admin.patch("/v1/workers/echo", { mcp: { oauth2 } });

    expect(at(patched.body, "mcp.redirect_uri")).toEqual(at(body, "mcp.redirect_uri"));
    expect(at(patched.body, "mcp.oauth2")).toMatchObject({
      client_id: "console",
      client_secret: { exists: true },
      supported_scopes: [],
    });
    expect(patched.text).not.toContain("CANARY");
    await made.consentAs("admin", await made.authorizeWorker());
    expect(at((await made.admin.get("/v1/workers/echo/authorize")).body, "status")).toBe("completed");
  });

  test("needs the name of the person who consents where people sign in, because the worker's own user cannot", async () => {
    await using made = await OAuthSite.start();
    await made.create();
    await made.site.runtime.identity.projects.update(operator(), "default", { sign_in: "passkey" });
    const unnamed = await made.admin.get("/v1/workers/echo/authorize");
    expect([unnamed.status, at(unnamed.body, "name")]).toEqual([400, "tool_requirements_not_met"]);
    expect(at(unnamed.body, "message")).toContain("user_id (--user)");

    const named = await made.admin.get("/v1/workers/echo/authorize?user_id=admin");
    expect(named.body).toMatchObject({ user_id: "admin", status: "pending" });
    const again = await made.admin.get("/v1/workers/echo/authorize");
    expect(again.body).toMatchObject({ user_id: "admin", status: "pending" });
  });

  test("is listed with the consent of an administrator, and its auth provider is among the others", async () => {
    await using made = await OAuthSite.start();
    await made.create();
    const pending = await made.admin.get("/v1/workers/echo/authorize");
    expect(pending.body).toMatchObject({
      worker_id: "echo",
      user_id: "worker:echo",
      status: "pending",
      scopes: [],
    });
    await made.consentAs("admin", at(pending.body, "url"));
    expect(at((await made.admin.get("/v1/workers/echo/authorize")).body, "status")).toBe("completed");
    const { body } = await made.admin.get("/v1/workers/echo");

    expect(body).toMatchObject({ requirements: { met: true }, catalog: { tools: 2 } });
    const providers = await made.admin.get("/v1/admin/auth_providers");
    expect(at(providers.body, "items")).toEqual([
      expect.objectContaining({ id: "worker-echo", oauth2: expect.objectContaining({ worker: "echo" }) }),
    ]);
  });

  test("is read by itself as soon as the administrator has consented", async () => {
    await using made = await OAuthSite.start();
    await made.create();
    const { store } = made.site.runtime.core;
    await made.consentAs("admin", await made.authorizeWorker());
    const tools = async (): Promise<unknown> =>
      at((await made.admin.get("/v1/workers/echo")).body, "catalog.tools");
    for (let changes = 0; changes < 5 && (await tools()) !== 2; changes++)
      await store.changed("workers", await store.generation("workers"), { timeoutMs: 20_000 });

    expect(await tools()).toBe(2);
  });

  test("may be listed with the consent of a user whom the administrator names", async () => {
    await using made = await OAuthSite.start();
    await made.create();
    const query = "user_id=carol&next_uri=http%3A%2F%2Flocalhost%2Fdone";
    const { body } = await made.admin.get(`/v1/workers/echo/authorize?${query}`);

    expect(body).toMatchObject({ user_id: "carol", status: "pending" });
  });

  test("keeps the resources of the administrator who lists it from everybody else", async () => {
    await using made = await OAuthSite.start({ notes: true });
    await made.ready();
    const { body, text } = await made.admin.get("/v1/workers/echo");

    expect(at(body, "skipped")).toEqual([
      { name: "resources", reason: expect.stringContaining("may be that person's own") },
    ]);
    expect(text).not.toContain("notes");
    const [catalog] = await made.site.runtime.workers.catalogsOf("default");
    expect(JSON.stringify(catalog?.worker)).not.toContain("notes");
  });

  test("gets the token of the user of each call, and of no other", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    const refused = await made.run("whoami", "alice");
    expect([refused.status, at(refused.body, "name")]).toEqual([403, "tool_requirements_not_met"]);
    for (const user of ["alice", "bob"]) await made.consentAs(user, await made.authorize(user));

    for (const user of ["alice", "bob", "alice"]) {
      const { body } = await made.run("whoami", user);
      expect(at(body, "output.value")).toBe(`subject: ${user}`);
    }
    const connections = await made.admin.get("/v1/admin/user_connections");
    expect(JSON.stringify(connections.body)).toContain('"user_id":"bob"');
  });

  test("asks for more scopes in a call: the user consents to the union", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    const { body } = await made.run("write", "alice");
    const url = at(body, "output.authorization.url");
    expect(at(body, "output.authorization.scopes")).toEqual(["write"]);
    await made.consentAs("alice", url);

    expect(at((await made.run("write", "alice")).body, "output.value")).toBe("subject: alice");
    expect(at((await made.run("whoami", "alice")).body, "output.value")).toBe("subject: alice");
  });

  test("that refuses a token gets a refreshed one, once", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    made.strict.expire("alice");

    expect(at((await made.run("whoami", "alice")).body, "output.value")).toBe("subject: alice");
    const refreshes = made.strict.tokenRequests.filter(({ grant_type }) => grant_type === "refresh_token");
    expect(refreshes.map(({ resource }) => resource)).toEqual([made.strict.at.uri]);
  });

  test("keeps grants while its authorization server is down", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    made.strict.expire("alice");
    made.strict.tokenAnswer = () => new Response("down", { status: 503 });
    expect(at((await made.run("whoami", "alice")).body, "success")).toBe(false);
    made.strict.tokenAnswer = undefined;

    expect(at((await made.run("whoami", "alice")).body, "output.value")).toBe("subject: alice");
  });

  test("has its catalog read with a refreshed token as well", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    made.strict.expire("admin");
    const { body } = await made.admin.post("/v1/workers/echo/refresh");

    expect(at(body, "catalog.error")).toBeUndefined();
    expect(at(body, "requirements.met")).toBe(true);
  });

  test("whose administrator's grant is dead says so, and users still call its tools", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    for (const token of made.strict.tokens.values()) if (token.subject === "admin") token.active = false;
    const { body } = await made.admin.post("/v1/workers/echo/refresh");

    expect(at(body, "requirements.met")).toBe(false);
    expect(at((await made.run("whoami", "alice")).body, "output.value")).toBe("subject: alice");
  });

  test("that names another issuer later is stopped: no call gets through until an administrator names it", async () => {
    await using made = await OAuthSite.start();
    using other = new StrictServer({ resource: made.strict.at.uri });
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    made.strict.at.worker.set(`${RESOURCE}/mcp`, {
      resource: made.strict.at.uri,
      authorization_servers: [other.at.issuer],
    });
    const { body } = await made.admin.post("/v1/workers/echo/refresh");
    const before = made.echo.calls.length;
    const refused = await made.run("whoami", "alice");

    expect(String(at(body, "catalog.error"))).toContain(other.at.issuer);
    expect(refused.status).toBe(400);
    expect(made.echo.calls.length).toBe(before);
    const health = await made.admin.get("/v1/workers/echo/health");
    expect(String(at(health.body, "message"))).toContain(other.at.issuer);
    await made.admin.patch("/v1/workers/echo", {
      mcp: { oauth2: { issuer: other.at.issuer, register: true } },
    });
    expect((await made.run("whoami", "alice")).status).toBe(403);
    expect(other.registrations.length).toBe(1);
  });

  test("that moves to another address gets no token of the earlier one, neither for its catalog nor for calls", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    const seen: (string | null)[] = [];
    using thief = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        seen.push(request.headers.get("authorization"));
        return new Response(null, { status: 401, headers: { "www-authenticate": "Bearer" } });
      },
    });
    const patched = await made.admin.patch("/v1/workers/echo", {
      mcp: { uri: `http://127.0.0.1:${thief.port}/mcp` },
    });
    await made.admin.post("/v1/workers/echo/refresh");
    await made.run("whoami", "alice");
    await made.admin.get("/v1/workers/echo/health");

    expect(patched.status).toBe(200);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((header) => header !== null)).toEqual([]);
    expect(at((await made.admin.get("/v1/admin/user_connections")).body, "total_count")).toBe(0);
  });

  test("that is deleted takes its provider, connections and registration with it", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    expect((await made.admin.delete("/v1/workers/echo")).status).toBe(204);
    await made.site.runtime.connections.close();

    expect(at((await made.admin.get("/v1/admin/auth_providers")).body, "total_count")).toBe(0);
    expect(at((await made.admin.get("/v1/admin/user_connections")).body, "total_count")).toBe(0);
    expect([...made.strict.tokens.values()].filter(({ active }) => active)).toEqual([]);
  });

  test("shows no secret of its client anywhere", async () => {
    await using made = await OAuthSite.start();
    await made.ready();
    await made.consentAs("alice", await made.authorize("alice"));
    const answers = await Promise.all(
      [
        "/v1/workers",
        "/v1/workers/echo",
        "/v1/admin/auth_providers",
        "/v1/admin/audit",
        "/v1/admin/manifest",
      ].map((path) => made.admin.get(path)),
    );

    const all = [...answers.map(({ text }) => text), ...made.site.logLines].join("\n");
    expect(all).not.toMatch(/secret-of-client|registration-token-of|access-\d+-of|refresh-\d+-of/);
  });
});
