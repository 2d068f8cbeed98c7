// A project whose scheduled runs hang must not keep the runs of other projects from starting.
import { describe, expect, test } from "bun:test";
import { inTurn, Places } from "../../src/base";
import { dueProjects, dueRunsOf } from "../../src/tools/schedule/due-repository";
import { deploy, type Deployment, operator } from "../tools/deployment";
import { schedule } from "../tools/schedule/scheduling";
import { printFigure } from "./figure";

/** Long enough for a busy machine. */
async function soon(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 3000; tries++) {
    if (await holds()) return;
    await Bun.sleep(5);
  }
  throw new Error("it did not happen in time");
}

interface Work extends AsyncDisposable {
  /** Runs that have started, by project. */
  readonly started: Map<string, number>;
  /** By project: how long after its time the first run started, ms. */
  readonly delays: Map<string, number>;
}

/** Runs with the text `hang PROJECT` do not end before the end of the test. */
function working({ runtime, clock, test: catalog }: Deployment): Work {
  const started = new Map<string, number>();
  const delays = new Map<string, number>();
  const end = Promise.withResolvers<null>();
  catalog.act = async ({ text }) => {
    const [how, project = "", due] = String(text).split(" ");
    started.set(project, (started.get(project) ?? 0) + 1);
    if (due !== undefined) delays.set(project, clock.now() - Date.parse(`${due}Z`));
    return how === "hang" ? end.promise : null;
  };
  const worker = runtime.tools.startWorker();
  return {
    started,
    delays,
    [Symbol.asyncDispose]: async () => {
      end.resolve(null);
      await worker.stop();
    },
  };
}

async function projects({ runtime }: Deployment, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `project-${index}`);
  for (const id of ids) await runtime.identity.createProject(operator(), id, id);
  return ids;
}

async function hang({ runtime }: Deployment, project: string, count: number): Promise<void> {
  const input = { text: `hang ${project}` };
  for (let index = 0; index < count; index += 100) {
    const some = Array.from({ length: Math.min(100, count - index) }, () =>
      schedule(runtime, { input, principal: operator(project) }),
    );
    await Promise.all(some);
  }
}

test("1,000 hanging runs of one project: the runs of nine others start at their time", async () => {
  await using deployment = await deploy();
  const { runtime, clock } = deployment;
  const [first = "", ...others] = await projects(deployment, 10);
  await hang(deployment, first, 1000);
  await using work = working(deployment);
  await soon(() => work.started.get(first) === 20);

  const at = new Date(clock.now() + 1000).toISOString().slice(0, 23);
  const dues = others.map((project) => {
    const input = { text: `end ${project} ${at}` };
    return schedule(runtime, { input, at: `${at}Z`, principal: operator(project) });
  });
  await Promise.all(dues);
  await soon(() => others.every((project) => work.started.get(project) === 1));

  expect(work.started.get(first)).toBe(20);
  const slowest = Math.max(...work.delays.values());
  printFigure("starvation", `1,000 hanging runs: nine others started at most ${slowest} ms after their time`);
});

test("also if the runs of six projects hang", async () => {
  await using deployment = await deploy();
  const all = await projects(deployment, 7);
  const last = all.pop() ?? "";
  for (const project of all) await hang(deployment, project, 30);
  await using work = working(deployment);
  const total = () => [...work.started.values()].reduce((sum, count) => sum + count, 0);
  await soon(() => total() === 100);

  await schedule(deployment.runtime, { input: { text: `end ${last}` }, principal: operator(last) });
  await soon(() => work.started.get(last) === 1);

  expect(total()).toBe(101);
});

test("a project uses the places that its ended runs leave", async () => {
  await using deployment = await deploy();
  const { runtime } = deployment;
  await using work = working(deployment);
  for (let index = 0; index < 60; index++) await schedule(runtime, { input: { text: "end default" } });
  await soon(() => work.started.get("default") === 60);
  expect(work.started.get("default")).toBe(60);
});

describe("due runs", () => {
  test("of many projects are found project by project, beginning after the last one", async () => {
    await using deployment = await deploy();
    const { runtime, clock } = deployment;
    const ids = await projects(deployment, 5);
    for (const project of ids) await hang(deployment, project, 3);
    const later = new Date(clock.now() + 3600_000).toISOString();
    await schedule(runtime, { at: later });
    const { store } = runtime.core;

    expect(await dueProjects(store, clock.now(), "project-2", 10)).toEqual([
      "project-3",
      "project-4",
      "project-0",
      "project-1",
      "project-2",
    ]);
    expect(await dueProjects(store, clock.now(), "", 2)).toEqual(["project-0", "project-1"]);
    const runs = await dueRunsOf(store, "project-3", clock.now(), 2);
    expect(runs.map(({ project_id }) => project_id)).toEqual(["project-3", "project-3"]);
  });

  test("are taken in turn", () => {
    expect(inTurn([["a1", "a2", "a3"], ["b1"], [], ["c1", "c2"]])).toEqual([
      "a1",
      "b1",
      "c1",
      "a2",
      "c2",
      "a3",
    ]);
    expect(inTurn([])).toEqual([]);
  });
});

describe("places", () => {
  test("are limited for each project and together, and each project has one", () => {
    const places = new Places({ total: 3, share: 2 });
    const taken = ["a", "a", "a", "b", "b", "c", "c"].map((project) => places.take(project));
    expect(taken).toEqual([true, true, false, true, false, true, false]);
    expect(places.roomOf("a")).toBe(0);
  });

  test("can be taken again", () => {
    const places = new Places({ total: 1, share: 1 });
    expect([places.take("a"), places.take("a")]).toEqual([true, false]);
    places.release("a");
    expect([places.take("a"), places.roomOf("b")]).toEqual([true, 1]);
  });
});

test("health checks of 30 plugins of one project that hang: those of another project are done first", async () => {
  const end = Promise.withResolvers<void>();
  const asked: string[] = [];
  await using server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async ({ url }) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      if (pathname === "/hang") await end.promise;
      return Response.json({ status: "healthy" });
    },
  });
  await using deployment = await deploy();
  const { runtime } = deployment;
  const [first = "", second = ""] = await projects(deployment, 2);
  let priority = 0;
  const plugin = (project: string, path: string) => {
    const endpoint = {
      url: `${server.url.href}pre`,
      phase: "before",
      failure_mode: "fail_closed",
      priority: ++priority,
    } as const;
    return runtime.plugins.create(operator(project), {
      name: `plugin ${priority}`,
      plugin_type: "webhook",
      status: "active",
      webhook_config: {
        auth: { type: "bearer", token: "t" },
        health_check_path: `${server.url.origin}${path}`,
        endpoints: { pre: endpoint },
      },
    });
  };
  for (let index = 0; index < 30; index++) await plugin(first, "/hang");
  for (let index = 0; index < 3; index++) await plugin(second, "/fine");

  const polled = runtime.pluginHealth.poll();
  await soon(() => asked.filter((path) => path === "/fine").length === 3);
  expect(asked.filter((path) => path === "/hang").length).toBeLessThanOrEqual(5);
  end.resolve();
  await polled;
  expect(asked.filter((path) => path === "/hang")).toHaveLength(30);
});
