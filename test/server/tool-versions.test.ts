// A toolkit in several versions: which one is meant, and that each is shown, described and run as itself.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import { type Catalog, defineTool, type ToolDefinition } from "../../src/tools";
import { FORMATS } from "../../src/tools/schema";
import { until } from "../connections/executing";
import { api, at } from "../support/api";
import { type Own, startOwn, testCatalog } from "./own";

const VERSIONS = ["1.9.0", "1.10.0", "1.10.0-rc.1"];

/** Says its version. Each version takes another parameter and needs other scopes. */
function greet(version: string): ToolDefinition {
  const parameter = `in_${version.replaceAll(/\W/g, "_")}`;
  return defineTool({
    name: "Greet",
    description: `Greets as ${version} does.`,
    input: Type.Object({ [parameter]: Type.Optional(Type.String({ description: version })) }),
    output: Type.Unknown(),
    metadata: {
      behavior: {
        operations: ["read"],
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: version === "1.9.0",
      },
    },
    run: async () => ({ version }),
  });
}

const needy = (scopes: string[]): ToolDefinition => ({
  ...greet("needy"),
  name: "Needs",
  input: Type.Object({}),
  authorization: { provider: "idp", scopes },
});

const kits: Catalog[] = VERSIONS.map((version) => ({
  toolkit: { name: "Kit", description: `Kit ${version}`, version },
  bases: {},
  tools: [
    greet(version),
    needy([`scope-of-${version}`]),
    ...(version === "1.9.0" ? [{ ...greet(version), name: "Gone" }] : []),
  ],
}));

let own: Own;
let client: ReturnType<typeof api>;
let admin: ReturnType<typeof api>;
beforeAll(async () => {
  own = await startOwn([...kits, testCatalog], { RUNTIME_SESSION_VERIFICATION: "page_only" });
  client = api(own.url, await own.key("run"));
  admin = api(own.url, await own.key("admin"));
  await admin.post("/v1/admin/auth_providers", {
    id: "idp",
    oauth2: {
      client_id: "c",
      authorize_request: { endpoint: "https://idp.example/authorize" },
      token_request: { endpoint: "https://idp.example/token" },
    },
  });
});
afterAll(() => own[Symbol.asyncDispose]());

async function listed(query: string, path = "/v1/tools"): Promise<unknown[]> {
  const { status, body } = await client.get(`${path}?toolkit=Kit&${query}`);
  expect(status).toBe(200);
  const items = at(body, "items");
  return Array.isArray(items) ? items : [];
}

const namesOf = (items: readonly unknown[]) => items.map((item) => at(item, "fully_qualified_name"));

describe("a list", () => {
  test("has the newest version of each, by semantic order", async () => {
    expect(namesOf(await listed(""))).toEqual(["Kit.Gone@1.9.0", "Kit.Greet@1.10.0", "Kit.Needs@1.10.0"]);
    expect(namesOf(await listed("include_all_versions=false"))).toEqual(namesOf(await listed("")));
  });

  test("has all of them with include_all_versions, sorted by full name, for a user too", async () => {
    const all = [
      "Kit.Gone@1.9.0",
      "Kit.Greet@1.10.0",
      "Kit.Greet@1.10.0-rc.1",
      "Kit.Greet@1.9.0",
      "Kit.Needs@1.10.0",
      "Kit.Needs@1.10.0-rc.1",
      "Kit.Needs@1.9.0",
    ];
    expect(namesOf(await listed("include_all_versions=true"))).toEqual(all);
    expect(namesOf(await listed("include_all_versions=true&user_id=alice"))).toEqual(all);
    const page = await client.get("/v1/tools?toolkit=Kit&include_all_versions=true&limit=2&offset=3");
    expect([at(page.body, "total_count"), at(page.body, "page_count")]).toEqual([7, 2]);
    expect(at(page.body, "items.0.fully_qualified_name")).toBe("Kit.Greet@1.9.0");
    expect(at(page.body, "items.0.toolkit.version")).toBe("1.9.0");
  });

  test("is filtered by the metadata of each version", async () => {
    const filter = `filter=${encodeURIComponent('{"open_world":true}')}`;
    expect(namesOf(await listed(filter))).toEqual(["Kit.Gone@1.9.0"]);
    expect(namesOf(await listed(`${filter}&include_all_versions=true`))).toEqual([
      "Kit.Gone@1.9.0",
      "Kit.Greet@1.9.0",
    ]);
  });

  test.each(FORMATS)(
    "in %s has a name of its own for each version, which runs that version",
    async (format) => {
      const items = await listed(`include_all_versions=true&format=${format}`, "/v1/formatted_tools");
      expect(items).toHaveLength(7);
      const greets = items.filter((item) => JSON.stringify(item).includes("Greets as 1"));
      const names = greets.map((item) =>
        String(
          format === "arcade"
            ? at(item, "fully_qualified_name")
            : (at(item, "function.name") ?? at(item, "name")),
        ),
      );
      expect(new Set(names).size).toBe(names.length);
      for (const [index, name] of names.entries()) {
        if (format !== "arcade") expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        const run = await client.post("/v1/tools/execute", { tool_name: name, user_id: "alice" });
        const version = String(at(run.body, "output.value.version"));
        expect(VERSIONS).toContain(version);
        if (!name.includes("Gone"))
          expect(JSON.stringify(greets[index])).toContain(`Greets as ${version} does.`);
      }
    },
  );

  test.each([...FORMATS])("in %s is bytes of its own, with an ETag of its own", async (format) => {
    const path = `/v1/formatted_tools?toolkit=Kit&format=${format}`;
    const [newest, all] = [await client.get(path), await client.get(`${path}&include_all_versions=true`)];
    expect(newest?.headers.get("etag")).not.toBe(all?.headers.get("etag") ?? "");
    for (const [from, answer] of [
      [path, newest],
      [`${path}&include_all_versions=true`, all],
    ] as const) {
      const authorization = `Bearer ${await own.key("read")}`;
      const etag = answer.headers.get("etag") ?? "";
      const again = await fetch(own.url + from, { headers: { authorization, "if-none-match": etag } });
      expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
      expect((await client.get(from)).text).toBe(answer.text);
    }
  });
});

describe("one tool", () => {
  test.each([
    ["Kit.Greet", "1.10.0"],
    ["Kit_Greet", "1.10.0"],
    ["kit.greet@1.9.0", "1.9.0"],
    ["Kit_Greet@1.10.0-rc.1", "1.10.0-rc.1"],
    ["Kit.Gone", "1.9.0"],
  ])("%s is version %s: got, described and run", async (name, version) => {
    const path = encodeURIComponent(name);
    const got = await client.get(`/v1/tools/${path}?include_format=openai`);
    expect(at(got.body, "toolkit.version")).toBe(version);
    expect(at(got.body, "description")).toBe(`Greets as ${version} does.`);
    expect(at(got.body, "formatted_schema.openai.function.description")).toBe(`Greets as ${version} does.`);
    for (const format of FORMATS) {
      const spec = await client.get(`/v1/formatted_tools/${path}?format=${format}`);
      expect(spec.text).toContain(`Greets as ${version} does.`);
      for (const other of VERSIONS.filter((one) => one !== version))
        expect(spec.text).not.toContain(`Greets as ${other} does.`);
    }
    const run = await client.post("/v1/tools/execute", { tool_name: name, user_id: "alice" });
    expect(at(run.body, "output.value")).toEqual({ version });
  });

  test("is chosen by tool_version, and takes that version's input", async () => {
    const execute = (tool_version: string, input: object) =>
      client.post("/v1/tools/execute", { tool_name: "Kit.Greet", tool_version, user_id: "alice", input });
    expect(at((await execute("1.9.0", { in_1_9_0: "x" })).body, "output.value")).toEqual({
      version: "1.9.0",
    });
    const wrong = await execute("1.9.0", { in_1_10_0: "x" });
    expect(at(wrong.body, "output.error.kind")).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
  });

  test("is consented to and asked about in the version that is named", async () => {
    for (const version of VERSIONS) {
      const tool = { tool_name: "Kit.Needs", tool_version: version };
      const started = await client.post("/v1/tools/authorize", { ...tool, user_id: `user-${version}` });
      expect(at(started.body, "scopes")).toEqual([`scope-of-${version}`]);
      const asked = await client.post("/v1/tools/requirements", { tools: [tool], user_id: "alice" });
      expect(at(asked.body, "authorization.items.idp.scopes")).toEqual([`scope-of-${version}`]);
    }
    const newest = await client.post("/v1/tools/requirements", {
      tool_names: ["Kit.Needs"],
      user_id: "alice",
    });
    expect(at(newest.body, "authorization.items.idp.scopes")).toEqual(["scope-of-1.10.0"]);
    const two = await client.post("/v1/tools/requirements", {
      tool_names: ["Kit.Needs@1.9.0", "Kit.Needs"],
      user_id: "alice",
    });
    const scopes = at(two.body, "authorization.items.idp.scopes");
    expect(Array.isArray(scopes) ? scopes.toSorted() : scopes).toEqual(["scope-of-1.10.0", "scope-of-1.9.0"]);
  });

  test.each([
    ["an unknown version", { tool_name: "Kit.Greet", tool_version: "1.9.1" }, "1.10.0, 1.10.0-rc.1, 1.9.0"],
    ["an unknown version in the name", { tool_name: "Kit.Greet@2" }, "has no version"],
    ["half a version", { tool_name: "Kit.Greet", tool_version: "1.9" }, "has no version"],
    ["two versions at once", { tool_name: "Kit.Greet@1.9.0", tool_version: "1.10.0" }, "different versions"],
    [
      "a version that is not for reading",
      { tool_name: "Kit.Greet", tool_version: "<s3cr3t>" },
      "with this number",
    ],
  ])("with %s is 400", async (_what, tool, text) => {
    for (const path of ["execute", "authorize"]) {
      const answer = await client.post(`/v1/tools/${path}`, { ...tool, user_id: "alice" });
      expect([answer.status, at(answer.body, "name")]).toEqual([400, "tool_not_found"]);
      expect(at(answer.body, "message")).toContain(text);
      expect(answer.text).not.toContain("s3cr3t");
    }
    const asked = await client.post("/v1/tools/requirements", { tools: [tool], user_id: "alice" });
    expect([asked.status, at(asked.body, "name")]).toEqual([400, "tool_not_found"]);
  });

  test.each([
    ["without a version in the newest", { tool_name: "Kit.Greet" }, "1.10.0"],
    ["in the version that it names", { tool_name: "Kit.Greet@1.9.0" }, "1.9.0"],
    ["in that of tool_version", { tool_name: "Kit.Greet", tool_version: "1.10.0-rc.1" }, "1.10.0-rc.1"],
    ["in that of a model's name", { tool_name: "Kit_Greet_1_9_0" }, "1.9.0"],
  ])("is scheduled %s", async (_how, tool, version) => {
    const request = { ...tool, user_id: "alice", run_at: "2020-01-01T00:00:00" };
    const { body } = await client.post("/v1/tools/execute", request);
    const path = `/v1/scheduled_tools/${String(at(body, "id"))}`;
    await until(async () => at((await client.get(path)).body, "finished_at") !== undefined);
    const run = await client.get(path);
    expect([at(run.body, "toolkit_version"), at(run.body, "attempts.0.output.value")]).toEqual([
      version,
      { version },
    ]);
  });
});

test("the site summary names each once", async () => {
  const text = await (await fetch(`${own.url}/llms.txt`)).text();
  expect(text.split("\n").filter((line) => line.includes("Kit.Greet"))).toHaveLength(1);
});
