// What one user or project may have pending: consents and scheduled runs. Over a cap the answer is 429, the log names the
// setting, and others are not affected.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { api, at } from "../support/api";
import { connect, databaseOf, movableClock, type Stage, startStage } from "../server/stage";
import { testOnSqlite } from "../support/on-sqlite";
import { printFigure } from "./figure";

const DAY_MS = 24 * 3600_000;
const clock = movableClock();
let stage: Stage;
beforeAll(async () => {
  stage = await startStage({
    parts: { clock },
    environment: {
      RUNTIME_LIMITS_PENDING_CONSENTS_PER_USER: "3",
      RUNTIME_LIMITS_PENDING_CONSENTS_PER_PROJECT: "8",
      RUNTIME_LIMITS_SCHEDULED_RUNS_PER_PROJECT: "4",
    },
  });
  await stage.site.addChatProvider("other");
});
afterAll(() => stage[Symbol.asyncDispose]());

function consent(user_id: string, scope: string, key: string = stage.keys.run) {
  const auth_requirement = { id: "slack", oauth2: { scopes: [scope] } };
  return api(stage.site.url, key).post("/v1/auth/authorize", { user_id, auth_requirement });
}

const count = (sql: string): number => {
  using database = new Database(databaseOf(stage.site), { readonly: true });
  return database.query<{ count: number }, []>(sql).get()?.count ?? 0;
};

function logged(setting: string): string[] {
  return stage.site.logLines.filter((line) => line.includes(`"setting":"${setting}"`));
}

describe("pending consents", () => {
  test("of one user are limited; equal requests return the same one", async () => {
    for (const scope of ["a", "b", "c"]) expect((await consent("alice", scope)).status).toBe(200);

    const refused = await consent("alice", "d");

    expect([refused.status, at(refused.body, "name")]).toEqual([429, "rate_limited"]);
    expect(at(refused.body, "message")).toContain("this user");
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(86_300, 86_401);
    expect(logged("limits.pending_consents_per_user")).toHaveLength(1);
    expect((await consent("alice", "a")).status).toBe(200);
    expect((await consent("bob", "d")).status).toBe(200);
  });

  test("of one project are limited, and those of another are not", async () => {
    // Up to eight of the project, with those of the test above.
    for (const user of ["carol", "dave", "erin", "frank", "ivan", "judy", "karl", "lena"])
      await consent(user, "a");

    const refused = await consent("grace", "a");

    expect([refused.status, at(refused.body, "name")]).toEqual([429, "rate_limited"]);
    expect(at(refused.body, "message")).toContain("this project");
    expect(logged("limits.pending_consents_per_project")).toHaveLength(1);
    expect((await consent("grace", "a", stage.keys.other)).status).toBe(200);
  });

  test("are also those of a verifier's test", async () => {
    const body = { verifier_url: "https://verifier.example/", user_id: "heidi" };
    const answer = await api(stage.site.url, stage.keys.admin).post(
      "/v1/auth/validate_custom_verifier",
      body,
    );
    expect(answer.status).toBe(429);
  });

  test("do not count once they have expired", async () => {
    clock.move(DAY_MS + 1);
    expect((await consent("alice", "d")).status).toBe(200);
    expect((await consent("grace", "a")).status).toBe(200);
  });

  testOnSqlite("that ended or expired are kept in a number that is bounded", async () => {
    for (let day = 0; day < 5; day++) {
      for (let user = 0; user < 8; user++) await consent(`user-${day}-${user}`, "a");
      clock.move(DAY_MS + 1);
    }
    const stored = count("SELECT COUNT(*) AS count FROM authorizations WHERE project_id = 'default'");
    expect(stored).toBeLessThanOrEqual(17);
    expect(
      count("SELECT value AS count FROM counters WHERE project_id = 'default' AND name = 'consents'"),
    ).toBe(stored);
  });

  testOnSqlite("take little room: scopes are stored once, and their length is limited", async () => {
    const scopes = (length: number) =>
      Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(length, "x"));
    const request = (length: number) =>
      api(stage.site.url, stage.keys.run).post("/v1/auth/authorize", {
        user_id: "large",
        auth_requirement: { id: "slack", oauth2: { scopes: scopes(length) } },
      });
    const refused = await request(81);
    expect([refused.status, at(refused.body, "name")]).toEqual([400, "invalid_parameter"]);
    const answer = await request(80);
    expect(at(answer.body, "scopes")).toEqual(scopes(80).toSorted());
    const bytes = count(
      "SELECT LENGTH(scopes) + LENGTH(needed) + LENGTH(sealed_address) AS count FROM authorizations WHERE user_id = 'large'",
    );
    expect(bytes).toBeLessThan(10_000);
    printFigure("caps", `the largest pending consent takes ${bytes} bytes`);
  });
});

test("authorizations without a grant are stored once for each user and day", async () => {
  const { runtime } = stage.site;
  const first = await runtime.authorization.createCompleted({ projectId: "default" }, "nora");
  const again = await runtime.authorization.createCompleted({ projectId: "default" }, "nora");
  clock.move(DAY_MS + 1);
  const later = await runtime.authorization.createCompleted({ projectId: "default" }, "nora");
  expect([again.id === first.id, later.id === first.id, later.status]).toEqual([true, false, "completed"]);
});

test("scheduled runs that have not ended are limited, and those of another project are not", async () => {
  await connect(stage, "alice");
  const run = (key: string, run_at: string) =>
    api(stage.site.url, key).post("/v1/tools/execute", {
      tool_name: "Chat.SendMessage",
      user_id: "alice",
      input: { channel_name: "general", message: "hello" },
      run_at,
    });
  const later = new Date(clock.now() + DAY_MS).toISOString().slice(0, 19);
  const soon = new Date(clock.now() - 1000).toISOString().slice(0, 19);
  for (let index = 0; index < 3; index++) expect((await run(stage.keys.run, later)).status).toBe(200);
  const { body } = await run(stage.keys.run, soon);

  // One that has run makes room.
  const path = `/v1/scheduled_tools/${String(at(body, "id"))}`;
  for (let tries = 0; tries < 1000; tries++) {
    const { body: shown } = await api(stage.site.url, stage.keys.run).get(path);
    if (at(shown, "finished_at") !== undefined) break;
    await Bun.sleep(10);
  }
  expect((await run(stage.keys.run, later)).status).toBe(200);

  const refused = await run(stage.keys.run, later);
  expect([refused.status, at(refused.body, "name")]).toEqual([429, "rate_limited"]);
  expect(refused.headers.get("retry-after")).toBe("60");
  expect(logged("limits.scheduled_runs_per_project")).toHaveLength(1);
});
