// Records of plugins and hooks: storage, validation and access.
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { bytesOf, found } from "../support/canaries";
import { pemPair } from "./pem";
import { databaseOf, dump, type Stage, startStage } from "../server/stage";
import { testOnSqlite } from "../support/on-sqlite";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const admin = () => api(stage.site.url, stage.keys.admin);
const other = () => api(stage.site.url, stage.keys.other);
const operator = () => stage.site.runtime.identity.operator("default");
let count = 0;

/** A plugin whose pre hook has a unique priority. */
const plugin = (more: object = {}, config: object = {}) => ({
  name: `plugin ${++count}`,
  plugin_type: "webhook",
  webhook_config: {
    endpoints: {
      pre: {
        url: "https://policy.example/pre",
        phase: "before",
        failure_mode: "fail_closed",
        priority: count,
      },
    },
    ...config,
  },
  ...more,
});
const create = async (more?: object, config?: object) =>
  (await admin().post("/v1/plugins", plugin(more, config))).body;
const idOf = (body: unknown): string => String(at(body, "id"));

describe("a plugin", () => {
  test("is created inactive, with a hook for each endpoint", async () => {
    const endpoint = (point: string) => ({
      url: `https://p.example/${point}`,
      phase: "before",
      failure_mode: "fail_open",
    });
    const endpoints = {
      access: { ...endpoint("access"), cache_enabled: true },
      pre: { ...endpoint("pre"), timeout_ms: 120_000, priority: 900, status: "inactive" },
      post: endpoint("post"),
    };
    const answer = await admin().post("/v1/plugins", { ...plugin(), webhook_config: { endpoints } });

    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      id: expect.stringMatching(/^pl_/),
      status: "inactive",
      binding: { id: "default", type: "project" },
      retry: { enabled: false, max_attempts: 3, backoff: "exponential", base_delay_ms: 100 },
      health_status: "unknown",
      version: 1,
      created_by: expect.stringMatching(/^key:/),
      webhook_config: { auth: { type: "none" }, endpoints: { post: { url: "https://p.example/post" } } },
      hooks: [
        {
          hook_point: "tool.access",
          failure_mode: "fail_open",
          cache_enabled: true,
          cache_ttl_ms: 60_000,
          timeout_ms: 5000,
        },
        { hook_point: "tool.pre", timeout_ms: 120_000, priority: 900, status: "inactive" },
        { hook_point: "tool.post", priority: 0, status: "active", version: 1 },
      ],
    });
    const hooks = at(answer.body, "hooks") as { id: string }[];
    for (const { id } of hooks) await admin().delete(`/v1/hooks/${id}`);
  });

  test("does not store unknown fields at any level", async () => {
    const pre = {
      url: "https://p.example/",
      phase: "before",
      failure_mode: "fail_open",
      priority: 700,
      secret: "CANARY",
    };
    const config = { endpoints: { pre }, auth: { type: "none", password: "CANARY" }, more: "CANARY" };
    const made = await admin().post(
      "/v1/plugins",
      plugin({ retry: { enabled: true, key: "CANARY" }, x: "CANARY" }, config),
    );
    const path = `/v1/plugins/${idOf(made.body)}`;
    const patched = await admin().patch(path, {
      retry: { key: "CANARY" },
      webhook_config: { more: "CANARY" },
    });

    expect([made.status, patched.status]).toEqual([201, 200]);
    expect(`${made.text}${patched.text}${(await admin().get(path)).text}`).not.toContain("CANARY");
  });

  test("is not created if one of its hooks cannot be created", async () => {
    const pre = { url: "https://p.example/", phase: "before", failure_mode: "fail_open", priority: 500 };
    await create({}, { endpoints: { pre } });
    const before = dump(databaseOf(stage.site));

    const answer = await admin().post("/v1/plugins", plugin({}, { endpoints: { post: pre, pre } }));

    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([409, "false"]);
    expect(dump(databaseOf(stage.site))).toEqual(before);
  });

  test("keeps fields and credentials that a patch does not contain", async () => {
    const made = await create({}, { auth: { type: "bearer", token: "CANARY-TOKEN" } });
    const id = idOf(made);
    const patched = await admin().patch(`/v1/plugins/${id}`, {
      description: "d",
      status: "active",
      retry: { enabled: true, retry_on: ["5xx"] },
      webhook_config: {
        endpoints: { pre: { timeout_ms: 200 }, post: { url: "https://policy.example/post" } },
      },
    });

    expect(patched.body).toMatchObject({
      name: at(made, "name"),
      description: "d",
      status: "active",
      version: 2,
      retry: { enabled: true, max_attempts: 3, retry_on: ["5xx"] },
      webhook_config: {
        endpoints: {
          pre: { url: "https://policy.example/pre", timeout_ms: 200 },
          post: { url: "https://policy.example/post" },
        },
        auth: { type: "bearer", token: { exists: true, editable: true, binding: "project" } },
      },
    });
    const hook = await admin().get(`/v1/hooks/${String(at(made, "hooks.0.id"))}`);
    expect(at(hook.body, "timeout_ms")).toBe(200);
    await admin().patch(`/v1/plugins/${id}`, { status: "inactive" });
  });

  test("does not expose its credentials in answers, logs and files", async () => {
    const signing = `whsec_${Buffer.from("CANARY-SIGNING-SECRET-OF-32-BYTE").toString("base64")}`;
    const canaries = { token: "CANARY-TOKEN-1", changed: "CANARY-TOKEN-2", signing };
    const made = await create(
      {},
      { auth: { type: "bearer", token: canaries.token }, signing_secret: signing },
    );
    const id = idOf(made);
    const changed = await admin().patch(`/v1/plugins/${id}`, {
      webhook_config: { auth: { token: canaries.changed } },
    });
    const listed = await admin().get("/v1/plugins?limit=100");

    const said = [
      JSON.stringify(made),
      changed.text,
      listed.text,
      (await admin().get(`/v1/plugins/${id}`)).text,
    ];
    expect(found(canaries, said.join("\n"))).toEqual([]);
    expect(found(canaries, stage.site.logLines.join("\n"))).toEqual([]);
    expect(found(canaries, bytesOf(stage.site.folder))).toEqual([]);
    expect(at(made, "webhook_config.signing_secret.exists")).toBe(true);
  });

  test("stays readable after a rotation of the data key", async () => {
    const { runtime } = stage.site;
    const made = await create({}, { auth: { type: "bearer", token: "before-and-after" } });
    await runtime.rotation.rotateDataKey(await operator());
    const patched = await admin().patch(`/v1/plugins/${idOf(made)}`, { description: "still there" });

    expect([patched.status, at(patched.body, "webhook_config.auth.token.exists")]).toEqual([200, true]);
  });

  test("can only be deleted without hooks", async () => {
    const made = await create();
    const refused = await admin().delete(`/v1/plugins/${idOf(made)}`);
    expect([refused.status, refused.headers.get("x-should-retry")]).toEqual([409, "false"]);
    await admin().delete(`/v1/hooks/${String(at(made, "hooks.0.id"))}`);
    expect((await admin().delete(`/v1/plugins/${idOf(made)}`)).status).toBe(204);
    expect((await admin().get(`/v1/plugins/${idOf(made)}`)).status).toBe(404);
  });

  test("cannot be created with or renamed to a name that is taken", async () => {
    const name = at(await create(), "name");
    expect((await admin().post("/v1/plugins", plugin({ name }))).status).toBe(409);
    const second = idOf(await create());
    const patched = await admin().patch(`/v1/plugins/${second}`, { name });
    expect([patched.status, at(patched.body, "name")]).toEqual([400, "already_exists"]);
    expect((await other().post("/v1/plugins", plugin({ name }))).status).toBe(201);
  });
});

describe("a plugin is refused", () => {
  const { cert, key } = pemPair("client");
  const endpoint = (url: string) => ({
    endpoints: { pre: { url, phase: "before", failure_mode: "fail_closed" } },
  });
  const https = endpoint("https://p.example/");

  test.each([
    ["without endpoints", { endpoints: {} }, "webhook_config.endpoints"],
    ["with a relative address", endpoint("/pre"), "webhook_config.endpoints.pre.url"],
    ["with another scheme", endpoint("ftp://p.example/"), "webhook_config.endpoints.pre.url"],
    ["with plain http to a public host", endpoint("http://p.example/"), "webhook_config.endpoints.pre.url"],
    [
      "with a password in the address",
      endpoint("https://u:p@p.example/"),
      "webhook_config.endpoints.pre.url",
    ],
    ["with a bearer that has no token", { auth: { type: "bearer" } }, "webhook_config.auth.token"],
    ["with a token of two lines", { auth: { token: "a\nb: c" } }, "webhook_config.auth.token"],
    [
      "with mutual TLS without a certificate",
      { ...https, auth: { type: "mtls" } },
      "webhook_config.auth.client_cert",
    ],
    [
      "with a certificate that is none",
      { ...https, auth: { client_cert: "CANARY", client_key: key } },
      "webhook_config.auth.client_cert",
    ],
    [
      "with a key that is none",
      { ...https, auth: { client_cert: cert, client_key: "CANARY" } },
      "webhook_config.auth.client_key",
    ],
    [
      "with the key of another certificate",
      { ...https, auth: { client_cert: cert, client_key: pemPair("other").key } },
      "webhook_config.auth.client_key",
    ],
    [
      "with mutual TLS over plain http",
      { ...endpoint("http://localhost/"), auth: { client_cert: cert, client_key: key } },
      "webhook_config.endpoints.pre.url",
    ],
    ["with an authority that is none", { auth: { ca_cert: "CANARY" } }, "webhook_config.auth.ca_cert"],
    ["with a short signing secret", { signing_secret: "whsec_c2hvcnQ=" }, "webhook_config.signing_secret"],
    [
      "with a signing secret that is not base64",
      { signing_secret: "CANARY CANARY" },
      "webhook_config.signing_secret",
    ],
  ])("%s", async (_what, config, field) => {
    const answer = await admin().post("/v1/plugins", plugin({}, config));

    expect([answer.status, at(answer.body, "name")]).toEqual([400, "malformed_request"]);
    expect(at(answer.body, "field_errors.0.field")).toBe(field);
    expect(answer.text).not.toContain("CANARY");
  });

  test.each([
    [{ plugin_type: "grpc" }],
    [{ name: "" }],
    [{ name: "x".repeat(257) }],
    [{ retry: { max_attempts: 11 } }],
    [{ retry: { retry_on: ["4xx"] } }],
    [{ status: "on" }],
  ])("for %j", async (more) => {
    expect((await admin().post("/v1/plugins", plugin(more))).status).toBe(400);
  });

  test("if a patch contains fields of hooks, with an error that says how to change them", async () => {
    const id = idOf(await create());
    const change = { webhook_config: { endpoints: { pre: { failure_mode: "fail_open" } } } };
    const answer = await admin().patch(`/v1/plugins/${id}`, change);
    expect([answer.status, at(answer.body, "field_errors.0.message")]).toEqual([
      400,
      "is a field of the hook: change it with PATCH /v1/hooks/{hook_id}",
    ]);
  });
});

describe("a hook", () => {
  const hook = (plugin_id: string, more: object = {}) => ({
    name: "h",
    plugin_id,
    hook_point: "tool.pre",
    phase: "after",
    failure_mode: "fail_open",
    priority: 300 + ++count,
    ...more,
  });

  test("is created, changed and deleted", async () => {
    const id = idOf(await create());
    const made = await admin().post("/v1/hooks", hook(id, { timeout_ms: 100 }));
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      status: "active",
      timeout_ms: 100,
      version: 1,
      phase: "after",
      plugin_id: id,
    });
    const path = `/v1/hooks/${idOf(made.body)}`;
    const patched = await admin().patch(path, { failure_mode: "fail_closed", status: "inactive" });
    expect(patched.body).toMatchObject({
      failure_mode: "fail_closed",
      status: "inactive",
      version: 2,
      phase: "after",
    });
    expect(at((await admin().patch(path, { status: "inactive" })).body, "version")).toBe(2);
    expect((await admin().delete(path)).status).toBe(204);
    expect((await admin().get(path)).status).toBe(404);
  });

  test.each([
    ["an unknown plugin", { plugin_id: "pl_unknown" }, 404],
    ["a point without an endpoint", { hook_point: "tool.post" }, 400],
    ["no failure mode", { failure_mode: undefined }, 400],
    ["a priority of 1,001", { priority: 1001 }, 400],
    ["a time of 99 ms", { timeout_ms: 99 }, 400],
    ["a time of 30,001 ms", { timeout_ms: 30_001 }, 400],
  ])("with %s is refused", async (_what, more, status) => {
    const id = idOf(await create());
    expect((await admin().post("/v1/hooks", hook(id, more))).status).toBe(status);
  });

  test("conflicts with another hook at the same point and priority", async () => {
    const made = await create();
    const priority = at(made, "hooks.0.priority");
    const taken = await admin().post("/v1/hooks", hook(idOf(made), { priority }));
    expect([taken.status, taken.headers.get("x-should-retry")]).toEqual([409, "false"]);
    const second = await admin().post("/v1/hooks", hook(idOf(made)));
    const patched = await admin().patch(`/v1/hooks/${idOf(second.body)}`, { priority });
    expect([patched.status, at(patched.body, "name")]).toEqual([400, "already_exists"]);
  });

  test("is found in lists by point, plugin and status", async () => {
    const made = await create();
    const id = idOf(made);
    await admin().post("/v1/hooks", hook(id, { status: "inactive" }));
    const list = async (query: string) =>
      at((await admin().get(`/v1/hooks?plugin_id=${id}${query}`)).body, "total_count");
    expect(
      await Promise.all(["", "&status=active", "&hook_point=tool.pre", "&hook_point=tool.post"].map(list)),
    ).toEqual([2, 1, 2, 0]);
    expect((await admin().get("/v1/hooks?hook_point=tool.none")).status).toBe(400);
    const page = await admin().get(`/v1/hooks?plugin_id=${id}&limit=1&offset=1`);
    expect(page.body).toMatchObject({ total_count: 2, offset: 1, limit: 1, page_count: 1 });
  });
});

describe("a plugin of the organization", () => {
  test("is visible to its projects, and only the operator can change it", async () => {
    const { runtime } = stage.site;
    const made = await runtime.plugins.create(await operator(), plugin() as never, "tenant");
    const [hook] = made.hooks;
    const path = `/v1/plugins/${made.id}`;

    for (const client of [admin(), other()]) {
      expect((await client.get(path)).body).toMatchObject({ binding: { id: "default", type: "tenant" } });
      expect((await client.get("/v1/plugins?binding_type=tenant")).text).toContain(made.id);
      expect((await client.get("/v1/plugins?limit=100")).text).not.toContain(made.id);
      expect((await client.get(`/v1/hooks/${hook?.id}?binding_type=tenant`)).status).toBe(200);
      expect((await client.get(`/v1/hooks/${hook?.id}`)).status).toBe(404);
      const listed = (await client.get("/v1/hooks?limit=100")).body as { items: { id: string }[] };
      expect(listed.items.find(({ id }) => id === hook?.id)).toMatchObject({
        binding: { id: "default", type: "tenant" },
      });
      const refusals = [
        await client.patch(path, { status: "active" }),
        await client.delete(path),
        await client.patch(`/v1/hooks/${hook?.id}`, { status: "inactive" }),
        await client.delete(`/v1/hooks/${hook?.id}`),
      ];
      expect(refusals.map(({ status, body }) => [status, at(body, "name")])).toEqual(
        refusals.map(() => [400, "read_only"]),
      );
      const another = {
        name: "h",
        plugin_id: made.id,
        hook_point: "tool.pre",
        phase: "before",
        failure_mode: "fail_open",
      };
      expect((await client.post("/v1/hooks", another)).status).toBe(404);
    }
    await runtime.hooks.update(await operator(), hook?.id ?? "", { priority: 999 });
    await runtime.hooks.delete(await operator(), hook?.id ?? "");
    await runtime.plugins.delete(await operator(), made.id);
  });

  test("cannot be created with a key", async () => {
    const principal = {
      kind: "key",
      keyId: "key_1",
      projectId: "default",
      role: "admin",
      users: null,
    } as const;
    const refused = stage.site.runtime.plugins.create(principal, plugin() as never, "tenant");
    await expect(refused).rejects.toMatchObject({ status: 403, name: "forbidden" });
  });
});

test("plugins and hooks of another project are unknown", async () => {
  const made = await create();
  const paths = [`/v1/plugins/${idOf(made)}`, `/v1/hooks/${String(at(made, "hooks.0.id"))}`];
  for (const path of paths) {
    expect((await other().get(path)).status).toBe(404);
    expect((await other().patch(path, { status: "inactive" })).status).toBe(404);
    expect((await other().delete(path)).status).toBe(404);
  }
  const another = {
    name: "h",
    plugin_id: idOf(made),
    hook_point: "tool.pre",
    phase: "before",
    failure_mode: "fail_open",
  };
  expect((await other().post("/v1/hooks", another)).status).toBe(404);
});

test("a project is deleted with its plugins and hooks", async () => {
  const { runtime } = stage.site;
  const principal = await operator();
  await runtime.identity.createProject(principal, "gone", "gone");
  const made = await runtime.plugins.create(await runtime.identity.operator("gone"), plugin() as never);
  expect(JSON.stringify(dump(databaseOf(stage.site))["plugins"])).toContain(made.id);
  await runtime.identity.deleteProject(principal, "gone");
  expect(JSON.stringify(dump(databaseOf(stage.site))["hooks"])).not.toContain(made.id);
  expect(JSON.stringify(dump(databaseOf(stage.site))["plugins"])).not.toContain(made.id);
});

describe("a webhook that decides about no call", () => {
  const reasons = (body: unknown) =>
    ((at(body, "not_in_force") ?? []) as object[]).map((one) => [at(one, "hook_point"), at(one, "reason")]);
  const shown = async (id: string) => (await admin().get(`/v1/plugins/${id}`)).body;

  test("is named with the reason: an endpoint without a hook, an inactive plugin, an inactive hook", async () => {
    const made = await create({ status: "active" });
    const id = idOf(made);
    const hook = String(at(made, "hooks.0.id"));
    expect(at(made, "not_in_force")).toBeUndefined();

    const endpoints = { post: { url: "https://p.example/post" } };
    const patched = await admin().patch(`/v1/plugins/${id}`, { webhook_config: { endpoints } });
    expect(reasons(patched.body)).toEqual([["tool.post", "no_hook"]]);
    await admin().patch(`/v1/hooks/${hook}`, { status: "inactive" });
    expect(reasons(await shown(id))).toEqual([
      ["tool.pre", "hook_inactive"],
      ["tool.post", "no_hook"],
    ]);
    expect(at((await admin().get(`/v1/hooks/${hook}`)).body, "not_in_force.reason")).toBe("hook_inactive");
    await admin().patch(`/v1/hooks/${hook}`, { status: "active" });
    await admin().patch(`/v1/plugins/${id}`, { status: "inactive" });
    expect(at((await admin().get(`/v1/hooks/${hook}`)).body, "not_in_force.reason")).toBe("plugin_inactive");
    const listed = (await admin().get("/v1/plugins?limit=100")).body;
    const found = (at(listed, "items") as object[]).find((one) => at(one, "id") === id);
    expect(reasons(found)).toContainEqual(["tool.pre", "plugin_inactive"]);
  });

  testOnSqlite("is named when it fails open and does not answer, but not when it fails closed", async () => {
    const unhealthy = async (failure_mode: string): Promise<unknown> => {
      const url = "https://p.example/pre";
      const pre = { url, phase: "before", failure_mode, priority: 500 + ++count };
      const id = idOf(await create({ status: "active" }, { endpoints: { pre } }));
      const database = new Database(databaseOf(stage.site));
      database.run("UPDATE plugins SET health_status = 'unhealthy' WHERE id = ?", [id]);
      database.close();
      return reasons(await shown(id));
    };

    expect(await unhealthy("fail_open")).toEqual([["tool.pre", "unhealthy"]]);
    expect(await unhealthy("fail_closed")).toEqual([]);
  });
});

describe("a hook without a priority", () => {
  test("runs after those that are there, however it is made", async () => {
    const hooksAt = async (point: string) =>
      at((await admin().get(`/v1/hooks?hook_point=${point}&limit=100`)).body, "items") as {
        priority: number;
      }[];
    const post = { url: "https://p.example/post", phase: "before", failure_mode: "fail_open" };
    const first = idOf(await create({}, { endpoints: { post } }));
    const second = idOf(await create({}, { endpoints: { post } }));
    const third = idOf(await create({}, { endpoints: { post: { ...post, priority: 40 } } }));
    const entry = { name: "more", hook_point: "tool.post", phase: "before", failure_mode: "fail_open" };
    const fourth = await admin().post("/v1/hooks", { ...entry, plugin_id: first });

    const priorities = (await hooksAt("tool.post")).map(({ priority }) => priority);
    expect([fourth.status, new Set(priorities).size]).toEqual([201, priorities.length]);
    expect(at(fourth.body, "priority")).toBeLessThan(40);
    for (const id of [first, second, third])
      expect((await admin().get(`/v1/plugins/${id}`)).status).toBe(200);
  });
});
