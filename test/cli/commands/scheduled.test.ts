// Scheduled runs, on the data folder of a server whose clock the test moves.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../connections/executing";
import { connect, type Stage, startStage } from "../../server/stage";
import { at } from "../../support/api";
import { jsonOf, newTerminal } from "../support/fake-io";

const HOUR_MS = 3600_000;

let stage: Stage;
let run: ReturnType<typeof newTerminal>["run"];
beforeAll(async () => {
  stage = await startStage();
  await connect(stage, "alice");
  run = newTerminal({ ...stage.site.environment }).run;
});
afterAll(() => stage[Symbol.asyncDispose]());

function send(message: string, runAt: string, ...more: string[]) {
  const what = ["Chat.SendMessage", "--user", "alice", "--channel_name", "general", "--message", message];
  return run(["tools", "exec", ...what, "--run-at", runAt, ...more]);
}

/** By the clock of the server, which earlier tests have moved. */
const inAnHour = () => new Date(stage.clock.now() + HOUR_MS).toISOString().slice(0, 19) + "Z";

describe("tools exec --run-at", () => {
  test("schedules the run, and a server runs it at its time", async () => {
    const runAt = inAnHour();
    const { code, stdout, stderr } = await send("later than now", runAt);
    const id = /te_\w+/.exec(stdout)?.[0] ?? "";
    expect([code, id.slice(0, 3)]).toEqual([0, "te_"]);
    expect(stderr).toContain(`It runs at ${runAt} if a server is running.`);
    expect(stderr).toContain(`runtime scheduled show ${id}`);
    expect((await run(["scheduled", "list", "-o", "name"])).stdout).toBe(`${id}\n`);
    expect((await run(["scheduled", "show", id])).stdout).toContain("pending");

    stage.clock.move(HOUR_MS);
    const shown = () => run(["scheduled", "show", id, "-o", "json"]);
    await until(async () => at(jsonOf(await shown()), "finished_at") !== undefined);

    expect(jsonOf(await shown())).toMatchObject({
      execution_status: "completed",
      attempts: [{ success: true }],
    });
    const lines = (await run(["scheduled", "show", id])).stdout;
    expect(lines).toContain("Chat.SendMessage@");
    expect(lines).toContain("succeeded:");
    expect((await stage.site.chat.messages(stage.site.chat.channels.general.id)).at(-1)?.text).toBe(
      "later than now",
    );
  });

  test("rejects an invalid time and schedules nothing", async () => {
    const before = (await run(["scheduled", "list", "-o", "json"])).stdout;
    const { code, stderr } = await send("x", "tomorrow");
    expect([code, stderr.includes("--run-at takes a time such as")]).toEqual([2, true]);
    expect((await run(["scheduled", "list", "-o", "json"])).stdout).toBe(before);
  });

  test.each([
    ["2099-01-31T09:30:00", "--run-at needs a time zone: 2099-01-31T09:30:00Z for UTC"],
    ["2099-01-31", "--run-at needs a time zone"],
    ["2099-02-30T09:30:00Z", "--run-at takes a time such as"],
    ["2020-01-31T09:30:00+01:00", "--run-at is in the past: 2020-01-31T08:30:00.000Z"],
  ])("rejects %s and schedules nothing", async (runAt, message) => {
    const before = (await run(["scheduled", "list", "-o", "json"])).stdout;
    const { code, stdout, stderr } = await send("x", runAt);

    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect((await run(["scheduled", "list", "-o", "json"])).stdout).toBe(before);
  });

  test("takes a time that passed less than a minute ago", async () => {
    const runAt = `${new Date(Date.now() - 30_000).toISOString().slice(0, 19)}Z`;

    expect((await send("almost now", runAt)).code).toBe(0);
  });
});

describe("scheduled cancel", () => {
  test("cancels a run by either of its ids, and again without harm", async () => {
    const accepted = jsonOf(await send("never", "2099-01-31T09:30:00Z", "-o", "json"));
    const id = String(at(accepted, "id"));

    const cancelled = await run(["scheduled", "cancel", String(at(accepted, "execution_id")), "-o", "json"]);
    expect(jsonOf(cancelled)).toMatchObject({ id, execution_status: "cancelled", attempts: [] });
    expect(cancelled.stderr).toContain("cancelled");
    expect((await run(["scheduled", "cancel", id, "-o", "name"])).stdout).toBe(`${id}\n`);
    expect((await run(["scheduled", "list"])).stdout).toMatch(new RegExp(`cancelled +${id}`));
  });

  test("of an unknown run exits 3", async () => {
    const ran = await run(["scheduled", "cancel", "te_none"]);

    expect([ran.code, ran.stdout]).toEqual([3, ""]);
  });
});

test("shows the reason of a failed run", async () => {
  const { stdout } = await send("never", inAnHour());
  const id = /te_\w+/.exec(stdout)?.[0] ?? "";
  const connection = (await run(["connections", "list", "-o", "name"])).stdout.trim();
  await run(["connections", "delete", connection, "--yes"]);
  stage.clock.move(HOUR_MS);
  await until(async () => (await run(["scheduled", "show", id])).stdout.includes("failed:"));
  expect((await run(["scheduled", "show", id])).stdout).toContain("authorization required");
});
