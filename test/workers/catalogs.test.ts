// The stored catalogs of workers: when they are read, what of them is offered, and what administrators accept.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { systemClock } from "../../src/base";
import { at } from "../support/api";
import { type PlainWorker, plainTool, startPlainWorker } from "../sandbox/workers";
import { httpWorker, mcpWorker, startWorkerSite, type WorkerSite } from "./site";

let site: WorkerSite;
let upstream: PlainWorker;
beforeAll(async () => {
  site = await startWorkerSite();
  upstream = await startPlainWorker();
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

const generation = async (): Promise<number> => site.runtime.core.store.generation("workers");

/** Qualified names of what is offered. */
async function offered(): Promise<string[]> {
  const catalogs = await site.runtime.workers.catalogsOf("default");
  return catalogs.flatMap(({ toolkit, tools }) => tools.map(({ name }) => `${toolkit.name}.${name}`));
}

async function descriptionOf(name: string): Promise<string | undefined> {
  const catalogs = await site.runtime.workers.catalogsOf("default");
  return catalogs.flatMap(({ tools }) => tools).find((tool) => tool.name === name)?.description;
}

describe("the catalog", () => {
  test("is accepted as a whole when it is first read", async () => {
    upstream.catalog = {
      tools: [plainTool("beta"), plainTool("alpha")],
      skipped: [{ name: "bad", reason: "Its schema is too deep." }],
      server: { name: "wiki-server", version: "2.1.0", description: "Pages" },
    };
    const record = await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));

    expect(record.catalog).toMatchObject({ tools: 2, new: 0, changed: 0, missing: 0 });
    expect(record.skipped).toEqual([{ name: "bad", reason: "Its schema is too deep." }]);
    expect(await offered()).toEqual(["Wiki.alpha", "Wiki.beta"]);
    const [catalog] = await site.runtime.workers.catalogsOf("default");
    expect(catalog?.toolkit).toEqual({ name: "Wiki", description: "Pages", version: "2.1.0" });
    expect(catalog?.worker).toMatchObject({ id: "wiki", type: "mcp" });
  });

  test("is never read for a list or a record", async () => {
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    const asked = upstream.asked.length;
    upstream.catalog = undefined;

    await site.runtime.workers.get(site.operator, "wiki");
    await site.runtime.workers.list(site.operator);
    const key = await site.key("read");
    const answer = await fetch(`${site.url}/v1/workers/wiki/tools`, {
      headers: { authorization: `Bearer ${key}` },
    });

    const body: unknown = await answer.json();
    expect(at(body, "items.0.qualified_name")).toBe("Wiki.echo");
    expect(upstream.asked).toHaveLength(asked);
  });

  test("is kept, with the reason, when it cannot be read again", async () => {
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    upstream.catalog = undefined;
    const record = await site.runtime.workers.catalogs.refresh(site.operator, "wiki");

    expect(record.catalog).toMatchObject({ tools: 1, error: "It answered with the status 500." });
    expect(await offered()).toEqual(["Wiki.echo"]);

    upstream.catalog = { tools: [plainTool("echo")], skipped: [] };
    const again = await site.runtime.workers.catalogs.refresh(site.operator, "wiki");
    expect(again.catalog.error).toBeUndefined();
  });

  test("raises no generation when nothing has changed, in whatever order it comes", async () => {
    const [one, two] = [plainTool("one"), plainTool("two")];
    upstream.catalog = { tools: [one, two], skipped: [] };
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    const before = await generation();
    const catalogs = await site.runtime.workers.catalogsOf("default");

    upstream.catalog = { tools: [two, { ...one, input: reversed(one.input) }], skipped: [] };
    const record = await site.runtime.workers.catalogs.refresh(site.operator, "wiki");

    expect(record.catalog).toMatchObject({ tools: 2, changed: 0 });
    expect(await generation()).toBe(before);
    expect(await site.runtime.workers.catalogsOf("default")).toBe(catalogs);
  });

  test("keeps definitions while other workers change", async () => {
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    const [before] = await site.runtime.workers.catalogsOf("default");

    await site.runtime.workers.create(site.operator, mcpWorker("other", upstream.uri));

    expect((await site.runtime.workers.catalogsOf("default"))[0]?.tools).toBe(before?.tools ?? []);
  });

  test("is not offered while the worker is disabled", async () => {
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    await site.runtime.workers.update(site.operator, "wiki", { enabled: false });
    expect(await offered()).toEqual([]);
    await site.runtime.workers.update(site.operator, "wiki", { enabled: true });
    expect(await offered()).toEqual(["Wiki.echo"]);
  });
});

function reversed(object: object): never {
  return Object.fromEntries(Object.entries(object).toReversed()) as never;
}

describe("with review", () => {
  beforeAll(() => undefined);

  async function changedWorker(): Promise<void> {
    upstream.catalog = { tools: [plainTool("same"), plainTool("changed"), plainTool("gone")], skipped: [] };
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    const tools = [plainTool("same"), plainTool("changed", "Reads all your mail."), plainTool("added")];
    upstream.catalog = { tools, skipped: [] };
    await site.runtime.workers.catalogs.refresh(site.operator, "wiki");
  }

  test("new tools are hidden, changed ones keep their definition, and missing ones are told", async () => {
    await changedWorker();

    const { catalog } = await site.runtime.workers.get(site.operator, "wiki");
    expect(catalog).toMatchObject({ tools: 3, new: 1, changed: 1, missing: 1 });
    expect(await offered()).toEqual(["Wiki.changed", "Wiki.gone", "Wiki.same"]);
    expect(await descriptionOf("changed")).toBe("Does changed.");
    const { tools } = await site.runtime.workers.catalogs.diff(site.operator, "wiki");
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as never;
    expect(tools).toEqual([
      {
        name: "Wiki.added",
        change: "new",
        latest_hash: hash,
        latest_description: "Does added.",
      },
      {
        name: "Wiki.changed",
        change: "changed",
        accepted_hash: hash,
        latest_hash: hash,
        fields: ["description"],
        accepted_description: "Does changed.",
        latest_description: "Reads all your mail.",
      },
      { name: "Wiki.gone", change: "missing", accepted_hash: hash, accepted_description: "Does gone." },
    ]);
    expect(tools[1]?.accepted_hash).not.toBe(tools[1]?.latest_hash);
  });

  test("an acceptance of some leaves the others as they are", async () => {
    await changedWorker();
    const { catalogs } = site.runtime.workers;
    const record = await catalogs.accept(site.operator, "wiki", { tools: ["wiki.ADDED"] });

    expect(record.catalog).toMatchObject({ tools: 4, new: 0, changed: 1, missing: 1 });
    expect(await offered()).toEqual(["Wiki.added", "Wiki.changed", "Wiki.gone", "Wiki.same"]);
    expect(await descriptionOf("changed")).toBe("Does changed.");

    await catalogs.accept(site.operator, "wiki", { tools: ["Wiki.gone"] });
    expect(await offered()).toEqual(["Wiki.added", "Wiki.changed", "Wiki.same"]);

    const accepted = await catalogs.accept(site.operator, "wiki", {});
    expect(accepted.catalog).toMatchObject({ tools: 3, new: 0, changed: 0, missing: 0 });
    expect(await descriptionOf("changed")).toBe("Reads all your mail.");
    expect((await catalogs.diff(site.operator, "wiki")).tools).toEqual([]);
  });

  test("what has changed since the diff was looked at is not accepted", async () => {
    await changedWorker();
    const { catalogs } = site.runtime.workers;
    const { latest_hash = "" } = await catalogs.diff(site.operator, "wiki");
    upstream.catalog = { tools: [plainTool("same", "Deletes all your mail.")], skipped: [] };
    await catalogs.refresh(site.operator, "wiki");
    const before = await generation();

    await expect(catalogs.accept(site.operator, "wiki", { latest_hash })).rejects.toMatchObject({
      status: 409,
    });
    expect(await generation()).toBe(before);
    const seen = await catalogs.diff(site.operator, "wiki");
    await catalogs.accept(site.operator, "wiki", { latest_hash: seen.latest_hash ?? "" });
    expect(await offered()).toEqual(["Wiki.same"]);
  });

  test("an unknown name accepts nothing", async () => {
    await changedWorker();
    const before = await generation();
    const refused = site.runtime.workers.catalogs.accept(site.operator, "wiki", {
      tools: ["Wiki.added", "Wiki.nothing"],
    });

    await expect(refused).rejects.toThrow("There is no change with this name: Wiki.nothing.");
    expect(await generation()).toBe(before);
    expect((await site.runtime.workers.get(site.operator, "wiki")).catalog.new).toBe(1);
  });

  test("the audit trail has both hashes, of the change and of the acceptance", async () => {
    await changedWorker();
    await site.runtime.workers.catalogs.accept(site.operator, "wiki", {});

    const { items } = await site.runtime.trail.audit(site.operator, {});
    const [accepted, changed] = items;
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/) as never;
    expect(accepted).toMatchObject({ action: "worker.accept", target: "wiki" });
    expect(changed).toMatchObject({
      action: "worker.catalog",
      details: {
        in_effect: false,
        new: ["Wiki.added"],
        changed: [{ name: "Wiki.changed", fields: ["description"], old_sha256: hash, new_sha256: hash }],
        missing: ["Wiki.gone"],
      },
    });
    expect(at(accepted, "details.new_sha256")).toBe(at(changed, "details.new_sha256"));
    expect(at(accepted, "details.old_sha256")).toBe(at(changed, "details.old_sha256"));
  });
});

test("with auto, changes take effect at once and are in the audit trail", async () => {
  const request = { ...mcpWorker("wiki", upstream.uri), updates: "auto" as const };
  await site.runtime.workers.create(site.operator, request);
  upstream.catalog = { tools: [plainTool("echo", "Another text."), plainTool("added")], skipped: [] };
  await site.runtime.workers.catalogs.refresh(site.operator, "wiki");

  expect(await offered()).toEqual(["Wiki.added", "Wiki.echo"]);
  expect(await descriptionOf("echo")).toBe("Another text.");
  const { items } = await site.runtime.trail.audit(site.operator, {});
  expect(items[0]).toMatchObject({ action: "worker.catalog", details: { in_effect: true } });
});

describe("toolkits of HTTP workers", () => {
  const tool = (name: string, toolkit: string, version: string) => ({
    ...plainTool(name),
    toolkit: { name: toolkit, version },
  });

  test("come from the catalog, also in several versions", async () => {
    upstream.catalog = { tools: [tool("Go", "Kit", "2.0.0"), tool("Go", "Kit", "1.0.0")], skipped: [] };
    await site.runtime.workers.create(site.operator, httpWorker("own", upstream.uri));

    const catalogs = await site.runtime.workers.catalogsOf("default");
    expect(catalogs.map(({ toolkit }) => [toolkit.name, toolkit.version])).toEqual([
      ["Kit", "1.0.0"],
      ["Kit", "2.0.0"],
    ]);
    upstream.catalog = {
      tools: [tool("Go", "Kit", "1.0.0"), { ...tool("Go", "Kit", "2.0.0"), description: "New." }],
      skipped: [],
    };
    await site.runtime.workers.catalogs.refresh(site.operator, "own");
    const { tools } = await site.runtime.workers.catalogs.diff(site.operator, "own");
    expect(tools.map(({ name, change }) => [name, change])).toEqual([["Kit.Go@2.0.0", "changed"]]);
  });

  test("are left out with the reason if another one has the name", async () => {
    upstream.catalog = {
      tools: [tool("Go", "Chat", "1.0.0"), tool("Go", "wiki", "1.0.0"), tool("Go", "Kit", "1.0.0")],
      skipped: [],
    };
    await using wiki = await startPlainWorker();
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", wiki.uri));
    const record = await site.runtime.workers.create(site.operator, httpWorker("own", upstream.uri));

    expect(await offered()).toEqual(["Wiki.echo", "Kit.Go"]);
    expect(record.skipped).toEqual([
      { name: "Chat", reason: "The toolkit is left out: this server itself has one with this name." },
      { name: "wiki", reason: "The toolkit is left out: the worker wiki has one with this name." },
    ]);
    expect((await site.runtime.workers.list(site.operator)).items[1]?.skipped).toEqual(record.skipped);
    const { message } = await site.runtime.workers.catalogs.health(site.operator, "own");
    expect(message).toContain("2 tools are left out: Chat (The toolkit is left out");
    await expect(site.runtime.workers.create(site.operator, mcpWorker("kit", upstream.uri))).rejects.toThrow(
      "The worker own has a toolkit with the name Kit.",
    );
  });
});

describe("two processes", () => {
  test("that read at the same time lose nothing: the later reading stays", async () => {
    await site.runtime.workers.create(site.operator, {
      ...mcpWorker("wiki", upstream.uri),
      updates: "auto",
    });
    const { catalogs } = site.runtime.workers;
    // The first answer is late: it has the catalog of its beginning.
    const old = { tools: [plainTool("old")], skipped: [] };
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    upstream.catalog = old;
    upstream.before = () => {
      upstream.before = undefined;
      began.resolve();
      return gate.promise;
    };
    const slow = catalogs.refresh(site.operator, "wiki");
    await began.promise;
    await Bun.sleep(5);
    upstream.catalog = { tools: [plainTool("young")], skipped: [] };
    await catalogs.refresh(site.operator, "wiki");
    upstream.catalog = old;
    gate.resolve();
    await slow;

    expect(await offered()).toEqual(["Wiki.young"]);
  });

  test("whose clocks differ store what they read one after the other", async () => {
    const clock = { ...systemClock, now: () => Date.now() + 60_000 };
    const options = { folder: site.folder, chat: site.chat, parts: { clock } };
    await using ahead = await startWorkerSite(options);
    const auto = { ...mcpWorker("wiki", upstream.uri), updates: "auto" as const };
    await site.runtime.workers.create(site.operator, auto);
    await ahead.runtime.workers.catalogs.refresh(site.operator, "wiki");
    upstream.catalog = { tools: [plainTool("young")], skipped: [] };
    await site.runtime.workers.catalogs.refresh(site.operator, "wiki");

    expect(await offered()).toEqual(["Wiki.young"]);
  });

  test("a reading of an earlier worker with its id is not stored", async () => {
    const { workers } = site.runtime;
    upstream.catalog = undefined;
    await workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    upstream.catalog = { tools: [plainTool("stray")], skipped: [] };
    upstream.before = () => {
      upstream.before = undefined;
      began.resolve();
      return gate.promise;
    };
    const slow = workers.catalogs.refresh(site.operator, "wiki");
    await began.promise;
    await workers.delete(site.operator, "wiki");
    await using other = await startPlainWorker();
    other.catalog = undefined;
    await workers.create(site.operator, mcpWorker("wiki", other.uri));
    gate.resolve();
    await slow;

    expect((await workers.get(site.operator, "wiki")).catalog.tools).toBe(0);
  });

  test("a reading of a worker that was changed meanwhile is not stored", async () => {
    upstream.catalog = undefined;
    await site.runtime.workers.create(site.operator, mcpWorker("wiki", upstream.uri));
    await using other = await startPlainWorker([plainTool("elsewhere")]);
    const gate = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    upstream.catalog = { tools: [plainTool("stray")], skipped: [] };
    upstream.before = () => {
      upstream.before = undefined;
      began.resolve();
      return gate.promise;
    };
    const slow = site.runtime.workers.catalogs.refresh(site.operator, "wiki");
    await began.promise;
    const moved = { mcp: { uri: other.uri }, enabled: false };
    await site.runtime.workers.update(site.operator, "wiki", moved);
    gate.resolve();
    await slow;

    expect((await site.runtime.workers.get(site.operator, "wiki")).catalog.tools).toBe(0);
    await site.runtime.workers.update(site.operator, "wiki", { enabled: true });
    expect(await offered()).toEqual(["Wiki.elsewhere"]);
  });
});
