// Listings of tools: what is shown for whom, and how they are cut.
import { describe, expect, test } from "bun:test";
import { JsonText } from "../../src/base";
import { refusal } from "../connections/executing";
import { agent, deploy, type Deployment } from "./deployment";

describe("a listing", () => {
  async function listed({ runtime }: Deployment, query: object) {
    const { items } = await runtime.tools.listings.list(agent(), { limit: 100, ...query });
    return (name: string) => items.find((tool) => tool.name === name);
  }

  test("without a user has no token status, and requirements of users are not met", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice");
    const tool = await listed(deployment, {});

    expect(tool("Call")?.requirements).toEqual({
      met: false,
      authorization: {
        id: "idp",
        provider_id: "idp",
        provider_type: "oauth2",
        oauth2: { scopes: ["a", "b"] },
        status: "active",
      },
    });
    expect(tool("Echo")?.requirements).toEqual({ met: true });
  });

  test("for a user shows what is met", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice", { scopes: ["a"] });
    const tool = await listed(deployment, { user_id: "alice" });

    expect(tool("Narrow")?.requirements).toMatchObject({
      met: true,
      authorization: { token_status: "completed" },
    });
    expect(tool("Call")?.requirements).toMatchObject({
      met: false,
      authorization: { token_status: "not_started" },
    });
    expect(tool("Mode")?.requirements?.secrets).toEqual([
      {
        key: "TEST_WORD",
        met: false,
        status_reason: "secret not found: TEST_WORD. An administrator sets it: runtime secrets set TEST_WORD",
      },
    ]);
  });

  test("is filtered by toolkit, filter and page, with the total before paging", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const all = await runtime.tools.listings.list(agent(), {});
    const page = await runtime.tools.listings.list(agent(), {
      toolkit: "TEST",
      filter: '{"read_only":true}',
      limit: 2,
      offset: 1,
    });

    expect(all.total_count).toBe(all.items.length);
    expect(page.items.map(({ name }) => name)).toEqual(["Client", "Echo"]);
    expect(page.total_count).toBe(all.items.filter(({ metadata }) => metadata?.behavior.read_only).length);
    expect((await runtime.tools.listings.list(agent(), { toolkit: "None" })).items).toEqual([]);
  });

  test("has the requested formats", async () => {
    await using deployment = await deploy();
    const tool = await listed(deployment, { include_format: ["openai", "anthropic"] });

    expect(Object.keys(tool("Echo")?.formatted_schema ?? {})).toEqual(["openai", "anthropic"]);
  });

  test("that is cached for all users is never one for a user token's user", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice", { scopes: ["a"] });
    const { tools } = deployment.runtime;
    const statusFor = async (userId: string) => {
      const answer = await tools.listings.listing(
        { kind: "user", projectId: "default", userId },
        { limit: 100 },
      );
      const { items } = JSON.parse(answer instanceof JsonText ? answer.text : JSON.stringify(answer));
      return Object(items).find(({ name }: { name: string }) => name === "Narrow").requirements.met;
    };

    expect(await statusFor("alice")).toBe(true);
    expect(await statusFor("bob")).toBe(false);
  });

  test.each<[string, object, number]>([
    ["for a user that the key is not pinned to", { user_id: "bob" }, 403],
    ["in an unknown format", { include_format: ["xml"] }, 400],
    ["with a broken filter", { filter: "{" }, 400],
    ["with a limit of none", { limit: 0 }, 400],
  ])("is refused %s", async (_name, query, status) => {
    await using deployment = await deploy();

    expect((await refusal(deployment.runtime.tools.listings.list(agent(["alice"]), query))).status).toBe(
      status,
    );
  });
});
