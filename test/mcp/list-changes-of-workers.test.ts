// Clients of gateways hear of the tools of workers: new ones, accepted changes, and those that are gone.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { type PlainWorker, plainTool, startPlainWorker } from "../sandbox/workers";
import { mcpWorker, startWorkerSite, type WorkerSite } from "../workers/site";
import { type Family, listen, type Listener } from "./listener";
import { client, valueAt } from "./site";

const LIST_CHANGED = "notifications/tools/list_changed";

let site: WorkerSite;
let upstream: PlainWorker;
let key: string;
beforeAll(async () => {
  site = await startWorkerSite();
  upstream = await startPlainWorker();
  key = await site.key("run");
  await gateway("all");
});
afterAll(async () => {
  await upstream[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});
afterEach(async () => {
  upstream.catalog = { tools: [plainTool("echo")], skipped: [] };
  for (const { id } of (await site.runtime.workers.list(site.operator)).items)
    await site.runtime.workers.delete(site.operator, id);
});

async function gateway(slug: string, allowed_tools?: string[]): Promise<string> {
  const filter = allowed_tools === undefined ? {} : { tool_filter: { allowed_tools } };
  const record = { name: "Team", slug, auth_type: "arcade_header", ...filter } as const;
  return (await site.runtime.gateways.create(site.operator, record)).id;
}

const call = () => ({ key, user: "alice" });
const heard = async (one: Listener) => (await one.next())?.message["method"];

describe.each(["legacy", "modern"] as Family[])("a %s client", (family) => {
  const stream = (slug: string) => listen(family, `${site.url}/mcp/${slug}`, call());
  const ofWiki = async (): Promise<string[]> => {
    const answer = await client(`${site.url}/mcp/all`, call())[family]("tools/list");
    const tools = valueAt(answer, "result.tools") as { name: string; description: string }[];
    return tools.flatMap(({ name, description }) =>
      name.startsWith("Wiki") ? `${name}: ${description}` : [],
    );
  };

  test("hears of a new worker, and of its end", async () => {
    await using alice = await stream("all");
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));

    expect(await heard(alice)).toBe(LIST_CHANGED);
    expect(await ofWiki()).toEqual(["Wiki_echo: Does echo."]);
    await site.runtime.workers.delete(site.operator, "wiki");
    expect(await heard(alice)).toBe(LIST_CHANGED);
    expect(await ofWiki()).toEqual([]);
  });

  test("hears of a changed tool once an administrator has accepted it", async () => {
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    await using alice = await stream("all");
    upstream.catalog = { tools: [plainTool("echo", "Says it again.")], skipped: [] };
    await site.runtime.workers.catalogs.refresh(site.operator, "wiki");
    expect(await ofWiki()).toEqual(["Wiki_echo: Does echo."]);
    await site.runtime.workers.catalogs.accept(site.operator, "wiki", {});

    expect(await heard(alice)).toBe(LIST_CHANGED);
    expect(await ofWiki()).toEqual(["Wiki_echo: Says it again."]);
  });

  test("hears nothing of tools that its gateway does not offer", async () => {
    const id = await gateway("narrow", ["Chat.WhoAmI", "Wiki.alpha"]);
    const alice = await stream("narrow");
    await using watcher = await stream("all");
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    await heard(watcher);
    await site.runtime.gateways.delete(site.operator, id);

    expect(await alice.rest()).toEqual(family === "legacy" ? [] : ["notifications/cancelled", "reply"]);
  });
});
