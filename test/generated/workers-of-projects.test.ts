// Two projects have workers with the same ids: each sees and calls its own only. That no answer shows anything of the other
// project, or a secret of a worker, is checked with every answer (world.ts); so is that no request bears the other's secret.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { at } from "../support/api";
import { found } from "../support/canaries";
import { secretOf } from "./project-workers";
import { type Project, startWorld, USER, type World, WORKER_TOOL_NAMES } from "./world";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const projects = (): Project[] => [world.own, world.other];
const get = (project: Project, path: string) => world.send({ method: "GET", path, key: project.admin });
const post = (project: Project, path: string, body: object = {}) =>
  world.send({ method: "POST", path, key: project.admin, body });
const run = (project: Project, tool_name: string) =>
  post(project, "/v1/tools/execute", {
    tool_name,
    user_id: USER,
    input: tool_name.endsWith(".Send") ? { message: "Hello" } : {},
  });

test.each(["peer", "web"])("records, health, tools, comparisons and formats of %s", async (id) => {
  const toolkit = id === "peer" ? "Peer" : "Web";
  for (const project of projects()) {
    for (const path of [`/v1/workers/${id}/tools`, `/v1/tools?toolkit=${toolkit}`])
      expect((await get(project, path)).text).toContain(project.mark);
    for (const format of ["openai", "mcp"]) {
      const { text } = await get(project, `/v1/formatted_tools?toolkit=${toolkit}&format=${format}`);
      expect(text).toContain(project.mark);
    }
    for (const path of ["", "/health", "/diff"])
      expect((await get(project, `/v1/workers/${id}${path}`)).status).toBe(200);
    expect((await post(project, `/v1/workers/${id}/refresh`)).status).toBe(200);
    expect((await post(project, `/v1/workers/${id}/accept`)).status).toBe(200);
  }
});

test("calls reach the worker of the caller's project", async () => {
  for (const project of projects()) {
    for (const { workers } of projects()) for (const one of [workers.peer, workers.web]) one.calls.length = 0;
    for (const tool of WORKER_TOOL_NAMES)
      expect([tool, at((await run(project, tool)).body, "success")]).toEqual([tool, true]);
    const called = projects().map(({ workers }) => [workers.peer.calls.length, workers.web.calls.length]);
    expect(called).toEqual(
      project === world.own
        ? [
            [2, 2],
            [0, 0],
          ]
        : [
            [0, 0],
            [2, 2],
          ],
    );
  }
});

test("what one project does to its worker changes nothing of the other's", async () => {
  for (const id of ["peer", "web"]) {
    const path = `/v1/workers/${id}`;
    const disabled = await world.send({
      method: "PATCH",
      path,
      key: world.own.admin,
      body: { enabled: false },
    });
    expect(disabled.status).toBe(200);
    const tool = id === "peer" ? "Peer.Send" : "Web.Send";
    expect((await run(world.own, tool)).status).toBe(400);
    expect(at((await run(world.other, tool)).body, "success")).toBe(true);
    await world.send({ method: "PATCH", path, key: world.own.admin, body: { enabled: true } });
    expect(at((await run(world.own, tool)).body, "success")).toBe(true);
  }
});

test("the secrets of the workers are in no export, audit entry and log line", async () => {
  const secrets = { own: secretOf("default"), other: secretOf("other") };
  for (const project of projects()) {
    for (const path of ["/v1/admin/manifest", "/v1/admin/audit?limit=100"])
      expect([path, (await get(project, path)).status]).toEqual([path, 200]);
  }
  expect(found(secrets, world.logLines.join("\n"))).toEqual([]);
});
