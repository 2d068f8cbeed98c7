// Prompts, resources and completions of MCP servers at a gateway.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/base";
import { hooked, type Hooked } from "../hooks/hooked";
import { operator } from "../tools/deployment";
import { client, type McpSite, startMcpSite, valueAt } from "./site";
import { upstream } from "./upstream-catalog";

const RESOURCE: JsonObject = {
  uri: "demo://one",
  name: "one",
  title: "One",
  description: "The first.",
  mimeType: "text/plain",
  size: 5,
  annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-01-01T00:00:00Z" },
  _meta: { "example.com/a": 1 },
  "x-future": true,
};
const PROMPT: JsonObject = {
  name: "review code",
  title: "Review",
  description: "Reviews.",
  arguments: [{ name: "code", description: "The code", required: true }],
  icons: [{ src: "https://example.com/i.png" }],
  _meta: { "example.com/b": 2 },
};

const first = upstream("First", {
  tools: [{ name: "draw", inputSchema: { type: "object" } }],
  prompts: [PROMPT],
  resources: [RESOURCE, { uri: "demo://same", name: "same" }],
  resourceTemplates: [{ uriTemplate: "demo://items/{id}", name: "items", mimeType: "text/plain" }],
  completes: true,
});
const second = upstream("Second_Kit", {
  prompts: [{ name: "review code" }],
  resources: [{ uri: "demo://same", name: "same" }],
  resourceTemplates: [
    { uriTemplate: "demo://items/{key}", name: "items" },
    { uriTemplate: "other://{+path}", name: "other" },
  ],
});
const guarded = upstream("Guarded", {
  prompts: [{ name: "ask" }],
  resources: [{ uri: "secret://x", name: "x" }],
  authorization: { provider: "idp", scopes: ["a"] },
});

let hooks: Hooked;
/** Without hooks. */
let plain: McpSite;
let key: string;
let openKey: string;
const addresses: Record<string, string> = {};
beforeAll(async () => {
  hooks = await hooked({ catalogs: [first.catalog, second.catalog, guarded.catalog] });
  const { runtime } = hooks.deployment;
  const only = (...allowed_tools: string[]) => ({ tool_filter: { allowed_tools } });
  const gateways = {
    all: {},
    none: only("First.Other"),
    one: only("First.ReadResource"),
    prompts: only("first.getprompt"),
  };
  for (const [slug, record] of Object.entries(gateways)) {
    await runtime.gateways.create(operator(), { name: slug, slug, auth_type: "arcade_header", ...record });
    addresses[slug] = `${hooks.url}/mcp/${slug}`;
  }
  key = (await runtime.identity.createKey(operator(), { name: "run", role: "run" })).key ?? "";
  await hooks.plugin({ points: ["access", "pre", "post"] });
  plain = await startMcpSite({ catalogs: [first.catalog] });
  addresses["open"] = await plain.gateway("open");
  openKey = await plain.key();
});
afterAll(async () => {
  await hooks[Symbol.asyncDispose]();
  await plain[Symbol.asyncDispose]();
});
beforeEach(() => {
  hooks.project.respond = () => ({ code: "OK" });
  for (const server of [first, second, guarded]) {
    server.asked.length = 0;
    server.answer = () => ({ contents: [{ uri: "demo://one", text: "hello" }] });
  }
});

const families = ["legacy", "modern"] as const;
const at = (gateway: string, user = "alice") =>
  client(addresses[gateway] ?? "", { key: gateway === "open" ? openKey : key, user });

describe.each(families)("in the %s family", (family) => {
  const read = (gateway: string, uri: string) =>
    at(gateway)[family]("resources/read", { uri }, family === "modern" ? modernHeader(uri) : {});
  // The client of the tests repeats names in headers, and no addresses.
  const modernHeader = (uri: string) => ({ headers: { "mcp-name": uri } }) as never;

  test("lists name prompts and resources like tools, and leave everything else as it is", async () => {
    const prompts = await at("all")[family]("prompts/list");
    expect(valueAt(prompts, "result.prompts.0")).toEqual({ ...PROMPT, name: "First_review code" });
    const resources = await at("all")[family]("resources/list");
    expect(valueAt(resources, "result.resources.0")).toEqual({ ...RESOURCE, name: "First_one" });
    const templates = await at("all")[family]("resources/templates/list");
    expect(valueAt(templates, "result.resourceTemplates.0")).toEqual({
      uriTemplate: "demo://items/{id}",
      name: "First_items",
      mimeType: "text/plain",
    });
  });

  test("an address that two servers have is prefixed for the later one, and read there", async () => {
    const resources = (await at("all")[family]("resources/list")).messages.at(-1);
    expect(JSON.stringify(resources)).toContain('"uri":"second-kit+demo://same"');
    const templates = (await at("all")[family]("resources/templates/list")).messages.at(-1);
    expect(JSON.stringify(templates)).toContain('"uriTemplate":"second-kit+demo://items/{key}"');
    await read("all", "demo://same");
    await read("all", "second-kit+demo://same");
    await read("all", "demo://items/4");
    await read("all", "second-kit+demo://items/4");
    await read("all", "other://a/b");
    const uris = (server: typeof first) => server.asked.map(({ params }) => params["uri"]);
    expect(uris(first)).toEqual(["demo://same", "demo://items/4"]);
    expect(uris(second)).toEqual(["demo://same", "demo://items/4", "other://a/b"]);
  });

  test("contents have the addresses that the client knows", async () => {
    second.answer = () => ({
      contents: [
        { uri: "demo://same", text: "a" },
        { uri: "demo://items/1", blob: "aGk=" },
        { uri: "demo://new", text: "b" },
      ],
    });
    const answer = await read("all", "second-kit+demo://same");
    const contents = valueAt(answer, "result.contents") as JsonObject[];
    expect(contents.map(({ uri }) => uri)).toEqual([
      "second-kit+demo://same",
      "second-kit+demo://items/1",
      "demo://new",
    ]);
  });

  test("an unknown address is read by the only server with resources", async () => {
    await read("one", "demo://linked");
    expect(first.asked).toEqual([
      { method: "resources/read", params: { uri: "demo://linked" }, headers: {} },
    ]);
    const unknown = await read("all", "demo://linked");
    expect(valueAt(unknown, "error")).toEqual({
      code: family === "modern" ? -32602 : -32002,
      message: "Resource not found",
      data: { uri: "demo://linked" },
    });
  });

  test("a resource is passed on as its server sent it", async () => {
    const result = {
      contents: [
        { uri: "demo://one", mimeType: "text/plain", text: "hello", _meta: { "example.com/c": 1 } },
        { uri: "demo://one", mimeType: "image/png", blob: "aGVsbG8=" },
      ],
      "x-future": 1,
    };
    first.answer = () => ({ ...result, _meta: { "example.com/d": 1 }, ttlMs: 5000, cacheScope: "public" });
    const answer = await read("open", "demo://one");
    // Each user may read something else.
    const hints = family === "modern" ? { ttlMs: 5000, cacheScope: "private" } : {};
    const expected = { ...result, ...hints, _meta: { "example.com/d": 1 } };
    expect(valueAt(answer, "result")).toMatchObject(expected);
    expect(JSON.stringify(answer.messages)).not.toContain("public");
  });

  test("an error is passed on with its code and data", async () => {
    const error = { code: -32002, message: "no such thing", data: { uri: "demo://one" } };
    first.answer = () => ({ error });
    expect(valueAt(await read("open", "demo://one"), "error")).toEqual(error);
  });

  test("a result of another form is an error", async () => {
    first.answer = () => ({ messages: "none" });
    const answer = await at("open")[family]("prompts/get", { name: "First_review code" });
    expect(valueAt(answer, "error.code")).toBe(-32603);
  });

  test("a prompt is asked for by its own name, and passed on", async () => {
    const messages = [
      { role: "user", content: { type: "text", text: "Review: x" } },
      { role: "assistant", content: { type: "image", data: "aGk=", mimeType: "image/png" } },
    ];
    first.answer = () => ({ description: "d", messages });
    const answer = await at("all")[family]("prompts/get", {
      name: "First_review code",
      arguments: { code: "x" },
    });
    expect(valueAt(answer, "result.messages")).toEqual(messages);
    expect(valueAt(answer, "result.description")).toBe("d");
    expect(first.asked).toEqual([
      {
        method: "prompts/get",
        params: { name: "review code", arguments: { code: "x" } },
        headers: {},
      },
    ]);
  });

  test("completion names the prompt or the template of the server", async () => {
    first.answer = () => ({ completion: { values: ["x", "y"], total: 2, hasMore: false } });
    const argument = { name: "code", value: "x" };
    const context = { arguments: { other: "o" } };
    const prompt = await at("all")[family]("completion/complete", {
      ref: { type: "ref/prompt", name: "First_review code" },
      argument,
      context,
    });
    expect(valueAt(prompt, "result.completion")).toEqual({ values: ["x", "y"], total: 2, hasMore: false });
    await at("all")[family]("completion/complete", {
      ref: { type: "ref/resource", uri: "demo://items/{id}" },
      argument,
    });
    expect(first.asked.map(({ params }) => params)).toEqual([
      { ref: { type: "ref/prompt", name: "review code" }, argument, context },
      { ref: { type: "ref/resource", uri: "demo://items/{id}" }, argument },
    ]);
    const other = await at("all")[family]("completion/complete", {
      ref: { type: "ref/prompt", name: "Second_Kit_review code" },
      argument,
    });
    expect(valueAt(other, "error.code")).toBe(-32602);
  });

  test("a gateway with a filter has only what its filter names", async () => {
    expect(valueAt(await at("none")[family]("prompts/list"), "error.code")).toBe(-32601);
    expect(valueAt(await read("none", "demo://one"), "error.code")).toBe(-32601);
    expect(valueAt(await at("one")[family]("prompts/list"), "error.code")).toBe(-32601);
    const prompts = valueAt(await at("prompts")[family]("prompts/list"), "result.prompts") as JsonObject[];
    expect(prompts.map(({ name }) => name)).toEqual(["First_review code"]);
    expect(valueAt(await read("prompts", "demo://one"), "error.code")).toBe(-32601);
    expect(first.asked).toEqual([]);
  });

  test("reserved tools are not listed as tools, and cannot be called as tools", async () => {
    const tools = (await at("all")[family]("tools/list")).messages.at(-1);
    expect(JSON.stringify(tools)).not.toContain("ReadResource");
    const called = await at("all")[family]("tools/call", {
      name: "First_ReadResource",
      arguments: { uri: "demo://one" },
    });
    expect(valueAt(called, "error.code")).toBe(-32602);
    expect(first.asked).toEqual([]);
  });

  test("what an access hook hides is neither listed nor read", async () => {
    hooks.project.respond = (asked) =>
      asked.path === "access" ? { deny: { First: { tools: { ReadResource: [] } } } } : { code: "OK" };
    const resources = (await at("all", "hidden")[family]("resources/list")).messages.at(-1);
    expect(JSON.stringify(resources)).not.toContain("First_one");
    const answer = await read("all", "demo://one");
    expect(valueAt(answer, "error.message")).toBe("Resource not found");
    expect(first.asked).toEqual([]);
  });

  test("a hook before the run stops each request", async () => {
    hooks.project.respond = (asked) =>
      asked.path === "pre" ? { code: "CHECK_FAILED", error_message: "not today" } : { code: "OK" };
    const answers = [
      await read("all", "demo://one"),
      await at("all")[family]("prompts/get", { name: "First_review code" }),
      await at("all")[family]("completion/complete", {
        ref: { type: "ref/prompt", name: "First_review code" },
        argument: { name: "code", value: "x" },
      }),
    ];
    for (const answer of answers) expect(valueAt(answer, "error.message")).toContain("not today");
    expect(first.asked).toEqual([]);
  });

  test("a hook after the run decides what is read", async () => {
    hooks.project.respond = (asked) =>
      asked.path === "post"
        ? { code: "OK", override: { output: { contents: [{ uri: "demo://one", text: "removed" }] } } }
        : { code: "OK" };
    first.answer = () => ({ contents: [{ uri: "demo://one", text: "unseen" }] });
    const answer = await read("all", "demo://one");
    expect(JSON.stringify(answer.messages)).not.toContain("unseen");
    expect(JSON.stringify(answer.messages)).toContain("removed");
  });

  test("content that no hook has seen does not pass", async () => {
    const image = { type: "image", data: "dW5zZWVu", mimeType: "image/png" };
    first.answer = () => ({
      content: [image],
      structuredContent: { a: 1 },
      _meta: { "example.com/unseen": 1 },
    });
    const drawn = await at("all")[family]("tools/call", { name: "First_draw" });
    expect(valueAt(drawn, "result.structuredContent")).toEqual({ a: 1 });
    expect(valueAt(drawn, "result.content")).toEqual([{ type: "text", text: '{"a":1}' }]);
    expect(JSON.stringify(drawn.messages)).not.toContain("unseen");
  });

  test("content that hooks have judged is content", async () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    first.answer = () => ({
      content: [image, { type: "text", text: "a" }, { type: "image", omitted: "too large" }],
    });
    const drawn = await at("all")[family]("tools/call", { name: "First_draw" });
    expect(valueAt(drawn, "result.content")).toEqual([
      image,
      { type: "text", text: "a" },
      { type: "text", text: '{"type":"image","omitted":"too large"}' },
    ]);
    expect(valueAt(drawn, "result.structuredContent")).toBeUndefined();
  });

  test("a missing consent reaches the person", async () => {
    const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/authorize\/[\w-]+$/);
    const prompt = { name: "Guarded_ask" };
    const plain = await at("all", "bob")[family]("prompts/get", prompt);
    const address = valueAt(plain, "error.data.authorization_url");
    expect([valueAt(plain, "error.code"), address]).toEqual([403, url]);
    expect(valueAt(plain, "error.message")).toContain(String(address));
    expect(guarded.asked).toEqual([]);
  });
});

test("a client that opens addresses is asked for the consent of a prompt or a resource", async () => {
  const capabilities = { elicitation: { url: {} } };
  const asked = await at("all", "carol").modern("prompts/get", { name: "Guarded_ask" }, { capabilities });
  expect(valueAt(asked, "result.resultType")).toBe("input_required");
  expect(valueAt(asked, "result.inputRequests.authorization.params.mode")).toBe("url");
  const { session } = await at("all", "carol").initialize(capabilities);
  const headers = { "mcp-session-id": session };
  const refused = await at("all", "carol").legacy("resources/read", { uri: "secret://x" }, headers);
  expect(valueAt(refused, "error.code")).toBe(-32042);
});

test("a gateway announces what it has", async () => {
  const legacy = async (gateway: string) =>
    valueAt((await at(gateway).initialize()).answer, "result.capabilities");
  expect(Object.keys((await legacy("all")) as object).toSorted()).toEqual([
    "completions",
    "prompts",
    "resources",
    "tools",
  ]);
  expect(Object.keys((await legacy("one")) as object).toSorted()).toEqual(["resources", "tools"]);
  expect(await legacy("none")).not.toHaveProperty("prompts");
  const modern = await at("all").modern("server/discover");
  expect(valueAt(modern, "result.capabilities")).toMatchObject({
    prompts: {},
    resources: {},
    completions: {},
  });
});
