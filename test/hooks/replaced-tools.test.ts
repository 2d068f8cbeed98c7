// Rules of hooks for a tool hold for the deprecated tools that it replaces.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { Registry } from "../../src/tools/registry";
import { ruledBy } from "../../src/tools/replaced";
import { api, at } from "../support/api";
import type { Site } from "../support/site";
import { testCatalog } from "../tools/catalog";
import { type GuardedSite, startGuardedSite } from "./guarded-site";
import type { WebhookPeer } from "./webhook-peer";

let guarded: GuardedSite;
let site: Site;
let peer: WebhookPeer;
let key: string;
beforeAll(async () => {
  guarded = await startGuardedSite();
  ({ site, peer, key } = guarded);
});
afterAll(() => guarded[Symbol.asyncDispose]());
beforeEach(() => guarded.reset());

const DM = { user_name: "bob", message: "Hello" };

const run = async (tool_name: string, input: object) => {
  const answer = await api(site.url, key).post("/v1/tools/execute", { tool_name, user_id: "alice", input });
  return { body: answer.body, sent: site.chat.calls("chat.postMessage") };
};
const named = (point: string, name: string) =>
  peer.asked.find(({ path, body }) => path === point && at(body, "tool.name") === name)?.body;

describe("only", () => {
  const only = (...names: string[]) => ({
    only: { Chat: { tools: Object.fromEntries(names.map((name) => [name, []])) } },
  });
  const visible = async (): Promise<string[]> => {
    const { body } = await api(site.url, key).get("/v1/tools?user_id=alice&toolkit=Chat&limit=100");
    return (at(body, "items") as { name: string }[]).map(({ name }) => name);
  };

  test("without a tool hides the tools that it replaces, even if they are named", async () => {
    peer.respond = () => only("WhoAmI", "SendDmToUser", "SendMessageToChannel");

    expect(await visible()).toEqual(["WhoAmI"]);
  });

  test("with a tool shows the tools that it replaces", async () => {
    peer.respond = () => only("SendMessage");

    expect(await visible()).toEqual(["SendDmToUser", "SendMessage", "SendMessageToChannel"]);
  });
});

test("a denial of the deprecated tool alone leaves its replacement", async () => {
  peer.respond = ({ path }) =>
    path === "access" ? { deny: { Chat: { tools: { SendDmToUser: [] } } } } : { code: "OK" };

  expect(at((await run("Chat.SendDmToUser", DM)).body, "name")).toBe("tool_not_found");
  expect((await run("Chat.SendMessage", { usernames: ["bob"], message: "Hello" })).sent).toBe(1);
});

test("pre and post hooks see the call by both names, with the inputs that do the same", async () => {
  const { sent } = await run("Chat.SendDmToUser", DM);

  expect(sent).toBe(1);
  for (const point of ["pre", "post"]) {
    expect(at(named(point, "SendDmToUser"), "inputs")).toEqual(DM);
    expect(at(named(point, "SendMessage"), "inputs")).toEqual({ usernames: ["bob"], message: "Hello" });
  }
});

test("inputs that a hook changes for the deprecated tool are seen by its replacement's rule", async () => {
  peer.respond = ({ path, body }) => {
    if (path === "access") return {};
    const isOwn = path === "pre" && at(body, "tool.name") === "SendDmToUser";
    return isOwn ? { code: "OK", override: { inputs: { ...DM, user_name: "carol" } } } : { code: "OK" };
  };
  await run("Chat.SendDmToUser", DM);

  expect(at(named("pre", "SendMessage"), "inputs.usernames")).toEqual(["carol"]);
});

test("a hook that changes the inputs of the replacement stops the call, and one that repeats them does not", async () => {
  const answering = (inputs: (shown: object) => object) => {
    peer.respond = ({ path, body }) => {
      if (path === "access") return {};
      const isReplacement = path === "pre" && at(body, "tool.name") === "SendMessage";
      const shown = Object(at(body, "inputs"));
      return isReplacement ? { code: "OK", override: { inputs: inputs(shown) } } : { code: "OK" };
    };
  };
  answering((shown) => ({ ...shown, message: "changed" }));
  const changed = await run("Chat.SendDmToUser", DM);

  expect([changed.sent, at(changed.body, "output.error.kind")]).toEqual([0, "CONTEXT_DENIED"]);
  expect(at(changed.body, "output.error.message")).toContain("Call Chat.SendMessage instead.");
  answering((shown) => shown);
  expect((await run("Chat.SendDmToUser", DM)).sent).toBe(1);
});

test("a post hook that withholds the result of a tool withholds those of the tools that it replaces", async () => {
  peer.respond = ({ path, body }) => {
    if (path === "access") return {};
    const isReplacement = path === "post" && at(body, "tool.name") === "SendMessage";
    return isReplacement ? { code: "CHECK_FAILED", error_message: "secret" } : { code: "OK" };
  };
  const { body, sent } = await run("Chat.SendDmToUser", DM);

  expect([sent, at(body, "success"), at(body, "output.error.kind")]).toEqual([1, false, "CONTEXT_DENIED"]);
});

test("a chain of replacements ends, also in a circle", () => {
  const { catalog } = testCatalog();
  const tools = catalog.tools.slice(0, 3).map((tool, at) => ({
    ...tool,
    name: "ABC".charAt(at),
    replacement: `Test.${"BCA".charAt(at)}`,
  }));
  const registry = new Registry([{ ...catalog, tools }]);

  expect(ruledBy(registry.find("Test.B")).map(({ definition }) => definition.name)).toEqual(["B", "C", "A"]);
});
