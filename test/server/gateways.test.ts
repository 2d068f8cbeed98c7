// Gateway records over HTTP: every field and rule, slugs, who may touch them, and the race for one slug.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { api, at } from "../support/api";
import { databaseOf, dump, type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const PATH = "/v1/orgs/default/projects/default/gateways";
const admin = () => api(stage.site.url, stage.keys.admin);
const KEYS = { auth_type: "arcade_header" };
const create = (body: object) => admin().post(PATH, { name: "Made", ...KEYS, ...body });
const idOf = async (body: object): Promise<string> => String(at((await create(body)).body, "id"));
const letters = (count: number): string => "x".repeat(count);

describe("creating", () => {
  test("answers the record, with what was given and the defaults", async () => {
    const given = {
      name: "Support",
      slug: "support",
      description: "What support may do",
      instructions: "Be kind.",
      allowed_passthrough_headers: ["x-tenant"],
      consent_skip_client_ids: ["client-1"],
      tool_filter: { allowed_tools: ["Chat.WhoAmI"], discovery: { enabled: true, allowed_classes: ["a"] } },
    };
    const answer = await create(given);
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      ...given,
      auth_type: "arcade_header",
      status: "active",
      id: expect.stringMatching(/^gw_[0-9a-f]{32}$/),
      binding: { id: "default", type: "project" },
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await admin().get(`${PATH}/${String(at(answer.body, "id"))}`)).body).toEqual(answer.body);
  });

  test("makes a slug from the name where none is given, and another for the same name", async () => {
    const slugs: unknown[] = [];
    for (const name of ["Équipe du Nord!", "Équipe du Nord!", "команда", "Tools"]) {
      slugs.push(at((await create({ name })).body, "slug"));
    }
    expect(slugs).toEqual([
      "e-quipe-du-nord",
      expect.stringMatching(/^e-quipe-du-nord-[0-9a-f]{8}$/),
      expect.stringMatching(/^gateway-[0-9a-f]{8}$/),
      expect.stringMatching(/^tools-[0-9a-f]{8}$/),
    ]);
  });

  test("stores no field that it does not know", async () => {
    const body = {
      slug: "unknown-fields",
      tool_filter: { allowed_tools: [], secret: "s3cr3t" },
      token: "s3cr3t",
    };
    const answer = await create(body);
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain("s3cr3t");
    expect(JSON.stringify(dump(databaseOf(stage.site))["gateways"])).not.toContain("s3cr3t");
  });

  test.each<[string, object, string]>([
    ["a name of nothing", { name: "" }, "name"],
    ["a name of 257 letters", { name: letters(257) }, "name"],
    ["a description of 1,001", { description: letters(1001) }, "description"],
    ["instructions of 5,001", { instructions: letters(5001) }, "instructions"],
    ["an unknown type", { auth_type: "none" }, "auth_type"],
    ["an unknown status", { status: "paused" }, "status"],
    ["101 headers", { allowed_passthrough_headers: Array(101).fill("x-a") }, "allowed_passthrough_headers"],
    ["65 clients", { consent_skip_client_ids: Array(65).fill("c") }, "consent_skip_client_ids"],
    [
      "a header that is a credential",
      { allowed_passthrough_headers: ["Authorization"] },
      "authorization is never",
    ],
    ["a cookie", { allowed_passthrough_headers: ["COOKIE"] }, "cookie is never"],
    ["a header of one connection", { allowed_passthrough_headers: ["Transfer-Encoding"] }, "never forwarded"],
    ["a header that is none", { allowed_passthrough_headers: ["x y"] }, "header names"],
    ["a tool with a version", { tool_filter: { allowed_tools: ["Chat.WhoAmI@1.0.0"] } }, "allowed_tools"],
    ["a tool without its toolkit", { tool_filter: { allowed_tools: ["WhoAmI"] } }, "allowed_tools"],
    ["501 tools", { tool_filter: { allowed_tools: Array(501).fill("A.B") } }, "allowed_tools"],
    ["a source of users without its id", { auth_type: "user_source" }, "user_source_id"],
    ["a source that is not configured", { auth_type: "user_source", user_source_id: "us_1" }, "user_sources"],
  ])("refuses %s", async (_what, body, message) => {
    const answer = await create(body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(message)]);
  });

  test("for user tokens needs a provider of them, and says how to get one", async () => {
    for (const body of [{ name: "Tokens" }, { name: "Tokens", auth_type: "arcade" }]) {
      const answer = await admin().post(PATH, body);
      expect(answer.status).toBe(400);
      expect(String(at(answer.body, "message"))).toContain("auth.url");
      expect(String(at(answer.body, "message"))).toContain("arcade_header");
    }
  });
});

describe("slugs", () => {
  // The check answers what creation would do, whatever the text.
  test.each<[string, number, number]>([
    ["free-slug_1", 200, 201],
    [letters(70), 200, 201],
    [letters(256), 200, 201],
    ["Team", 400, 400],
    ["team ", 400, 400],
    [" team", 400, 400],
    ["te am", 400, 400],
    ["", 400, 400],
    ["тест", 400, 400],
    ["a/b", 400, 400],
    ["a.b", 400, 400],
    ["..", 400, 400],
    ["a%20b", 400, 400],
    [letters(257), 400, 400],
  ])("%p: the check is %d, creation %d [fault: slug-race]", async (slug, checked, created) => {
    const check = await admin().post(`${PATH}/slug`, { slug });
    expect(check.status).toBe(checked);
    if (checked === 200) expect(check.body).toEqual({ available: true });
    expect((await create({ slug })).status).toBe(created);
    if (created === 201)
      expect((await admin().post(`${PATH}/slug`, { slug })).body).toEqual({ available: false });
  });

  test.each(["tools", "mcp", "admin"])("%s is reserved: not available, and a conflict", async (slug) => {
    expect((await admin().post(`${PATH}/slug`, { slug })).body).toEqual({ available: false });
    const answer = await create({ slug });
    expect([answer.status, answer.headers.get("x-should-retry")]).toEqual([409, "false"]);
  });

  test("are of the whole server: taken in one project, taken in all [fault: slug-race]", async () => {
    expect((await create({ slug: "everywhere" })).status).toBe(201);
    const other = api(stage.site.url, stage.keys.other);
    const path = "/v1/orgs/default/projects/other/gateways";
    expect((await other.post(`${path}/slug`, { slug: "everywhere" })).body).toEqual({ available: false });
    expect((await other.post(path, { name: "Other", ...KEYS, slug: "everywhere" })).status).toBe(409);
  });

  test("are free again once their gateway is deleted [fault: slug-race]", async () => {
    const id = await idOf({ slug: "freed" });
    expect((await create({ slug: "freed" })).status).toBe(409);
    expect((await admin().delete(`${PATH}/${id}`)).status).toBe(204);
    expect((await create({ slug: "freed" })).status).toBe(201);
  });
});

describe("changing", () => {
  test("PUT sets the whole record: what is not given returns to its default, but for the slug", async () => {
    const id = await idOf({ slug: "put", description: "Before", tool_filter: { allowed_tools: ["A.B"] } });
    stage.clock.move(2000);
    const answer = await admin().put(`${PATH}/${id}`, { id, name: "After", ...KEYS });
    expect(answer.status).toBe(200);
    const { created_at, updated_at, ...rest } = answer.body as Record<string, unknown>;
    expect(rest).toEqual({
      id,
      name: "After",
      slug: "put",
      auth_type: "arcade_header",
      status: "active",
      binding: { id: "default", type: "project" },
    });
    expect(String(updated_at) > String(created_at)).toBe(true);
  });

  test("PUT needs the id of its address", async () => {
    const id = await idOf({ slug: "put-id" });
    expect((await admin().put(`${PATH}/${id}`, { name: "x", ...KEYS })).status).toBe(400);
    expect((await admin().put(`${PATH}/${id}`, { id: "gw_other", name: "x", ...KEYS })).status).toBe(400);
  });

  test("PATCH changes what is given; lists are replaced, the filter merged", async () => {
    const discovery = { enabled: true, allowed_classes: ["a"] };
    const id = await idOf({ slug: "patch", tool_filter: { allowed_tools: ["A.B"], discovery } });
    const patch = { tool_filter: { discovery: { enabled: false } }, status: "inactive", description: null };
    const answer = await admin().patch(`${PATH}/${id}`, patch);
    expect(answer.body).toMatchObject({
      name: "Made",
      slug: "patch",
      status: "inactive",
      tool_filter: { allowed_tools: ["A.B"], discovery: { enabled: false, allowed_classes: ["a"] } },
    });
    const second = await admin().patch(`${PATH}/${id}`, {
      tool_filter: { allowed_tools: [] },
      slug: "patched",
    });
    expect(second.body).toMatchObject({ slug: "patched", tool_filter: { allowed_tools: [], discovery: {} } });
  });

  test("to a slug that is taken or missing, or to an unusable type, is 400 and changes nothing", async () => {
    await create({ slug: "taken" });
    const id = await idOf({ slug: "keeps" });
    const before = (await admin().get(`${PATH}/${id}`)).body;
    for (const patch of [
      { slug: "taken" },
      { slug: "tools" },
      { slug: "NO" },
      { auth_type: "arcade" },
      { name: "" },
    ]) {
      expect([patch, (await admin().patch(`${PATH}/${id}`, patch)).status]).toEqual([patch, 400]);
    }
    expect((await admin().put(`${PATH}/${id}`, { id, name: "x", ...KEYS, slug: "taken" })).status).toBe(400);
    expect((await admin().get(`${PATH}/${id}`)).body).toEqual(before);
    // Its own slug is not a conflict.
    expect((await admin().patch(`${PATH}/${id}`, { slug: "keeps" })).status).toBe(200);
  });

  test("is in the audit trail, in the same transaction", async () => {
    const id = await idOf({ slug: "audited" });
    await admin().patch(`${PATH}/${id}`, { name: "Changed" });
    await admin().delete(`${PATH}/${id}`);
    const rows = dump(databaseOf(stage.site))["audit"] as { target: string; action: string }[];
    expect(rows.filter(({ target }) => target === id).map(({ action }) => action)).toEqual([
      "gateway.create",
      "gateway.update",
      "gateway.delete",
    ]);
  });
});

describe("listing", () => {
  test("is paged, oldest first, and counts all", async () => {
    const other = api(stage.site.url, stage.keys.other);
    const path = "/v1/orgs/default/projects/other/gateways";
    for (let index = 0; index < 30; index++) {
      stage.clock.move(1);
      await other.post(path, { name: `Number ${index}`, ...KEYS, slug: `page-${index}` });
    }
    const first = await other.get(path);
    expect(first.body).toMatchObject({ total_count: 30, page_count: 25, limit: 25, offset: 0 });
    const second = await other.get(`${path}?limit=100&offset=25`);
    const names = (at(second.body, "items") as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual([25, 26, 27, 28, 29].map((index) => `Number ${index}`));
    expect((await other.get(`${path}?limit=0`)).status).toBe(400);
  });
});

describe("of another project", () => {
  const FOREIGN = "/v1/orgs/default/projects/other/gateways";

  test("list, create and slug check are 401, records by id 404, and an unknown id answers alike", async () => {
    const id = await idOf({ slug: "mine" });
    expect((await admin().get(FOREIGN)).status).toBe(401);
    expect((await admin().post(FOREIGN, { name: "x", ...KEYS })).status).toBe(401);
    expect((await admin().post(`${FOREIGN}/slug`, { slug: "x" })).status).toBe(401);
    expect((await admin().get(`${FOREIGN}/${id}`)).status).toBe(404);
    const other = api(stage.site.url, stage.keys.other);
    const [theirs, unknown] = [await other.get(`${FOREIGN}/${id}`), await other.get(`${FOREIGN}/gw_none`)];
    expect([theirs.status, theirs.text]).toEqual([404, unknown.text]);
    expect((await other.delete(`${FOREIGN}/${id}`)).status).toBe(404);
    expect((await admin().get(`${PATH}/${id}`)).status).toBe(200);
  });

  test("a malformed organization or project is 400", async () => {
    for (const path of [
      "/v1/orgs/a%20b/projects/default/gateways",
      "/v1/orgs/default/projects/a%2Fb/gateways",
    ]) {
      expect([path, (await admin().get(path)).status]).toEqual([path, 400]);
    }
  });
});
