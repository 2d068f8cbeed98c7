// What becomes of the list of an MCP server.
import { describe, expect, test } from "bun:test";
import { withTrust } from "../../../src/workers/mcp";
import { WorkerFailure } from "../../../src/workers/tool";
import { failure, Upstream, type UpstreamOptions } from "../../support/mcp-upstream";
import { kindOf, toolNamed, workerAt } from "./worker";

const object = { type: "object", properties: { a: { type: "string" } } };

function nested(levels: number): object {
  let schema: object = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } };
  return schema;
}

async function catalogOf(tools: unknown[], options: UpstreamOptions = {}) {
  await using server = new Upstream({
    ...options,
    methods: { "tools/list": () => ({ tools }), ...options.methods },
  });
  return await kindOf().read(workerAt(server.url), {});
}

describe("a tool", () => {
  test("keeps its members for clients of gateways", async () => {
    const tool = {
      name: "echo",
      title: "Echo",
      description: "Says it again.",
      inputSchema: object,
      annotations: { readOnlyHint: true, title: "E" },
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "com.example/x": 1 },
      execution: { taskSupport: "optional" },
    };

    const { tools, skipped } = await catalogOf([tool]);

    const { name: _name, description: _description, inputSchema: _schema, ...members } = tool;
    expect(skipped).toEqual([]);
    expect(tools).toEqual([
      {
        upstream: "echo",
        name: "echo",
        description: "Says it again.",
        input: object,
        metadata: expect.anything(),
        original: members,
      },
    ]);
  });

  test.each([
    ["no name", { inputSchema: object }],
    ["an empty name", { name: "", inputSchema: object }],
    ["a name of 129 characters", { name: "x".repeat(129), inputSchema: object }],
    ["a number as name", { name: 5, inputSchema: object }],
    ["null", null],
    ["a text", "tool"],
    ["an input schema of a text", { name: "x", inputSchema: { type: "string" } }],
    ["an input schema that is not an object", { name: "x", inputSchema: [] }],
  ])("with %s is left out, and the others stay", async (_what, bad) => {
    const { tools, skipped } = await catalogOf([
      { name: "a", inputSchema: object },
      bad,
      { name: "b", inputSchema: object },
    ]);

    expect(tools.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(skipped).toEqual([{ name: expect.any(String), reason: expect.stringMatching(/\w/) }]);
  });

  test.each([
    ["no description", { description: undefined }],
    ["null as description", { description: null }],
    ["hints that are not booleans", { annotations: { readOnlyHint: "yes", destructiveHint: 1 } }],
    ["an input schema without a type", { inputSchema: { properties: { a: { type: "string" } } } }],
    [
      "alternatives at the top",
      { inputSchema: { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] } },
    ],
    ["no input schema", { inputSchema: undefined }],
  ])("with %s stays", async (_what, more) => {
    const { tools } = await catalogOf([{ name: "a", inputSchema: object, ...more }]);

    expect(tools).toHaveLength(1);
    expect(tools[0]?.input).toMatchObject({ type: "object" });
  });

  test.each([
    ["of 900 levels", nested(300)],
    ["of 6,000 levels", nested(3000)],
    ["of text", "no"],
  ])("loses an output schema %s, with a reason", async (_what, outputSchema) => {
    const { tools, skipped } = await catalogOf([{ name: "b", inputSchema: object, outputSchema }]);

    expect(tools.map(({ output, original }) => [output, original])).toEqual([[undefined, {}]]);
    expect(skipped).toEqual([{ name: "b", reason: expect.stringContaining("output schema") }]);
  });

  test("is not believed to be harmless", async () => {
    const { tools } = await catalogOf([
      { name: "a", inputSchema: object, annotations: { readOnlyHint: true } },
    ]);

    expect(tools[0]?.metadata.behavior).toMatchObject({
      read_only: false,
      destructive: true,
      idempotent: false,
    });
  });

  test("of a server of the ecosystem says what it is about, and what it does not get", async () => {
    const behavior = { operations: ["read"], read_only: true, destructive: false, idempotent: true };
    const metadata = { classification: { service_domains: ["email"] }, behavior, extras: { a: 1 } };
    const requirements = {
      authorization: { provider_id: "mail", oauth2: { scopes: ["x"] } },
      secrets: [{ key: "K" }],
    };

    const { tools, skipped } = await catalogOf([
      { name: "a", inputSchema: object, _meta: { arcade: { metadata, requirements } } },
    ]);
    const [tool] = tools;
    if (tool === undefined) throw new Error("the tool is missing");

    expect(tool.metadata).toMatchObject({ ...metadata, behavior: { read_only: false, destructive: true } });
    expect(withTrust(workerAt("", { trustAnnotations: true }), tool).metadata.behavior).toMatchObject(
      behavior,
    );
    expect(tool).not.toHaveProperty("authorization");
    expect(skipped).toEqual([
      { name: "a", reason: expect.stringContaining("a token") },
      { name: "a", reason: expect.stringContaining("secrets") },
    ]);
  });

  test("says what it needs also in a form that is not known", async () => {
    const requirements = { authorization: ["mail"], secrets: { key: "K" } };
    const { skipped } = await catalogOf([
      { name: "a", inputSchema: object, _meta: { arcade: { requirements } } },
    ]);
    expect(skipped.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("a token"),
      expect.stringContaining("secrets"),
    ]);
  });

  test("of a trusted server is as harmless as it says", async () => {
    const { tools } = await catalogOf([
      { name: "reads", inputSchema: object, annotations: { readOnlyHint: true } },
      { name: "writes", inputSchema: object, annotations: { destructiveHint: false, idempotentHint: true } },
      { name: "says nothing", inputSchema: object },
    ]);
    const trusted = (trustAnnotations: boolean) =>
      tools.map((tool) => withTrust(workerAt("", { trustAnnotations }), tool).metadata.behavior);

    expect(trusted(false)).toEqual(tools.map(({ metadata }) => metadata.behavior));
    expect(trusted(true)).toMatchObject([
      { read_only: true, destructive: false, idempotent: true },
      { read_only: false, destructive: false, idempotent: true },
      { read_only: false, destructive: true, idempotent: false },
    ]);
  });

  test("has no hidden characters in its description and titles", async () => {
    const { tools } = await catalogOf([
      {
        name: "a",
        title: "T\u202Eitle",
        description: `a\u0000b\u202Ec${"x".repeat(5000)}`,
        inputSchema: object,
      },
    ]);

    expect(tools[0]?.original?.["title"]).toBe("Title");
    expect(tools[0]?.description).toStartWith("abc");
    expect(tools[0]?.description).toHaveLength(4096);
  });
});

describe("names", () => {
  test("get letters, digits and underscores, and stay apart", async () => {
    const names = ["get-item", "get_item", "GET_ITEM", "a.b/c", "naïve"];

    const { tools } = await catalogOf(names.map((name) => ({ name, inputSchema: object })));

    expect(tools.map(({ upstream }) => upstream)).toEqual(names);
    for (const { name } of tools) expect(name).toMatch(/^\w{1,128}$/);
    expect(new Set(tools.map(({ name }) => name.toLowerCase())).size).toBe(names.length);
    expect(tools[2]?.name).toBe("GET_ITEM");
  });

  test("leave those of the two tools for resources and prompts free", async () => {
    const { tools } = await catalogOf(
      ["readresource", "GetPrompt"].map((name) => ({ name, inputSchema: object })),
      {
        capabilities: { tools: {}, resources: {}, prompts: {} },
        methods: {
          "resources/list": () => ({ resources: [{ uri: "test://a", name: "a" }] }),
          "resources/templates/list": () => ({ resourceTemplates: [] }),
          "prompts/list": () => ({ prompts: [{ name: "p" }] }),
        },
      },
    );

    expect(tools.map(({ name, reserved }) => [name, reserved])).toEqual([
      [expect.stringMatching(/^readresource_[0-9a-f]{4}$/), undefined],
      [expect.stringMatching(/^GetPrompt_[0-9a-f]{4}$/), undefined],
      ["ReadResource", "resource"],
      ["GetPrompt", "prompt"],
    ]);
  });

  test("that come twice count once, and are reported", async () => {
    const { tools, skipped } = await catalogOf([
      { name: "a", description: "1", inputSchema: object },
      { name: "a", description: "2", inputSchema: object },
    ]);

    expect(tools.map(({ description }) => description)).toEqual(["1"]);
    expect(skipped).toEqual([{ name: "a", reason: expect.stringContaining("twice") }]);
  });
});

describe("pages", () => {
  const paged = (pageOf: (cursor: string | undefined) => object): UpstreamOptions => ({
    methods: { "tools/list": ({ params }) => pageOf(params["cursor"] as string | undefined) as never },
  });
  const tool = (name: string) => ({ name, inputSchema: object });

  test("are followed until there are no more", async () => {
    const pages: Record<string, object> = {
      "": { tools: [tool("a")], nextCursor: "2" },
      "2": { tools: [], nextCursor: "3" },
      "3": { tools: [tool("b")] },
    };
    const { tools, skipped } = await catalogOf(
      [],
      paged((cursor = "") => pages[cursor] ?? {}),
    );

    expect([tools.map(({ name }) => name), skipped]).toEqual([["a", "b"], []]);
  });

  test.each([
    [
      "a cursor that comes twice",
      () => ({ tools: [tool(crypto.randomUUID())], nextCursor: "same" }),
      "cursor twice",
    ],
    [
      "the same page for ever",
      () => ({ tools: [tool("a")], nextCursor: crypto.randomUUID() }),
      "nothing new",
    ],
    [
      "new pages for ever",
      () => ({ tools: [tool(crypto.randomUUID())], nextCursor: crypto.randomUUID() }),
      "200 pages",
    ],
    [
      "too many tools",
      () => ({
        tools: Array.from({ length: 6000 }, () => tool(crypto.randomUUID())),
        nextCursor: crypto.randomUUID(),
      }),
      "10000 entries",
    ],
  ])("%s: what was read stays, and the reason is named", async (_what, page, reason) => {
    const { tools, skipped } = await catalogOf([], paged(page));

    expect(tools.length).toBeGreaterThan(0);
    expect(tools.length).toBeLessThanOrEqual(10_000);
    expect(skipped.at(-1)).toEqual({ name: "tools/list", reason: expect.stringContaining(reason) });
  });
});

describe("what a server says about itself", () => {
  test("is in the catalog", async () => {
    const { server, instructions } = await catalogOf([], {
      family: "modern",
      instructions: "Use with care.",
    });

    expect(server).toEqual({ name: "upstream", version: "1.2.3", title: "Upstream" });
    expect(instructions).toBe("Use with care.");
  });

  test("about how long and for whom its list is valid, too", async () => {
    const { ttlMs, isPrivate } = await catalogOf([], {
      family: "modern",
      methods: { "tools/list": () => ({ tools: [], ttlMs: 60_000, cacheScope: "private" }) },
    });

    expect([ttlMs, isPrivate]).toEqual([60_000, true]);
  });

  test("includes prompts, resources and templates", async () => {
    const resources = [{ uri: "test://a", name: "A", mimeType: "text/plain" }, { name: "no address" }];
    const { offers, skipped, ...catalog } = await catalogOf([], {
      capabilities: { resources: {}, prompts: {}, completions: {} },
      methods: {
        "resources/list": () => ({ resources }),
        "resources/templates/list": () => ({
          resourceTemplates: [{ uriTemplate: "test://{id}", name: "T" }],
        }),
        "prompts/list": () => ({ prompts: [{ name: "p", description: "P\u0007" }] }),
      },
    });

    expect(offers).toEqual({ prompts: true, resources: true, completions: true });
    expect(catalog).toMatchObject({
      resources: [resources[0]],
      resourceTemplates: [{ uriTemplate: "test://{id}", name: "T" }],
      prompts: [{ name: "p", description: "P" }],
    });
    expect(skipped).toEqual([{ name: "resources/list", reason: expect.stringContaining("uri") }]);
  });

  test("may be more than it has", async () => {
    const { tools } = await catalogOf([{ name: "a", inputSchema: object }], {
      capabilities: { tools: {}, prompts: {}, resources: {} },
    });

    expect(tools.map(({ name }) => name)).toEqual(["a", "ReadResource", "GetPrompt"]);
  });
});

test("the session of a catalog is ended", async () => {
  await using server = new Upstream({ methods: { "tools/list": () => ({ tools: [] }) } });

  await kindOf().read(workerAt(server.url), {});

  expect(server.ended).toHaveLength(1);
  expect(server.sessions.size).toBe(0);
});

describe("a failure", () => {
  test.each([
    [401, ""],
    [403, ""],
    [401, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no"}}'],
    [403, '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no session"}}'],
  ])("with %p has the challenge, whatever the body is: %p", async (status, body) => {
    const challenge = 'Bearer resource_metadata="https://x.example/.well-known/oauth-protected-resource"';
    const headers = { "www-authenticate": challenge, "content-type": "application/json" };
    await using server = new Upstream({ before: () => new Response(body, { status, headers }) });

    const read = kindOf().read(workerAt(server.url), {});

    await expect(read).rejects.toMatchObject({ reason: "unauthorized", challenge });
  });

  test.each([
    ["an address that is not allowed", "http://10.1.2.3:9/mcp", "address_refused"],
    ["a closed port", "http://127.0.0.1:9/mcp", "unreachable"],
  ])("with %s is named", async (_what, uri, reason) => {
    await expect(kindOf().read(workerAt(uri), {})).rejects.toMatchObject({ reason });
  });

  test("of another kind of server is named", async () => {
    await using server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("<html>") });

    await expect(kindOf().read(workerAt(`http://127.0.0.1:${server.port}/`), {})).rejects.toMatchObject({
      reason: "protocol",
    });
  });

  test("does not repeat what the server says, which may contain a secret", async () => {
    await using server = new Upstream({
      methods: { "tools/list": ({ id }) => failure(id, -32000, "bad key sk-123") },
    });

    const read = kindOf().read(workerAt(server.url), {});

    await expect(read).rejects.toBeInstanceOf(WorkerFailure);
    await expect(read).rejects.not.toThrow("sk-123");
  });

  test("that passes is tried again as often as the record says", async () => {
    let refused = 0;
    await using server = new Upstream({
      before: () => (refused++ < 2 ? new Response("", { status: 503 }) : undefined),
      methods: { "tools/list": () => ({ tools: [] }) },
    });

    const { tools } = await kindOf().read(workerAt(server.url, { retry: 2 }), {});

    expect(tools).toEqual([]);
  });
});

test("a probe asks for no list", async () => {
  await using server = new Upstream();

  expect(await kindOf().probe(workerAt(server.url), {})).toEqual({
    server: { name: "upstream", version: "1.2.3" },
  });
  expect(server.methodsSeen()).not.toContain("tools/list");
});

test("tools with headers that are not valid are left out in revision 2026-07-28", async () => {
  const marked = (mark: string) => ({
    type: "object",
    properties: { a: { type: "string", "x-mcp-header": mark } },
  });
  const catalog = await catalogOf(
    [
      { name: "good", inputSchema: marked("Region") },
      { name: "bad", inputSchema: marked("My Region") },
    ],
    { family: "modern" },
  );

  expect(catalog.tools.map(({ name }) => name)).toEqual(["good"]);
  expect(JSON.stringify(toolNamed(catalog, "good").input)).toContain("x-mcp-header");
  expect(catalog.skipped).toEqual([{ name: "bad", reason: expect.stringContaining("x-mcp-header") }]);
});
