// Gateways whose clients search for tools: what is listed, found, described and called, in both protocol families.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Type } from "typebox";
import type { JsonObject } from "../../src/base";
import { type Catalog, defineTool, fatal } from "../../src/tools";
import { hooked, type Hooked } from "../hooks/hooked";
import { at } from "../support/api";
import { operator } from "../tools/deployment";
import { client, type McpAnswer, valueAt } from "./site";

const LOOKS_LIKE_A_FINDER: Catalog = {
  toolkit: { name: "search", description: "", version: "1.0.0" },
  bases: {},
  tools: [
    defineTool({
      name: "tools",
      description: "Looks for hammers and saws.",
      input: Type.Object({}),
      output: Type.Unknown(),
      metadata: {
        behavior: { operations: [], read_only: true, destructive: false, idempotent: true, open_world: true },
      },
      run: async () => ({ hammers: 3 }),
    }),
  ],
};
const FINDERS = ["search_tools", "describe_tool", "call_tool"];
const ALICE_HIDES = { deny: { Test: { tools: { Echo: [{}] } } } };

let hooks: Hooked;
let key: string;
beforeAll(async () => {
  hooks = await hooked({ catalogs: [LOOKS_LIKE_A_FINDER] });
  const { runtime } = hooks.deployment;
  const make = async (slug: string, tool_filter: object): Promise<void> => {
    await runtime.gateways.create(operator(), { name: slug, slug, auth_type: "arcade_header", tool_filter });
  };
  const discovery = { enabled: true, pinned_asset_keys: ["test.act", "search.tools", "No.Such"] };
  await make("finding", { discovery });
  await make("narrow", { allowed_tools: ["Test.Act"], discovery: { enabled: true } });
  await make("off", { discovery: { ...discovery, enabled: false } });
  await make("plain", {});
  key = (await runtime.identity.createKey(operator(), { name: "run", role: "run" })).key ?? "";
  await hooks.plugin({ points: ["access", "pre", "post"] });
});
afterAll(() => hooks[Symbol.asyncDispose]());
beforeEach(() => {
  hooks.project.respond = () => ({ code: "OK" });
  hooks.deployment.test.act = async () => ({ done: true });
});

const by = (slug: string, user = "alice") => client(`${hooks.url}/mcp/${slug}`, { key, user });

/** The result without what names the gateway. */
function resultOf(answer: McpAnswer): unknown {
  const result = valueAt(answer, "result");
  const { _meta, ...rest } = (result ?? {}) as JsonObject;
  return { ...rest, error: at(_meta, "error") };
}

describe.each(["legacy", "modern"] as const)("with a %s client", (family) => {
  const call = (name: string, input: object, slug = "finding", user?: string) =>
    by(slug, user)[family]("tools/call", { name, arguments: input });
  const through = (name: string, input: object, slug = "finding", user?: string) =>
    call("call_tool", { name, arguments: input }, slug, user);
  const listed = async (slug: string, user?: string) => {
    const tools = valueAt(await by(slug, user)[family]("tools/list"), "result.tools") as JsonObject[];
    return tools.map(({ name }) => String(name));
  };
  const found = async (query: string, slug = "finding", user?: string) => {
    const tools = valueAt(
      await call("search_tools", { query }, slug, user),
      "result.structuredContent.tools",
    );
    return (tools as JsonObject[]).map(({ name }) => String(name));
  };

  test("only the three tools and those that are pinned are listed", async () => {
    expect(await listed("finding")).toEqual([...FINDERS, "Test_Act"]);
    expect(await listed("narrow")).toEqual(FINDERS);
  });

  test("without the switch all tools are listed, and the three do not exist", async () => {
    expect(await listed("off")).toEqual(await listed("plain"));
    expect(await listed("off")).not.toContain("call_tool");
    expect(valueAt(await call("describe_tool", { name: "Test_Echo" }, "off"), "error.code")).toBe(-32602);
  });

  test("a search finds tools, the best first, with their parameters", async () => {
    const answer = await call("search_tools", { query: "answer what I say", limit: "2" });
    const tools = valueAt(answer, "result.structuredContent.tools") as JsonObject[];

    expect(tools[0]).toEqual({
      name: "Test_Echo",
      description: "Answers its input.",
      parameters: { required: [], optional: ["text"] },
    });
    expect(tools.length).toBeLessThanOrEqual(2);
    expect(JSON.parse(String(valueAt(answer, "result.content.0.text")))).toEqual(
      valueAt(answer, "result.structuredContent"),
    );
  });

  test("a search that finds nothing says so", async () => {
    const answer = await call("search_tools", { query: "xyzzy" });

    expect(valueAt(answer, "result.structuredContent")).toEqual({
      tools: [],
      hint: "No tool matches. Try other words.",
    });
  });

  test("a tool is described as other gateways list it", async () => {
    const tools = valueAt(await by("plain")[family]("tools/list"), "result.tools") as JsonObject[];

    for (const name of ["Test_Echo", "Test.Echo", "test_echo"]) {
      const answer = await call("describe_tool", { name });
      expect(valueAt(answer, "result.structuredContent")).toEqual(
        tools.find((tool) => tool["name"] === "Test_Echo"),
      );
    }
  });

  test.each([
    ["a result", "Test_Echo", { text: "hi" }],
    ["a refused input", "Test_Echo", { text: 1 }],
    ["an unknown parameter", "Test_Echo", { txt: "hi" }],
    ["a missing parameter", "Test_Mode", {}],
    ["a failure", "Test_Act", {}],
  ])("%s is the one that the tool itself returns", async (_what, name, input) => {
    hooks.deployment.test.act = () => Promise.reject(fatal("It broke.", { statusCode: 500 }));

    expect(resultOf(await through(name, input))).toEqual(resultOf(await call(name, input, "plain")));
  });

  test("a tool is called by any of its names, with its arguments as an object or as text", async () => {
    for (const name of ["Test_Echo", "Test.Echo", "test.echo"])
      expect(valueAt(await through(name, { text: "hi" }), "result.structuredContent")).toEqual({
        text: "hi",
      });
    const asText = await call("call_tool", { name: "Test_Echo", arguments: '{"text":"hi"}' });

    expect(valueAt(asText, "result.structuredContent")).toEqual({ text: "hi" });
  });

  test.each([
    ["without a name", "call_tool", { arguments: {} }, "name is required"],
    ["with arguments that are not an object", "call_tool", { name: "Test_Echo", arguments: 5 }, "arguments"],
    [
      "with an unknown parameter",
      "call_tool",
      { name: "Test_Echo", args: {} },
      "The tool takes: name, arguments",
    ],
    ["without a query", "search_tools", {}, "query is required"],
  ])("a call %s says what to correct", async (_what, name, input, sentence) => {
    const answer = await call(name, input);

    expect(valueAt(answer, "result.isError")).toBe(true);
    expect(String(valueAt(answer, "result.content.0.text"))).toContain(sentence);
    expect(valueAt(answer, "result._meta.error.kind")).toBe("TOOL_RUNTIME_BAD_INPUT_VALUE");
  });

  test("a tool that is hidden from the user is not found, described or called, like one that does not exist", async () => {
    hooks.project.respond = ({ path, body }) =>
      path === "access" && body["user_id"] === "mallory"
        ? ALICE_HIDES
        : path === "access"
          ? {}
          : { code: "OK" };
    const unknown = (name: string) => `There is no tool "${name}". Find tools with search_tools.`;

    expect(await found("answer its input", "finding", "alice")).toContain("Test_Echo");
    expect(await found("answer its input", "finding", "mallory")).not.toContain("Test_Echo");
    for (const name of ["Test_Echo", "Test.Echo", "Test_Nothing"]) {
      for (const answer of [
        await call("describe_tool", { name }, "finding", "mallory"),
        await through(name, { text: "hi" }, "finding", "mallory"),
        await through(name, { txt: "hi" }, "finding", "mallory"),
      ])
        expect(resultOf(answer)).toMatchObject({ content: [{ text: unknown(name) }], isError: true });
    }
  });

  test("a pinned tool that is hidden from the user is not listed", async () => {
    hooks.project.respond = ({ path }) =>
      path === "access" ? { deny: { Test: { tools: { Act: [{}] } } } } : { code: "OK" };

    expect(await listed("finding", "mallory")).toEqual(FINDERS);
  });

  test("a tool that the gateway does not offer is not found, described or called", async () => {
    expect(await found("answer its input", "narrow")).not.toContain("Test_Echo");
    expect(valueAt(await call("describe_tool", { name: "Test_Echo" }, "narrow"), "result.isError")).toBe(
      true,
    );
    expect(String(valueAt(await through("Test_Echo", {}, "narrow"), "result.content.0.text"))).toContain(
      "There is no tool",
    );
  });

  test("hooks judge the call of the tool itself", async () => {
    const seen: unknown[] = [];
    hooks.project.respond = ({ path, body }) => {
      if (path === "pre") seen.push(at(body, "tool.name"));
      return path === "access"
        ? {}
        : path === "pre"
          ? { code: "CHECK_FAILED", error_message: "not on Sundays" }
          : { code: "OK" };
    };
    const answer = await through("Test_Echo", { text: "hi" });

    expect(String(valueAt(answer, "result.content.0.text"))).toContain("not on Sundays");
    expect(seen).toEqual(["Echo"]);
  });

  test("an access hook that cannot be reached empties searches, and requests that name a tool are internal errors", async () => {
    hooks.project.respond = (_asked, response) => {
      response.statusCode = 503;
      response.end();
      return undefined;
    };

    expect(await found("answer its input")).toEqual([]);
    expect(valueAt(await call("describe_tool", { name: "Test_Echo" }), "error.code")).toBe(-32603);
    expect(valueAt(await through("Test_Echo", {}), "error.code")).toBe(-32603);
  });

  test("a missing consent is told with its address", async () => {
    const answer = await through("Test_Call", {}, "finding", `new-${family}`);
    const text: unknown = JSON.parse(String(valueAt(answer, "result.content.0.text")));

    expect(valueAt(answer, "result.isError")).toBe(true);
    expect(String(at(text, "authorization_url"))).toStartWith("http");
    expect(String(at(text, "message"))).toStartWith("Test.Call needs your consent");
  });

  test("the execution log names the tool", async () => {
    await through("Test_Echo", { text: "hi" });
    const { body } = await hooks.admin.get("/v1/admin/executions?limit=1");

    expect(String(at(body, "items.0.tool"))).toBe("Test.Echo@1.2.3");
  });

  test("progress is reported", async () => {
    hooks.deployment.test.act = async (_input, { caller }) => {
      caller?.progress?.(1, 2, "half");
      return {};
    };
    const answer = await by("finding")[family]("tools/call", {
      name: "call_tool",
      arguments: { name: "Test_Act" },
      _meta: { progressToken: "p" },
    });

    expect(answer.messages[0]).toMatchObject({
      method: "notifications/progress",
      params: { progressToken: "p", progress: 1, total: 2 },
    });
  });

  test("the three names belong to the gateway, and a tool with one of them is called like others", async () => {
    expect(await found("hammers")).toEqual(["search_tools"]);
    expect(valueAt(await through("search_tools", {}), "result.structuredContent")).toEqual({ hammers: 3 });
    expect(valueAt(await call("search_tools", {}, "plain"), "result.structuredContent")).toEqual({
      hammers: 3,
    });
    expect(String(valueAt(await call("search_tools", {}), "result.content.0.text"))).toContain(
      "query is required",
    );
  });
});

test("a missing consent is an error with its address for clients that open addresses", async () => {
  const own = by("finding", "opens-url");
  const { session } = await own.initialize({ elicitation: { url: {} } });
  const call = { name: "call_tool", arguments: { name: "Test_Call" } };
  const answer = await own.legacy("tools/call", call, { "mcp-session-id": session });

  expect(valueAt(answer, "error.code")).toBe(-32042);
  expect(String(valueAt(answer, "error.data.elicitations.0.url"))).toStartWith("http");
});

test("a client of 2026-07-28 is asked for a consent, and continues the same call", async () => {
  const own = by("finding", "continues");
  const call = { name: "call_tool", arguments: { name: "Test_Call" } };
  const capabilities = { elicitation: { url: {} } };
  const asked = await own.modern("tools/call", call, { capabilities });
  const requestState = valueAt(asked, "result.requestState");
  const inputResponses = { authorization: { action: "decline" } };
  const declined = await own.modern(
    "tools/call",
    { ...call, requestState, inputResponses },
    { capabilities },
  );
  const other = { name: "call_tool", arguments: { name: "Test_Narrow" } };
  const foreign = await own.modern(
    "tools/call",
    { ...other, requestState, inputResponses },
    { capabilities },
  );

  expect(valueAt(asked, "result.resultType")).toBe("input_required");
  expect(String(valueAt(asked, "result.inputRequests.authorization.params.url"))).toStartWith("http");
  expect(String(valueAt(declined, "result.content.0.text"))).toContain("did not allow access");
  expect(valueAt(foreign, "error.code")).toBe(-32602);
});

test.each(["2025-03-26", "2025-06-18", "2025-11-25"])(
  "a session of revision %s finds and calls",
  async (version) => {
    const own = by("finding");
    const { session } = await own.initialize({}, version);
    const headers = { "mcp-session-id": session };
    const found = await own.legacy(
      "tools/call",
      { name: "search_tools", arguments: { query: "answer" } },
      headers,
    );
    const called = await own.legacy(
      "tools/call",
      { name: "call_tool", arguments: { name: "Test_Echo" } },
      headers,
    );

    expect(String(valueAt(found, "result.content.0.text"))).toContain("Test_Echo");
    expect(valueAt(called, "result.structuredContent")).toEqual({});
  },
);
