// Runs asked for ahead of time, over HTTP: the user's grant is checked when they are asked for and when they run.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../connections/executing";
import { api, at, call } from "../support/api";
import { scenarios } from "./scenario";
import { connect, databaseOf, dump, type Stage, startStage } from "./stage";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
  await connect(stage, "alice");
  await connect(stage, "bob");
});
afterAll(() => stage[Symbol.asyncDispose]());

const LATER = "2999-01-01T00:00:00";
const client = (key: keyof Stage["keys"] = "run") => api(stage.site.url, stage.keys[key]);

function send(message: string, more: object = {}) {
  return {
    tool_name: "Chat.SendMessage",
    user_id: "alice",
    input: { conversation_id: stage.site.chat.channels.general.id, message },
    run_at: LATER,
    ...more,
  };
}

async function posted(text: string): Promise<number> {
  const messages = await stage.site.chat.messages(stage.site.chat.channels.general.id);
  return messages.filter((message) => message.text === text).length;
}

describe("a scheduled message", () => {
  test("is accepted, waits, and is posted once when its time has come", async () => {
    const runAt = new Date(stage.clock.now() + 3600_000).toISOString().slice(0, 19);
    const accepted = await client().post("/v1/tools/execute", send("good morning", { run_at: runAt }));
    expect([accepted.status, accepted.body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^te_/),
        execution_id: expect.stringMatching(/^tc_/),
        execution_type: "scheduled",
        status: "pending",
        success: true,
        run_at: `${runAt}Z`,
      },
    ]);
    const path = `/v1/scheduled_tools/${String(at(accepted.body, "id"))}`;
    expect(at((await client().get(path)).body, "execution_status")).toBe("pending");
    expect(await posted("good morning")).toBe(0);

    stage.clock.move(3600_000);
    await until(async () => at((await client().get(path)).body, "execution_status") === "completed");
    const run = await client().get(path);

    expect(run.body).toMatchObject({
      tool_name: "SendMessage",
      toolkit_name: "Chat",
      user_id: "alice",
      execution_type: "scheduled",
      run_at: `${runAt}Z`,
      input: { message: "good morning" },
      attempts: [{ id: expect.stringMatching(/^ta_/), success: true }],
    });
    expect(at(run.body, "attempts.0.output.value")).toBeTruthy();
    expect(Date.parse(String(at(run.body, "started_at")))).toBeGreaterThanOrEqual(Date.parse(`${runAt}Z`));
    expect(await posted("good morning")).toBe(1);
    const byExecution = await client("read").get(
      `/v1/scheduled_tools/${String(at(accepted.body, "execution_id"))}`,
    );
    expect(byExecution.body).toEqual(run.body);
  });

  test("of a time that is past is posted as soon as possible", async () => {
    await client().post("/v1/tools/execute", send("at once", { run_at: "2020-01-01T00:00:00+02:00" }));
    await until(async () => (await posted("at once")) === 1);
  });

  test("asked for twice under one Idempotency-Key is one run", async () => {
    const ask = (message: string) =>
      call(stage.site.url, {
        method: "POST",
        path: "/v1/tools/execute",
        key: stage.keys.run,
        body: send(message, { run_at: "2020-01-01T00:00:00" }),
        headers: { "idempotency-key": "one-run" },
      });
    const [first, second] = await Promise.all([ask("one run"), ask("one run")]);
    expect(second?.text).toBe(first?.text ?? "");
    await until(async () => (await posted("one run")) === 1);
    // A worker that would run it again does so before what is due later.
    await client().post("/v1/tools/execute", send("next run", { run_at: "2020-01-02T00:00:00" }));
    await until(async () => (await posted("next run")) === 1);
    expect(await posted("one run")).toBe(1);
    expect((await ask("another")).status).toBe(400);
  });

  test("that the user has not granted is 403 and is not remembered", async () => {
    const before = dump(databaseOf(stage.site))["scheduled_runs"];
    const answer = await client().post("/v1/tools/execute", send("no", { user_id: "carol" }));
    expect([answer.status, at(answer.body, "name")]).toEqual([403, "tool_requirements_not_met"]);
    expect(at(answer.body, "message")).toContain("authorization required");
    expect(dump(databaseOf(stage.site))["scheduled_runs"]).toEqual(before);
  });
});

describe("who sees which", () => {
  let own: string;
  let foreign: string;
  beforeAll(async () => {
    own = String(at((await client().post("/v1/tools/execute", send("for alice"))).body, "id"));
    const of = send("for bob", { user_id: "bob" });
    foreign = String(at((await client().post("/v1/tools/execute", of)).body, "id"));
  });

  const seen = async (key: keyof Stage["keys"]): Promise<string[]> => {
    const { body } = await client(key).get("/v1/scheduled_tools?limit=100");
    const items = at(body, "items");
    return Array.isArray(items) ? items.map((item) => String(at(item, "id"))) : [];
  };

  test("a key sees those of its project, one that is pinned those of its users", async () => {
    expect(await seen("read")).toEqual(expect.arrayContaining([own, foreign]));
    expect(await seen("pinned")).toContain(own);
    expect(await seen("pinned")).not.toContain(foreign);
    expect(await seen("other")).toEqual([]);
  });

  test.each(["other", "pinned", "pinned read"] as const)(
    "to %s a foreign run and none are alike",
    async (key) => {
      const one = await client(key).get(`/v1/scheduled_tools/${foreign}`);
      const none = await client(key).get("/v1/scheduled_tools/te_nowhere");
      expect([one.status, one.body]).toEqual([400, none.body]);
      expect(one.text).not.toContain("bob");
    },
  );

  test("a user token sees its user's", async () => {
    const { runtime } = stage.site;
    const bob = { kind: "user", projectId: "default", userId: "bob" } as const;
    const { items, total_count } = await runtime.tools.scheduled.list(bob, {});
    expect([items.map(({ id }) => id), total_count]).toEqual([[foreign], 1]);
    expect((await runtime.tools.scheduled.get(bob, foreign)).user_id).toBe("bob");
    await expect(runtime.tools.scheduled.get(bob, own)).rejects.toThrow("no scheduled run");
  });

  test("a key that is pinned to two users sees both, newest first, page by page", async () => {
    const key = await stage.site.key("read", ["alice", "bob"]);
    const all = await api(stage.site.url, key).get("/v1/scheduled_tools?limit=2");
    expect([at(all.body, "items.0.id"), at(all.body, "items.1.id")]).toEqual([foreign, own]);
    const second = await api(stage.site.url, key).get("/v1/scheduled_tools?limit=1&offset=1");
    expect(at(second.body, "items.0.id")).toBe(own);
    expect(at(second.body, "total_count")).toBe(at(all.body, "total_count"));
    expect(at((await client("read").get("/v1/scheduled_tools")).body, "total_count")).toBe(
      at(all.body, "total_count"),
    );
  });
});

describe("what is refused", () => {
  const path = "/v1/scheduled_tools";
  scenarios(
    () => stage,
    [
      ...["limit=0", "limit=-1", "limit=2.5", "limit=abc", "offset=-1", "offset=abc"].map((query) => ({
        name: query,
        method: "GET",
        path: `${path}?${query}`,
        as: "read" as const,
        status: 400,
      })),
      { name: "no credential", method: "GET", path, status: 401, error: "invalid_authorization" },
      {
        name: "an id of another kind",
        method: "GET",
        path: `${path}/ar_x`,
        as: "read",
        status: 400,
        error: "invalid_parameter",
      },
      {
        name: "a time that is none",
        method: "POST",
        path: "/v1/tools/execute",
        as: "run",
        body: { tool_name: "Chat.WhoAmI", user_id: "alice", run_at: "s3cr3t" },
        status: 400,
        error: "invalid_parameter",
        contains: ["run_at"],
        lacks: ["s3cr3t"],
      },
      {
        name: "a larger limit is cut",
        method: "GET",
        path: `${path}?limit=1000`,
        as: "read",
        status: 200,
        fields: { limit: 100 },
      },
    ],
  );
});

describe("a cancelled run", () => {
  const cancel = (id: string, key: keyof Stage["keys"] = "run") =>
    client(key).post(`/v1/scheduled_tools/${id}/cancel`);

  test("is never posted, and keeps its entry", async () => {
    const runAt = new Date(stage.clock.now() + 3600_000).toISOString().slice(0, 19);
    const accepted = await client().post("/v1/tools/execute", send("cancelled", { run_at: runAt }));
    const id = String(at(accepted.body, "id"));

    const answer = await cancel(id);
    expect([answer.status, answer.body]).toEqual([
      200,
      expect.objectContaining({ id, execution_status: "cancelled", finished_at: expect.any(String) }),
    ]);
    expect([(await cancel(id)).status, at((await cancel(id)).body, "updated_at")]).toEqual([
      200,
      at(answer.body, "updated_at"),
    ]);

    stage.clock.move(3600_000);
    // What is due later runs after it.
    await client().post("/v1/tools/execute", send("after the cancelled one", { run_at: runAt }));
    await until(async () => (await posted("after the cancelled one")) === 1);
    expect(await posted("cancelled")).toBe(0);
    expect((await client().get(`/v1/scheduled_tools/${id}`)).body).toEqual(answer.body);
  });

  test("that has ended before is a conflict", async () => {
    const accepted = await client().post(
      "/v1/tools/execute",
      send("done", { run_at: "2020-01-01T00:00:00" }),
    );
    const id = String(at(accepted.body, "id"));
    const status = async () => at((await client().get(`/v1/scheduled_tools/${id}`)).body, "execution_status");
    await until(async () => (await status()) === "completed");

    const answer = await cancel(id);
    expect([answer.status, at(answer.body, "name"), await status()]).toEqual([409, "conflict", "completed"]);
  });

  test.each(["other", "pinned"] as const)("of another user or project is unknown to %s", async (key) => {
    const accepted = await client().post("/v1/tools/execute", send("for bob", { user_id: "bob" }));
    const id = String(at(accepted.body, "id"));
    const [foreign, none] = [await cancel(id, key), await cancel("te_nowhere", key)];

    expect([foreign.status, foreign.body]).toEqual([404, none.body]);
    expect(at((await client().get(`/v1/scheduled_tools/${id}`)).body, "execution_status")).toBe("pending");
    await cancel(id);
  });
});
