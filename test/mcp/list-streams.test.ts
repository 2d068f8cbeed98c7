// Streams that tell of changed lists: what ends them, what keeps them open, and who is asked for them.
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { EventStream } from "../../server/mcp/events";
import { hooked } from "../hooks/hooked";
import { issued } from "../interop/oidc/forge";
import { startOpenIdSite } from "../interop/oidc/site";
import { startSite } from "../support/site";
import { operator } from "../tools/deployment";
import { startSignInSite, TestClient } from "../people/authorization-server/site";
import { type Family, listen, open } from "./listener";
import { client, type McpCall, type McpSite, startMcpSite } from "./site";

const MAIN = join(import.meta.dir, "..", "..", "cli", "main.ts");
const LIST_CHANGED = "notifications/tools/list_changed";
const families: Family[] = ["legacy", "modern"];

describe.each(families)("the stream of a %s client", (family) => {
  test("ends when the server stops, which waits for nothing", async () => {
    const site = await startMcpSite();
    const url = await site.gateway("team");
    const alice = await listen(family, url, { key: await site.key(), user: "alice" });
    await site[Symbol.asyncDispose]();

    expect(await alice.rest()).toEqual(family === "legacy" ? [] : ["notifications/cancelled", "reply"]);
  });

  test("ends when the user token of its request expires", async () => {
    await using made = await startOpenIdSite();
    const { site, provider, clock } = made;
    await site.runtime.gateways.create(await site.runtime.identity.operator("default"), {
      name: "Tokens",
      slug: "tokens",
    });
    const url = `${site.url}/mcp/tokens`;
    const alice = await listen(family, url, { key: issued(provider, url) });
    clock.move(24 * 3_600_000);

    expect(await alice.rest()).toEqual([]);
  });

  test.each<[string, (site: McpSite) => Promise<McpCall>, (site: McpSite) => Promise<unknown>]>([
    [
      "the user of a key is suspended",
      async (site) => ({ key: await site.key(), user: "alice" }),
      ({ deployment: { runtime } }) => runtime.users.suspend(operator(), "alice"),
    ],
    [
      "the only user of a key is erased",
      async (site) => ({ key: await site.key("run", ["alice"]) }),
      ({ deployment: { runtime } }) => runtime.users.erase(operator(), "alice"),
    ],
  ])("ends when %s", async (_when, callOf, end) => {
    await using site = await startMcpSite();
    const call = await callOf(site);
    const url = await site.gateway("team");
    await using other = await listen(family, url, { key: await site.key(), user: "carol" });
    const stream = await listen(family, url, call);
    await end(site);

    expect(await stream.rest()).toEqual([]);
    // Others go on.
    const { items } = await site.deployment.runtime.gateways.list(operator(), { limit: 10, offset: 0 });
    const filter = { tool_filter: { allowed_tools: ["Test.Act"] } };
    await site.deployment.runtime.gateways.patch(operator(), items[0]?.id ?? "", filter);
    expect((await other.next())?.message["method"]).toBe(LIST_CHANGED);
  });

  test("ends without news when the gateway is limited to groups of others", async () => {
    await using site = await startSignInSite();
    const url = await site.tokenGateway("team");
    const tokenClient = await TestClient.register(site.url);
    const { access_token: key } = await tokenClient.tokens(await site.browser("alice"), url);
    const alice = await listen(family, url, { key });
    const { gateways } = site.deployment.runtime;
    const { items } = await gateways.list(operator(), { limit: 10, offset: 0 });
    const limits = { allowed_groups: ["support"], tool_filter: { allowed_tools: ["Test.Act"] } };
    await gateways.patch(operator(), items[0]?.id ?? "", limits);

    expect(await alice.rest()).not.toContain(LIST_CHANGED);
  });

  test("tells of a change by another process", async () => {
    await using site = await startSite();
    const admin = await site.runtime.identity.operator("default");
    await site.runtime.gateways.create(admin, { name: "Team", slug: "team", auth_type: "arcade_header" });
    const call = { key: await site.key("run"), user: "alice" };
    await using alice = await listen(family, `${site.url}/mcp/team`, call);
    const command = [process.execPath, MAIN, "gateways", "update", "team", "--tool", "Chat.WhoAmI"];
    const env = { PATH: process.env["PATH"] ?? "", ...site.environment };
    const { exitCode, stderr } = Bun.spawnSync(command, { env });

    expect([exitCode, stderr.toString()]).toEqual([0, ""]);
    expect((await alice.next())?.message["method"]).toBe(LIST_CHANGED);
  }, 20_000);
});

test("a silent stream is kept open by comments", async () => {
  await using site = await startMcpSite({ environment: { RUNTIME_MCP_KEEP_ALIVE: "1" } });
  const call = { key: await site.key(), user: "alice" };
  const url = await site.gateway("team");
  const { session } = await client(url, call).initialize();
  const answer = await open(url, call, { "mcp-session-id": session });
  let text = "";
  for await (const bytes of answer.body ?? []) {
    text += new TextDecoder().decode(bytes);
    if (text.includes("\n: still working\n")) break;
  }

  expect(text).toStartWith("id: ");
});

test("a project's hooks are not asked again when another project, or another gateway, changes", async () => {
  await using hooks = await hooked();
  const { runtime } = hooks.deployment;
  const { key } = await runtime.identity.createKey(operator(), { name: "run", role: "run" });
  await runtime.identity.createProject(operator(), "other", "Other");
  const made: string[] = [];
  for (const [slug, project] of [
    ["own", "default"],
    ["next", "default"],
    ["foreign", "other"],
  ]) {
    const record = { name: "Team", slug: slug ?? "", auth_type: "arcade_header" } as const;
    made.push((await runtime.gateways.create(operator(project), record)).id);
  }
  hooks.project.respond = () => ({});
  await hooks.plugin({ points: ["access"] });
  await using alice = await listen("legacy", `${hooks.url}/mcp/own`, { key, user: "alice" });
  const filter = { tool_filter: { allowed_tools: ["Test.Act"] } };
  const [own = "", next = "", foreign = ""] = made;
  await runtime.gateways.patch(operator("other"), foreign, filter);
  await runtime.gateways.patch(operator(), next, filter);
  await runtime.gateways.patch(operator(), own, filter);

  expect((await alice.next())?.message["method"]).toBe(LIST_CHANGED);
  expect(hooks.project.count("access")).toBe(2);
});

test("a client that does not read costs no memory: it gets the newest of equal messages once it reads", async () => {
  const stream = new EventStream(60_000, () => undefined);
  const { body } = stream.response();
  for (let id = 1; id <= 10_000; id++) stream.news("changed", String(id));
  let text = "";
  for await (const bytes of body ?? []) {
    text += new TextDecoder().decode(bytes);
    if (text.includes("id: 10000\n")) break;
  }

  expect(text.split("data: changed").length - 1).toBeLessThan(25);
});
