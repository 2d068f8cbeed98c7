// Requests that wait: one credential may have a number of long polls, and one project a number of calls.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Type } from "typebox";
import { defineTool } from "../../src/tools";
import { listen } from "../mcp/listener";
import { client, startMcpSite } from "../mcp/site";
import { api, at } from "../support/api";
import { type Stage, startConsent, startStage } from "../server/stage";
import { printFigure } from "./figure";

const end = Promise.withResolvers<string>();
let running = 0;
const catalog = {
  toolkit: { name: "Slow", description: "Tools that hang.", version: "1.0.0" },
  bases: {},
  tools: [
    defineTool({
      name: "Hang",
      description: "Ends with the test.",
      input: Type.Object({}),
      output: Type.Unknown(),
      metadata: {
        behavior: {
          operations: ["read"],
          read_only: true,
          destructive: false,
          idempotent: true,
          open_world: true,
        },
      },
      run: () => {
        running += 1;
        return end.promise;
      },
    }),
  ],
};

let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    moreCatalogs: [catalog],
    environment: { RUNTIME_LIMITS_LONG_POLLS_PER_KEY: "3", RUNTIME_LIMITS_CALLS_PER_PROJECT: "4" },
  });
});
afterAll(() => stage[Symbol.asyncDispose]());

const setting = (name: string): string[] =>
  stage.site.logLines.filter((line) => line.includes(`"setting":"${name}"`));

test("long polls of one credential are limited; others, and those after some have ended, are not", async () => {
  const { id } = await startConsent(stage);
  const path = `${stage.site.url}/v1/auth/status?id=${id}`;
  const poll = (key: string, wait: number, signal?: AbortSignal) =>
    fetch(`${path}&wait=${wait}`, { headers: { authorization: key }, signal: signal ?? null });
  const leave = new AbortController();
  const open = Array.from({ length: 3 }, () => poll(stage.keys.run, 50, leave.signal).catch(() => undefined));
  // The fourth is refused once the others have arrived.
  let refused = await poll(stage.keys.run, 1);
  while (refused.status === 200) refused = await poll(stage.keys.run, 1);
  const body: unknown = await refused.json();

  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
  expect(body).toMatchObject({ name: "rate_limited" });
  expect(setting("limits.long_polls_per_key")).toHaveLength(1);
  expect((await poll(stage.keys.admin, 0)).status).toBe(200);
  expect((await api(stage.site.url, stage.keys.run).get("/v1/tools?limit=1")).status).toBe(200);

  leave.abort();
  await Promise.all(open);
  let again = await poll(stage.keys.run, 0);
  while (again.status === 429) again = await poll(stage.keys.run, 0);
  expect(again.status).toBe(200);
  printFigure(
    "long-poll exhaustion",
    "polls over the cap of a key refused; other keys and other requests served",
  );
});

test.each(["legacy", "modern"] as const)(
  "streams of a %s client are limited for each key and for the server, and count until they end",
  async (family) => {
    const limits = { RUNTIME_LIMITS_STREAMS_PER_KEY: "3", RUNTIME_LIMITS_STREAMS: "5" };
    await using made = await startMcpSite({ environment: limits });
    const url = await made.gateway("team");
    const [one, other] = [await made.key(), await made.key()];
    const stream = (key: string) => listen(family, url, { key, user: "alice" });
    const opened = [
      await stream(one),
      await stream(one),
      await stream(one),
      await stream(other),
      await stream(other),
    ];
    expect(opened.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200]);

    const refusals = [await (await stream(one)).response.json(), await (await stream(other)).response.json()];
    expect(refusals).toMatchObject([
      { name: "rate_limited", message: expect.stringContaining("limits.streams_per_key") },
      { name: "rate_limited", message: expect.stringContaining("limits.streams)") },
    ]);
    expect((await client(url, { key: one, user: "alice" })[family]("tools/list")).status).toBe(200);
    await opened[0]?.close();
    let again = await stream(other);
    while (again.response.status === 429) again = await stream(other);
    expect(again.response.status).toBe(200);
    for (const each of [...opened, again]) await each.close();
    printFigure(
      "long-poll exhaustion",
      `${family} streams over the caps of a key and of the server refused; lists served`,
    );
  },
);

test("calls of one project are limited, also at its gateways; those of another are not", async () => {
  const admin = api(stage.site.url, stage.keys.admin);
  const gateway = { name: "Slow", slug: "slow", auth_type: "arcade_header" };
  await admin.post("/v1/orgs/default/projects/default/gateways", gateway);
  const call = (key: string) =>
    api(stage.site.url, key).post("/v1/tools/execute", {
      tool_name: "Slow.Hang",
      user_id: "alice",
      input: {},
    });
  const mcp = () =>
    fetch(`${stage.site.url}/mcp/slow`, {
      method: "POST",
      headers: {
        authorization: stage.keys.run,
        "x-user-id": "alice",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2025-06-18",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "Slow_Hang", arguments: {} },
      }),
    });
  const calls = Array.from({ length: 4 }, () => call(stage.keys.run));
  while (running < 4) await Bun.sleep(5);

  const refused = await call(stage.keys.admin);
  expect([refused.status, at(refused.body, "name")]).toEqual([429, "rate_limited"]);
  expect((await mcp()).status).toBe(429);
  expect(setting("limits.calls_per_project")).toHaveLength(1);
  const other = call(stage.keys.other);
  while (running < 5) await Bun.sleep(5);

  end.resolve("done");
  const answers = await Promise.all([...calls, other]);
  expect(answers.map(({ body }) => at(body, "output.value"))).toEqual(Array(5).fill("done"));
  expect(at((await call(stage.keys.run)).body, "output.value")).toBe("done");
  expect((await mcp()).status).not.toBe(429);
});
