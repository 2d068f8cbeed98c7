// A mandatory access hook that cannot be reached: a request that names a tool is told so, not that the tool does not exist.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { client, valueAt } from "../mcp/site";
import { at } from "../support/api";
import { operator } from "../tools/deployment";
import { execute, type Hooked, hooked } from "./hooked";

const TOOL = "Test.Call";

let stage: Hooked;
beforeAll(async () => {
  stage = await hooked();
  await stage.plugin({ points: ["access"], failure_mode: "fail_closed" });
  stage.project.respond = () => "not an answer";
  const { runtime } = stage.deployment;
  await runtime.gateways.create(operator(), {
    name: "finding",
    slug: "finding",
    auth_type: "arcade_header",
    tool_filter: { discovery: { enabled: true } },
  });
});
afterAll(() => stage[Symbol.asyncDispose]());

const request = { tool_name: TOOL, user_id: "alice" };
const REQUESTS = {
  "GET of a tool": () => stage.agent.get(`/v1/tools/${TOOL}?user_id=alice`),
  "GET of a formatted tool": () => stage.agent.get(`/v1/formatted_tools/${TOOL}?user_id=alice&format=openai`),
  "tools/authorize": () => stage.agent.post("/v1/tools/authorize", request),
  "tools/requirements": () =>
    stage.agent.post("/v1/tools/requirements", { tool_names: [TOOL, "Test.Echo"], user_id: "alice" }),
};

describe("while a mandatory access hook cannot be reached,", () => {
  test.each(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[])(
    "%s says so and may be repeated",
    async (what) => {
      const { status, body, headers } = await REQUESTS[what]();
      const executed = await execute(stage, TOOL);

      expect(executed).toMatchObject({ success: false, kind: "CONTEXT_CHECK_FAILED", canRetry: true });
      expect([status, at(body, "name")]).toEqual([500, "internal_error"]);
      expect(at(body, "message")).toBe(executed.message);
      expect(headers.get("x-should-retry")).toBe("true");
    },
  );

  test("an unknown tool is still not found", async () => {
    const { status, body } = await stage.agent.get("/v1/tools/Test.Missing?user_id=alice");

    expect([status, at(body, "name")]).toEqual([400, "tool_not_found"]);
  });

  test("lists are empty", async () => {
    for (const path of ["/v1/tools", "/v1/formatted_tools"]) {
      const { status, body } = await stage.agent.get(`${path}?user_id=alice`);

      expect([status, at(body, "items")]).toEqual([200, []]);
    }
  });

  test("describe_tool of a gateway is an error of the server, as a call is", async () => {
    const { key = "" } = await stage.deployment.runtime.identity.createKey(operator(), {
      name: "gateway",
      role: "run",
    });
    const mcp = client(`${stage.url}/mcp/finding`, { key, user: "alice" });
    for (const [name, input] of [
      ["describe_tool", { name: "Test_Call" }],
      ["call_tool", { name: "Test_Call", arguments: {} }],
    ] as const) {
      const answer = await mcp.modern("tools/call", { name, arguments: input });

      expect([name, valueAt(answer, "error.code")]).toEqual([name, -32603]);
    }
  });

  test("a dry run with a user's own token says so", async () => {
    const user = { kind: "user", projectId: "default", userId: "alice" } as const;
    const run = stage.deployment.runtime.tools.execute(user, { ...request, dry_run: true });

    await expect(run).rejects.toMatchObject({ name: "internal_error", shouldRetry: true });
  });
});
