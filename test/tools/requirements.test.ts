// What tools need that a user still owes: by tool, and joined over tools.
import { describe, expect, test } from "bun:test";
import { refusal } from "../connections/executing";
import { agent, deploy, type Deployment, idpRecord, operator } from "./deployment";

async function item(deployment: Deployment, tool_names: string[], authorize = false) {
  const request = { tool_names, user_id: "alice", authorize };
  const report = await deployment.runtime.tools.requirements(agent(), request);
  return report.authorization.items["idp"];
}

type Arrange = (deployment: Deployment) => Promise<unknown>;

describe("the authorization of a tool", () => {
  const states: [string, Arrange, object][] = [
    [
      "without a provider",
      async () => undefined,
      {
        met: false,
        status: "inactive",
        status_reason: 'no auth provider "idp" is configured in this project',
        token_status: "not_started",
        oauth2: { scopes: ["a", "b"] },
      },
    ],
    [
      "with an inactive provider",
      (deployment) => deployment.addProvider({ status: "inactive" }),
      { met: false, status: "inactive", status_reason: 'the auth provider "idp" is inactive' },
    ],
    [
      "with an inactive provider and a usable grant",
      async (deployment) => {
        await deployment.addProvider();
        await deployment.give("alice");
        await deployment.runtime.providers.update(operator(), "idp", { status: "inactive" });
      },
      {
        met: false,
        status: "inactive",
        status_reason: 'the auth provider "idp" is inactive',
        token_status: "completed",
        oauth2: { scopes: [] },
      },
    ],
    [
      "with an inactive provider and a part of the scopes",
      async (deployment) => {
        await deployment.addProvider();
        await deployment.give("alice", { scopes: ["a"] });
        await deployment.runtime.providers.update(operator(), "idp", { status: "inactive" });
      },
      { met: false, status: "inactive", token_status: "completed", oauth2: { scopes: ["b"] } },
    ],
    [
      "with an inactive provider and a grant that has expired for good",
      async (deployment) => {
        await deployment.addProvider();
        await deployment.give("alice", { expiresIn: 1, refresh: null });
        await deployment.runtime.providers.update(operator(), "idp", { status: "inactive" });
        deployment.clock.move(2000);
      },
      { met: false, status: "inactive", token_status: "failed", oauth2: { scopes: ["a", "b"] } },
    ],
    [
      "before any consent",
      (deployment) => deployment.addProvider(),
      { met: false, status: "active", token_status: "not_started", oauth2: { scopes: ["a", "b"] } },
    ],
    [
      "with a part of the scopes",
      async (deployment) => {
        await deployment.addProvider();
        await deployment.give("alice", { scopes: ["a", "c"] });
      },
      {
        met: false,
        token_status: "completed",
        scopes: ["a", "b"],
        oauth2: { scopes: ["b"] },
        tools: [expect.objectContaining({ met: false, oauth2: { scopes: ["b"] } })],
      },
    ],
    [
      "with all scopes and more",
      async (deployment) => {
        await deployment.addProvider();
        await deployment.give("alice", { scopes: ["c", "b", "a"] });
      },
      { met: true, status: "active", token_status: "completed", oauth2: { scopes: [] } },
    ],
    [
      "with a token that has expired and can be refreshed",
      async (deployment) => {
        await deployment.addProvider();
        await deployment.give("alice", { expiresIn: 1 });
        deployment.clock.move(2000);
      },
      { met: true, token_status: "completed" },
    ],
    [
      "with a token that has expired for good",
      async (deployment) => {
        await deployment.addProvider();
        await deployment.give("alice", { expiresIn: 1, refresh: null });
        deployment.clock.move(2000);
      },
      {
        met: false,
        token_status: "failed",
        status_reason: "the grant has expired and cannot be renewed",
        oauth2: { scopes: ["a", "b"] },
      },
    ],
    [
      "with another user's consent",
      async (deployment) => {
        await deployment.addProvider();
        await deployment.give("bob");
      },
      { met: false, token_status: "not_started" },
    ],
  ];
  test.each(states)("%s", async (_name, arrange, expected) => {
    await using deployment = await deploy();
    await arrange(deployment);

    expect(await item(deployment, ["Test.Call"])).toMatchObject(expected);
  });

  test("of an inactive provider has the state of the grant in the record of the tool, too", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await deployment.addProvider();
    await deployment.give("alice");
    await runtime.providers.update(operator(), "idp", { status: "inactive" });

    const { requirements } = await runtime.tools.listings.get(agent(), "Test.Call", { user_id: "alice" });

    expect(requirements).toMatchObject({
      met: false,
      authorization: { status: "inactive", token_status: "completed" },
    });
  });

  test("with a pending consent names it, with its address", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    const request = { tool_name: "Test.Call", user_id: "alice" };
    const { id, url } = await deployment.runtime.tools.authorize(agent(), request);

    expect(await item(deployment, ["Test.Call"])).toMatchObject({
      met: false,
      token_status: "pending",
      authorization_id: id,
      url,
    });
  });

  test.each([
    ["fewer scopes than are missing", ["a"]],
    ["something else", ["c"]],
  ])("a consent for %s does not count for it", async (_what, scopes) => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.runtime.authorization.authorize(agent(), {
      auth_requirement: { id: "idp", oauth2: { scopes } },
      user_id: "alice",
    });

    const found = await item(deployment, ["Test.Call"]);

    expect(found).toMatchObject({ met: false, token_status: "not_started" });
    expect(found).not.toHaveProperty("authorization_id");
    expect(found).not.toHaveProperty("url");
  });

  test("with several pending consents names one that covers all missing scopes", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    const start = (scopes: string[]) =>
      deployment.runtime.authorization.authorize(agent(), {
        auth_requirement: { id: "idp", oauth2: { scopes } },
        user_id: "alice",
      });
    const { id } = await start(["a", "b", "c"]);
    await start(["a"]);

    expect(await item(deployment, ["Test.Call"])).toMatchObject({
      token_status: "pending",
      authorization_id: id,
    });
  });

  test("has no consent started unless requested", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    const before = await item(deployment, ["Test.Call"]);
    const started = await item(deployment, ["Test.Call"], true);
    const after = await item(deployment, ["Test.Call"]);

    expect(before).not.toHaveProperty("url");
    expect(started).toMatchObject({
      token_status: "pending",
      url: after?.url,
      authorization_id: after?.authorization_id,
    });
    expect(started?.url).toContain("/authorize/");
  });

  test("is met without a consent for tools of the client", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();

    expect(await item(deployment, ["Test.Client"])).toMatchObject({
      met: true,
      scopes: [],
      token_status: "completed",
    });
  });
});

describe("a report over several tools", () => {
  test("names no consent that covers only one of them", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.runtime.authorization.authorize(agent(), {
      auth_requirement: { id: "idp", oauth2: { scopes: ["a"] } },
      user_id: "alice",
    });

    expect(await item(deployment, ["Test.Narrow"])).toMatchObject({ token_status: "pending" });
    const both = await item(deployment, ["Test.Narrow", "Test.Call"]);
    expect(both).toMatchObject({ met: false, token_status: "not_started" });
    expect(both).not.toHaveProperty("url");
  });

  test("groups them by provider: the union of scopes, the missing ones, and the names", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice", { scopes: ["a"] });

    expect(await item(deployment, ["Test.Narrow", "Test.Call", "test_narrow"])).toMatchObject({
      met: false,
      scopes: ["a", "b"],
      oauth2: { scopes: ["b"] },
      token_status: "completed",
      tool_names: ["Test.Call"],
      tools: [
        { tool_name: "Test.Narrow", met: true, oauth2: { scopes: [] } },
        { tool_name: "Test.Call", met: false, oauth2: { scopes: ["b"] } },
      ],
    });
  });

  test("starts one consent per provider, for the union", async () => {
    await using deployment = await deploy();
    const { runtime, idp } = deployment;
    await deployment.addProvider();
    await deployment.addProvider({ ...idpRecord(idp), id: "other" });
    const request = {
      tool_names: ["Test.Narrow", "Test.Call", "Test.Other"],
      user_id: "alice",
      authorize: true,
    };
    const { authorization, met } = await runtime.tools.requirements(agent(), request);
    const ids = ["idp", "other"].map((id) => authorization.items[id]?.authorization_id ?? "");
    const flows = await Promise.all(ids.map((id) => runtime.authorization.status(agent(), id)));

    expect([met, authorization.met]).toEqual([false, false]);
    expect(flows.map(({ scopes }) => scopes)).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("lists secrets once, with the tools that need them", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await deployment.addProvider();
    await deployment.give("alice");
    await runtime.secrets.upsert(operator(), "test_address", { value: "x" });
    const request = { tool_names: ["Test.Elsewhere", "Test.Mode"], user_id: "alice" };
    const report = await runtime.tools.requirements(agent(), request);

    expect(report.met).toBe(false);
    expect(report.authorization.met).toBe(true);
    expect(report.secrets).toEqual({
      met: false,
      items: {
        TEST_ADDRESS: { met: true, tool_names: ["Test.Elsewhere"] },
        TEST_WORD: {
          met: false,
          status_reason:
            "secret not found: TEST_WORD. An administrator sets it: runtime secrets set TEST_WORD",
          tool_names: ["Test.Elsewhere", "Test.Mode"],
        },
      },
    });
  });

  test("of tools that need nothing is met", async () => {
    await using deployment = await deploy();
    const request = { tool_names: ["Test.Echo"], user_id: "alice" };

    expect(await deployment.runtime.tools.requirements(agent(), request)).toEqual({
      met: true,
      authorization: { met: true, items: {} },
      secrets: { met: true, items: {} },
    });
  });

  test("takes names and versions from both lists", async () => {
    await using deployment = await deploy();
    const tools = [{ tool_name: "Test.Call", tool_version: "1.2.3" }];
    const request = { tool_names: ["Test.Narrow"], tools, user_id: "alice" };
    const report = await deployment.runtime.tools.requirements(agent(), request);

    expect(report.authorization.items["idp"]?.tool_names).toEqual(["Test.Narrow", "Test.Call"]);
  });

  test.each<[string, object, string, string]>([
    ["names no tool", {}, "malformed_request", "at least one tool"],
    ["names no user", { tool_names: ["Test.Echo"], user_id: undefined }, "malformed_request", "user_id"],
    [
      "names unknown tools",
      { tool_names: ["Test.One", "Test.Echo", "Test.Two"] },
      "tool_not_found",
      "Test.One",
    ],
    [
      "names unknown tools, all of them",
      { tool_names: ["Test.One", "Test.Two"] },
      "tool_not_found",
      "Test.Two",
    ],
    [
      "names an unknown version",
      { tools: [{ tool_name: "Test.Echo", tool_version: "9" }] },
      "tool_not_found",
      "version",
    ],
  ])("is refused when it %s", async (_name, request, name, message) => {
    await using deployment = await deploy();
    const error = await refusal(
      deployment.runtime.tools.requirements(agent(), { user_id: "alice", ...request }),
    );

    expect([error.status, error.name]).toEqual([400, name as never]);
    expect(error.message).toContain(message);
  });
});
