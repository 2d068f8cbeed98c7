// Starts consents: which requests share an address, and which scopes are requested.
import { describe, expect, test } from "bun:test";
import type { Authorization } from "../../src/authorization";
import { query } from "../../src/store";
import { refusal, times } from "../connections/executing";
import { agent, deploy, type Deployment, idpRecord, operator } from "../tools/deployment";
import { Person } from "./person";

const HOUR = 3600_000;
const FLOWS = query<{ count: number }>("SELECT COUNT(*) AS count FROM authorizations");

async function started(): Promise<Deployment> {
  const deployment = await deploy();
  await deployment.addProvider();
  return deployment;
}

interface Wish {
  scopes?: string[];
  nextUri?: string;
  user?: string;
  requirement?: object;
}

function authorize({ runtime }: Deployment, wish: Wish = {}): Promise<Authorization> {
  const { scopes = ["a", "b"], nextUri, user = "alice", requirement = { id: "idp" } } = wish;
  return runtime.authorization.authorize(agent(), {
    auth_requirement: { ...requirement, oauth2: { scopes } },
    user_id: user,
    ...(nextUri === undefined ? {} : { next_uri: nextUri }),
  });
}

describe("a consent is started", () => {
  test("with an address of ours, for exactly the scopes", async () => {
    await using deployment = await started();
    const authorization = await authorize(deployment);

    expect(authorization).toEqual({
      id: authorization.id,
      status: "pending",
      url: authorization.url ?? "",
      user_id: "alice",
      provider_id: "idp",
      scopes: ["a", "b"],
      context: {},
    });
    expect(authorization.id).toStartWith("ar_");
    expect(authorization.url).toMatch(/^http:\/\/127\.0\.0\.1:9099\/authorize\/[\w-]{43}$/);
  });

  test("for the union of granted and needed scopes", async () => {
    await using deployment = await started();
    await deployment.give("alice", { scopes: ["old", "a"] });

    expect((await authorize(deployment, { scopes: ["b", "a"] })).scopes).toEqual(["old", "a", "b"]);
  });

  test("for the scopes of a dead grant too", async () => {
    await using deployment = await started();
    await deployment.give("alice", { scopes: ["a"], refresh: null });
    deployment.clock.move(HOUR);

    expect(await authorize(deployment, { scopes: ["a"] })).toMatchObject({
      status: "pending",
      scopes: ["a"],
    });
  });

  test("for the scopes of this user, whatever others have granted", async () => {
    await using deployment = await started();
    await deployment.give("bob", { scopes: ["a", "b", "c"] });

    expect(await authorize(deployment)).toMatchObject({ status: "pending", scopes: ["a", "b"] });
  });
});

describe("no consent is needed", () => {
  test("when all scopes are granted: completed at once, without an address", async () => {
    await using deployment = await started();
    const id = await deployment.give("alice", { scopes: ["a", "b", "c"] });

    expect(await authorize(deployment)).toEqual({
      id,
      status: "completed",
      user_id: "alice",
      provider_id: "idp",
      scopes: ["a", "b", "c"],
      context: {},
    });
  });

  test("when the token has expired and can be refreshed", async () => {
    await using deployment = await started();
    await deployment.give("alice");
    deployment.clock.move(2 * HOUR);

    expect(await authorize(deployment)).toMatchObject({ status: "completed" });
  });

  test("for a tool without a grant: completed, with an id that can be polled", async () => {
    await using deployment = await started();
    const { runtime } = deployment;
    for (const tool_name of ["Test.Echo", "Test.Client"]) {
      const { id, status } = await runtime.tools.authorize(agent(), { tool_name, user_id: "alice" });

      expect([status, (await runtime.authorization.status(agent(), id)).status]).toEqual([
        "completed",
        "completed",
      ]);
    }
  });
});

describe("the same pending address is returned", () => {
  test.each<[string, Wish, Wish]>([
    ["for the same wish", {}, {}],
    ["for scopes in another order", { scopes: ["a", "b"] }, { scopes: ["b", "a"] }],
    ["for scopes with repetitions", { scopes: ["a", "b"] }, { scopes: ["a", "b", "a"] }],
    ["by the provider's other name", {}, { requirement: { provider_id: "idp" } }],
    ["with the same next_uri", { nextUri: "https://app.example" }, { nextUri: "https://app.example/" }],
  ])("%s", async (_name, first, second) => {
    await using deployment = await started();

    expect(await authorize(deployment, second)).toEqual(await authorize(deployment, first));
  });

  test("to 20 requests at once in two processes", async () => {
    await using deployment = await started();
    const other = await deployment.another();

    const addresses = await times(20, async (index) => {
      const { url } = await authorize(index % 2 === 0 ? deployment : { ...deployment, runtime: other });
      return url;
    });

    expect(new Set(addresses).size).toBe(1);
  });

  test("while it is open in a browser", async () => {
    await using deployment = await started();
    const authorization = await authorize(deployment);
    await new Person(deployment.runtime).toProvider(authorization);

    expect(await authorize(deployment)).toEqual(authorization);
  });

  test("even if more than 50 others of the user have expired", async () => {
    await using deployment = await started();
    await times(60, (index) => authorize(deployment, { nextUri: `https://app.example/${index}` }));
    deployment.clock.move(24 * HOUR);
    const authorization = await authorize(deployment);

    expect(await authorize(deployment)).toEqual(authorization);
    const { runtime } = deployment;
    const report = await runtime.tools.requirements(agent(), { tool_names: ["Test.Call"], user_id: "alice" });
    expect(report.authorization.items["idp"]).toMatchObject({
      token_status: "pending",
      authorization_id: authorization.id,
    });
  });
});

describe("another address is returned", () => {
  test.each<[string, Wish]>([
    ["for another next_uri", { nextUri: "https://other.example" }],
    ["for more scopes", { scopes: ["a", "b", "c"] }],
    ["for fewer scopes", { scopes: ["a"] }],
    ["for another user", { user: "bob" }],
    ["for a user that differs by case", { user: "Alice" }],
    ["at another provider", { requirement: { id: "other" } }],
  ])("%s, and both stay pending", async (_name, wish) => {
    await using deployment = await started();
    const { runtime, idp } = deployment;
    await deployment.addProvider({ ...idpRecord(idp), id: "other" });
    const first = await authorize(deployment);
    const second = await authorize(deployment, wish);

    expect([second.id === first.id, second.url === first.url]).toEqual([false, false]);
    expect(await runtime.authorization.status(agent(), first.id)).toMatchObject({ status: "pending" });
  });

  test("after the provider was changed, and the old one has failed", async () => {
    await using deployment = await started();
    const { runtime } = deployment;
    const first = await authorize(deployment);
    await runtime.providers.update(operator(), "idp", { oauth2: { client_id: "other" } });
    const second = await authorize(deployment);

    expect(second.id).not.toBe(first.id);
    expect(await runtime.authorization.status(agent(), first.id)).toMatchObject({
      status: "failed",
      status_reason: "the auth provider was changed meanwhile",
    });
  });

  test("not after a change that consents do not depend on", async () => {
    await using deployment = await started();
    const first = await authorize(deployment);
    await deployment.runtime.providers.update(operator(), "idp", { description: "new words" });

    expect(await authorize(deployment)).toEqual(first);
  });

  test.each([
    ["24 hours unopened", 24 * HOUR, false],
    ["10 minutes after it was opened", 600_000, true],
  ])("when the earlier one is %s", async (_name, ms, opened) => {
    await using deployment = await started();
    const first = await authorize(deployment);
    if (opened) await new Person(deployment.runtime).toProvider(first);
    deployment.clock.move(ms);

    expect((await authorize(deployment)).id).not.toBe(first.id);
  });

  test("if other scopes were granted in the meantime", async () => {
    await using deployment = await started();
    const first = await authorize(deployment);
    await deployment.give("alice", { scopes: ["z"] });

    expect(await authorize(deployment)).toMatchObject({ scopes: ["z", "a", "b"] });
    expect((await authorize(deployment)).id).not.toBe(first.id);
  });
});

describe("no consent is started", () => {
  test.each<[string, Wish, number, string]>([
    ["without id or provider_id", { requirement: {} }, 400, "malformed_request"],
    ["for an unknown provider", { requirement: { id: "none" } }, 400, "tool_requirements_not_met"],
    ["without a user", { user: "" }, 400, "malformed_request"],
    ["with a next_uri that is none", { nextUri: "javascript:alert(1)" }, 400, "invalid_parameter"],
  ])("%s", async (_name, wish, status, name) => {
    await using deployment = await started();
    const refused = await refusal(authorize(deployment, wish));

    expect([refused.status, refused.name]).toEqual([status, name as never]);
    expect(await deployment.runtime.core.store.get(FLOWS)).toEqual({ count: 0 });
  });

  test("at a provider that is inactive", async () => {
    await using deployment = await started();
    await deployment.runtime.providers.update(operator(), "idp", { status: "inactive" });

    expect((await refusal(authorize(deployment))).message).toContain("inactive");
  });
});

test("flows that ended or expired more than seven days ago are deleted, later ones are kept", async () => {
  await using deployment = await started();
  const { runtime, clock } = deployment;
  const old = await authorize(deployment, { scopes: ["old"] });
  clock.move(24 * HOUR);
  const late = await authorize(deployment, { scopes: ["late"] });
  for (let day = 0; day < 7; day++) {
    clock.move(24 * HOUR + 1000);
    await authorize(deployment);
  }

  expect((await refusal(runtime.authorization.status(agent(), old.id))).status).toBe(400);
  expect(await runtime.authorization.status(agent(), late.id)).toMatchObject({ status: "failed" });
});
