// A listing for one user is put together from texts: it must say what the records say.
import { describe, expect, test } from "bun:test";
import { extensions } from "../../catalogs";
import { JsonText } from "../../src/base";
import type { ToolsFilter } from "../../src/tools/schema";
import { agent, deploy } from "./deployment";

describe("the listing for a user", () => {
  test.each<[string, ToolsFilter]>([
    ["everything", { limit: 100 }],
    ["a page in the middle", { limit: 7, offset: 11 }],
    ["one toolkit", { toolkit: "Chat", limit: 100 }],
    ["all versions", { include_all_versions: true, limit: 100 }],
    ["nothing", { toolkit: "None" }],
  ])("is the text of its records: %s", async (_what, query) => {
    await using deployment = await deploy({ catalogs: extensions.catalogs });
    await deployment.addProvider();
    await deployment.give("alice");
    const { listings } = deployment.runtime.tools;

    for (const user_id of ["alice", "bob"]) {
      const records = await listings.list(agent(), { ...query, user_id });
      const text = await listings.listing(agent(), { ...query, user_id });
      expect(text).toBeInstanceOf(JsonText);
      if (text instanceof JsonText)
        expect(JSON.parse(text.text)).toEqual(JSON.parse(JSON.stringify(records)));
    }
  });

  test("shows which permissions are still missing for each user", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice");
    const states = await Promise.all(
      ["alice", "bob"].map(async (user_id) => {
        const { items } = await deployment.runtime.tools.listings.list(agent(), { user_id, toolkit: "Test" });
        return items.find(({ name }) => name === "Call")?.requirements?.met;
      }),
    );

    expect(states).toEqual([true, false]);
  });

  test("is one text for users with the same grants, until they differ", async () => {
    await using deployment = await deploy();
    await deployment.addProvider();
    await deployment.give("alice");
    const { listings } = deployment.runtime.tools;
    const texts = async (query: ToolsFilter = {}) =>
      Promise.all(
        ["alice", "bob", "carol"].map((user_id) => listings.listing(agent(), { ...query, user_id })),
      );
    const [alice, bob, carol] = await texts();

    expect(carol).toBe(bob as typeof carol);
    expect(alice).not.toBe(bob);
    expect((await texts({ limit: 1 }))[1]).not.toBe(bob);

    await deployment.give("bob");
    const [, after, still] = await texts();

    expect(after).toBe(alice as typeof after);
    expect(still).toBe(carol as typeof still);
  });
});
