// Prepares the consents to a worker: its auth provider, its client, and what changes later.
import { describe, expect, test } from "bun:test";
import { Redacted } from "../../../src/base";
import type { Principal } from "../../../src/identity";
import type { Runtime } from "../../../src/runtime";
import { makeChange, query } from "../../../src/store";
import { type GivenOAuth2, Preparation, WorkerConsents } from "../../../src/workers/oauth";
import type { WorkerAccess } from "../../../src/workers/oauth/access";
import { Person } from "../../authorization/person";
import { deploy, operator } from "../../tools/deployment";
import { METADATA, metadataOf, RESOURCE } from "./stand-in";
import { StrictServer } from "./strict-server";

const REGISTRATIONS = query<{ sealed: string; issuer: string }>(
  "SELECT sealed_registration AS sealed, issuer FROM worker_clients",
);
const CONNECTIONS = query<{ user_id: string }>("SELECT user_id FROM connections ORDER BY user_id");

/** The worker `w` of a project, as the service of workers would keep it. */
class Workshop {
  readonly runtime: Runtime;
  readonly #preparation: Preparation;
  readonly consents: WorkerConsents;
  access: WorkerAccess | undefined;
  uri: string;

  constructor(runtime: Runtime, uri: string) {
    this.runtime = runtime;
    this.uri = uri;
    this.#preparation = new Preparation(runtime.core, runtime.providers);
    this.consents = new WorkerConsents(runtime.core, runtime);
  }

  get worker() {
    return { projectId: "default", id: "w", uri: this.uri };
  }

  async prepare(given: GivenOAuth2 = {}, challenge?: string): Promise<WorkerAccess> {
    const request = { worker: this.worker, given, before: this.access, challenge };
    const { access, change } = await this.#preparation.prepare(operator(), request);
    await makeChange(this.runtime.core.store, change);
    return (this.access = access);
  }

  async recheck(): Promise<WorkerAccess | undefined> {
    if (this.access === undefined) throw new Error("not prepared");
    const by = { kind: "server", projectId: "default" } as const;
    const prepared = await this.#preparation.recheck(by, { worker: this.worker, given: {} }, this.access);
    if (prepared === undefined) return undefined;
    await makeChange(this.runtime.core.store, prepared.change);
    return (this.access = prepared.access);
  }

  async remove(): Promise<void> {
    const change = this.#preparation.removal(operator(), this.worker, this.access);
    await makeChange(this.runtime.core.store, change);
  }

  /** A consent of the user, as the subject at the server. */
  async consent(user: string, server: StrictServer, subject = user, scopes: string[] = []) {
    const by: Principal = operator();
    const authorization = await this.runtime.authorization.authorize(by, {
      user_id: user,
      auth_requirement: { id: this.access?.provider ?? "", oauth2: { scopes } },
    });
    const person = new Person(this.runtime);
    const at = await person.toProvider(authorization);
    const outcome = await person.comeBack(at, server.approve(at.location, subject));
    return outcome.kind === "confirm" ? person.answer(outcome) : outcome;
  }

  connections(): Promise<{ user_id: string }[]> {
    return this.runtime.core.store.all(CONNECTIONS);
  }
}

async function workshop(server: StrictServer, environment: Record<string, string> = {}) {
  const deployment = await deploy({ environment });
  return {
    deployment,
    shop: new Workshop(deployment.runtime, server.at.uri),
    [Symbol.asyncDispose]: () => deployment[Symbol.asyncDispose](),
  };
}

const REGISTERS: GivenOAuth2 = { register: true };

describe("the auth provider of a worker", () => {
  test("sends the resource in all three requests, PKCE, and the scopes of resource and issuer", async () => {
    using server = new StrictServer({ metadata: { scopes_supported: ["offline_access"] }, expiresIn: 1 });
    server.at.worker.set(`${RESOURCE}/mcp`, {
      resource: server.at.uri,
      authorization_servers: [server.at.issuer],
      scopes_supported: ["read"],
    });
    await using made = await workshop(server);
    const { shop, deployment } = made;
    const access = await shop.prepare(REGISTERS);
    expect(access).toMatchObject({ provider: "worker-w", client: "registered", supported_scopes: ["read"] });
    expect((await shop.consent("alice", server)).kind).toBe("completed");
    deployment.clock.move(5000);
    const provider = await shop.runtime.providers.find("default", "worker-w");
    const grant = provider && (await shop.runtime.connections.grant("default", "alice", provider));

    expect(grant?.scopes).toEqual(["read", "offline_access"]);
    expect(server.tokenRequests.map(({ grant_type, resource }) => [grant_type, resource])).toEqual([
      ["authorization_code", server.at.uri],
      ["refresh_token", server.at.uri],
    ]);
    expect(server.refusals).toEqual([]);
  });

  test("sends no resource if an administrator has switched it off", async () => {
    using server = new StrictServer({ resource: null });
    await using made = await workshop(server);
    await made.shop.prepare({ ...REGISTERS, resource: "" });

    expect((await made.shop.consent("alice", server)).kind).toBe("completed");
    expect(server.refusals).toEqual([]);
  });

  test("needs the scopes of the challenge, and a consent does not fail for the others", async () => {
    using server = new StrictServer();
    const { uri, issuer } = server.at;
    server.at.worker.set(`${RESOURCE}/mcp`, {
      resource: uri,
      authorization_servers: [issuer],
      scopes_supported: ["read", "never"],
    });
    server.withheld.add("never");
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);

    expect((await made.shop.consent("alice", server)).kind).toBe("completed");
    expect((await made.shop.prepare({}, 'Bearer scope="write"')).scopes).toEqual(["write"]);
  });

  test("asks for the union when more scopes are needed", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS, 'Bearer scope="read"');
    await made.shop.consent("alice", server, "alice", ["read"]);
    await made.shop.consent("alice", server, "alice", ["write"]);
    const provider = await made.shop.runtime.providers.find("default", "worker-w");
    const grant = provider && (await made.shop.runtime.connections.grant("default", "alice", provider));

    expect(grant?.scopes.toSorted()).toEqual(["read", "write"]);
  });

  test("refuses the callback of another issuer", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);
    const { runtime } = made.deployment;
    const authorization = await runtime.authorization.authorize(operator(), {
      user_id: "alice",
      auth_requirement: { id: "worker-w" },
    });
    const person = new Person(runtime);
    const at = await person.toProvider(authorization);
    const { code = "" } = server.approve(at.location, "alice");
    const outcome = await person.comeBack(at, { code, iss: "https://other.example" });

    expect(outcome.kind).toBe("failed");
    expect(await made.shop.connections()).toEqual([]);
  });

  test("is deleted with the worker: its connections end and are revoked", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    const { shop } = made;
    await shop.prepare(REGISTERS);
    await shop.consent("alice", server);
    await shop.remove();
    await shop.runtime.connections.close();

    expect(await shop.runtime.providers.find("default", "worker-w")).toBeUndefined();
    expect(await shop.connections()).toEqual([]);
    expect([...server.tokens.values()].filter(({ active }) => active)).toEqual([]);
    expect(await shop.runtime.core.store.all(REGISTRATIONS)).toEqual([]);
  });

  test("may have been deleted by an administrator before", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);
    await made.shop.runtime.providers.delete(operator(), "worker-w");
    await made.shop.remove();

    expect(await made.shop.runtime.core.store.all(REGISTRATIONS)).toEqual([]);
  });

  test("takes another name if there is one of this name", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.deployment.addProvider({ id: "worker-w" });
    const { provider } = await made.shop.prepare(REGISTERS);

    expect(provider).toMatch(/^worker-w-\w{8}$/);
    await made.shop.remove();
    expect((await made.shop.runtime.providers.list(operator())).items.map(({ id }) => id)).toEqual([
      "worker-w",
    ]);
  });

  test("is an existing one if an administrator names it, which stays when the worker is deleted", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    const { id, oauth2 } = await made.deployment.runtime.providers.create(operator(), {
      id: "mine",
      external_id: "fixed",
      oauth2: {
        client_id: "c",
        authorize_request: { endpoint: `${server.at.issuer}/authorize` },
        token_request: { endpoint: `${server.at.issuer}/token` },
      },
    });
    const access = await made.shop.prepare({ external_id: "fixed" });

    expect(oauth2?.redirect_uri).toContain("/fixed/");
    expect(access).toMatchObject({ provider: id, owned: false });
    await made.shop.remove();
    expect(await made.deployment.runtime.providers.find("default", "mine")).toBeDefined();
  });

  test("does not show in manifests, and is not pruned by one", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);
    const { manifests } = made.deployment.runtime;
    const exported = await manifests.export(operator());

    expect(JSON.stringify(exported)).not.toContain("worker-w");
  });
});

describe("metadata that no auth provider may have", () => {
  test("is a problem of the worker, which is created all the same", async () => {
    using server = new StrictServer({ metadata: { token_endpoint: "http://auth.example/token" } });
    await using made = await workshop(server);
    const { problem, client } = await made.shop.prepare(REGISTERS);

    expect(client).toBeUndefined();
    expect(problem).toContain("https");
    expect(await made.shop.runtime.providers.find("default", "worker-w")).toBeUndefined();
  });
});

describe("the client of a worker", () => {
  test("is the given one, with its secret", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    const { external_id, problem } = await made.shop.prepare();
    expect(problem).toContain(`/api/v1/oauth/${external_id}/callback`);
    const redirectUri = `${made.deployment.runtime.core.publicUrl()}/api/v1/oauth/${external_id}/callback`;
    server.addClient("console-client", "console-secret", redirectUri);
    const access = await made.shop.prepare({ client_id: "console-client", client_secret: "console-secret" });

    expect(access).toMatchObject({ client: "given", external_id });
    expect(access.problem).toBeUndefined();
    expect((await made.shop.consent("alice", server)).kind).toBe("completed");
    expect(server.registrations).toEqual([]);
  });

  test("is our metadata document where the issuer reads those and this server is reached over https", async () => {
    using server = new StrictServer({ metadata: { client_id_metadata_document_supported: true } });
    await using made = await workshop(server, { RUNTIME_PUBLIC_URL: "https://runtime.example" });
    const access = await made.shop.prepare();
    const provider = await made.shop.runtime.providers.find("default", access.provider);

    expect(access.client).toBe("document");
    expect(provider?.oauth2.clientId).toBe("https://runtime.example/.well-known/oauth-client/default");
    expect(server.registrations).toEqual([]);
  });

  test("is registered only if an administrator says so", async () => {
    using server = new StrictServer({ metadata: { client_id_metadata_document_supported: true } });
    await using made = await workshop(server);
    const { problem, client } = await made.shop.prepare();
    expect([client, server.registrations.length]).toEqual([undefined, 0]);
    expect(problem).toContain("mcp.oauth2.register");

    expect((await made.shop.prepare(REGISTERS)).client).toBe("registered");
    expect(server.registrations).toEqual([
      expect.objectContaining({
        application_type: "web",
        redirect_uris: [expect.stringContaining("/callback")],
      }),
    ]);
  });

  test("is registered once for an issuer; its credentials are stored only in sealed form", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);
    await made.shop.prepare();
    const rows = await made.shop.runtime.core.store.all(REGISTRATIONS);

    expect(server.registrations.length).toBe(1);
    expect(rows.map(({ issuer }) => issuer)).toEqual([server.at.issuer]);
    expect(JSON.stringify([rows, made.shop.access, made.deployment.logLines])).not.toMatch(
      /secret-of|token-of/,
    );
  });

  test("comes from its console where the issuer registers none", async () => {
    using server = new StrictServer({ metadata: { registration_endpoint: undefined } });
    await using made = await workshop(server);
    const { problem } = await made.shop.prepare(REGISTERS);

    expect(problem).toContain("console");
    expect(await made.shop.runtime.providers.find("default", "worker-w")).toBeUndefined();
  });

  test.each([
    [
      "an error",
      Response.json({ error: "invalid_redirect_uri", error_description: "CANARY" }, { status: 400 }),
      "invalid_redirect_uri",
    ],
    ["a wish for a token", Response.json({ error: "invalid_token" }, { status: 401 }), "401"],
    ["something else", new Response("<html>CANARY", { status: 200 }), "not a client"],
    [
      "another redirect address",
      Response.json(
        { client_id: "c", client_secret: "s", redirect_uris: ["https://evil.example"] },
        { status: 201 },
      ),
      "another redirect",
    ],
    [
      "a redirect",
      new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/" } }),
      "redirect",
    ],
  ])("is missing if registration answers %s", async (_name, answer, part) => {
    using server = new StrictServer();
    server.refusesRegistration = answer as never;
    await using made = await workshop(server);
    const { problem, client } = await made.shop.prepare(REGISTERS);

    expect(client).toBeUndefined();
    expect(problem).toContain(part);
    expect(problem).not.toContain("CANARY");
  });

  test("that the issuer has forgotten ends a consent with the advice to register again, once", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);
    const [id = ""] = server.clients.keys();
    const { runtime } = made.deployment;
    const authorization = await runtime.authorization.authorize(operator(), {
      user_id: "alice",
      auth_requirement: { id: "worker-w" },
    });
    const person = new Person(runtime);
    const at = await person.toProvider(authorization);
    const parameters = server.approve(at.location, "alice");
    server.clients.delete(id);
    const outcome = await person.comeBack(at, parameters);

    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("register again") });
    expect([server.tokenRequests.length, server.registrations.length]).toEqual([1, 1]);
    await made.shop.prepare(REGISTERS);
    expect((await made.shop.consent("alice", server)).kind).toBe("completed");
  });
});

describe("another issuer later", () => {
  async function moved(server: StrictServer, other: StrictServer): Promise<void> {
    server.at.worker.set(`${RESOURCE}/mcp`, {
      resource: server.at.uri,
      authorization_servers: [other.at.issuer],
    });
  }

  test("stops the worker: no consent, no token, and the error names both", async () => {
    using server = new StrictServer();
    using other = new StrictServer({ resource: server.at.uri });
    await using made = await workshop(server);
    const { shop } = made;
    await shop.prepare(REGISTERS);
    await shop.consent("alice", server);
    expect(await shop.recheck()).toBeUndefined();
    await moved(server, other);
    const access = await shop.recheck();

    expect(access?.problem).toContain(server.at.issuer);
    expect(access?.problem).toContain(other.at.issuer);
    expect((await shop.runtime.providers.choose("default", { id: "worker-w" })).provider).toBeUndefined();
    expect(await shop.consent("bob", other).catch(({ name }) => name)).toBe("tool_requirements_not_met");
    expect([other.tokenRequests.length, other.registrations.length]).toEqual([0, 0]);
  });

  test("stays stopped when an administrator only prepares it again, also with a new registration", async () => {
    using server = new StrictServer();
    using other = new StrictServer({ resource: server.at.uri });
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);
    await moved(server, other);

    expect((await made.shop.prepare(REGISTERS)).stopped).toBe(true);
    expect(other.registrations).toEqual([]);
  });

  test("is taken when an administrator names it: with a client of its own, and users consent again", async () => {
    using server = new StrictServer();
    using other = new StrictServer({ resource: server.at.uri });
    await using made = await workshop(server);
    const { shop } = made;
    await shop.prepare(REGISTERS);
    await shop.consent("alice", server);
    await moved(server, other);
    await shop.recheck();
    const access = await shop.prepare({ ...REGISTERS, issuer: other.at.issuer });

    expect(access).toMatchObject({ issuer: other.at.issuer, client: "registered" });
    expect(access.stopped).toBeUndefined();
    expect(await shop.connections()).toEqual([]);
    expect((await shop.consent("alice", other)).kind).toBe("completed");
    const secrets = other.tokenRequests.map((form) => JSON.stringify(form)).join();
    expect(secrets).not.toContain("of-alice");
  });

  test("runs again by itself when the worker names the earlier one again", async () => {
    using server = new StrictServer();
    using other = new StrictServer();
    await using made = await workshop(server);
    const { shop } = made;
    await shop.prepare(REGISTERS);
    await shop.consent("alice", server);
    await moved(server, other);
    await shop.recheck();
    server.at.worker.set(`${RESOURCE}/mcp`, {
      resource: server.at.uri,
      authorization_servers: [server.at.issuer],
    });

    expect((await shop.recheck())?.problem).toBeUndefined();
    expect((await shop.runtime.providers.choose("default", { id: "worker-w" })).provider).toBeDefined();
    expect((await shop.connections()).length).toBe(1);
  });

  test("is not seen in metadata that cannot be read at the moment", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);
    server.at.worker.set(`${RESOURCE}/mcp`, () => new Response("down", { status: 503 }));

    expect(await made.shop.recheck()).toBeUndefined();
    expect((await made.shop.runtime.providers.find("default", "worker-w"))?.active).toBe(true);
  });

  test("in the metadata of the same address stops it, too", async () => {
    using server = new StrictServer();
    await using made = await workshop(server);
    await made.shop.prepare(REGISTERS);
    server.at.server.set(METADATA, metadataOf("https://evil.example"));

    expect((await made.shop.recheck())?.stopped).toBe(true);
  });

  test("of the same server, with another secret: a given one must be given again", async () => {
    using server = new StrictServer();
    using other = new StrictServer({ resource: server.at.uri });
    await using made = await workshop(server);
    const { shop } = made;
    const { external_id } = await shop.prepare();
    const redirectUri = `${shop.runtime.core.publicUrl()}/api/v1/oauth/${external_id}/callback`;
    server.addClient("c", "console-secret", redirectUri);
    await shop.prepare({ client_id: "c", client_secret: "console-secret" });
    await moved(server, other);
    const again = shop.prepare({ client_id: "c", issuer: other.at.issuer });

    expect(await again.catch((error: unknown) => String(error))).toContain("mcp.oauth2.client_secret");
    expect(other.tokenRequests).toEqual([]);
  });
});

describe("another address of the worker", () => {
  test("ends the connections: no token for the earlier address gets to the new one", async () => {
    using server = new StrictServer();
    using other = new StrictServer();
    await using made = await workshop(server);
    const { shop } = made;
    await shop.prepare({ ...REGISTERS, resource: "" });
    const provider = await shop.runtime.providers.find("default", "worker-w");
    if (provider === undefined) throw new Error("no provider");
    await shop.runtime.connections.store(
      "default",
      "alice",
      provider,
      {
        accessToken: new Redacted("t"),
        refreshToken: undefined,
        expiresIn: undefined,
        scopes: [],
        facts: {},
      },
      [],
      function* () {},
    );
    expect((await shop.connections()).length).toBe(1);
    other.at.worker.set(`${RESOURCE}/mcp`, {
      resource: other.at.uri,
      authorization_servers: [server.at.issuer],
    });
    shop.uri = other.at.uri;
    await shop.prepare({ resource: "" });

    expect(await shop.connections()).toEqual([]);
  });
});
