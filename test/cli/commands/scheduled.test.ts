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

function send(message: string, runAt: string) {
  const what = ["Chat.SendMessage", "--user", "alice", "--channel_name", "general", "--message", message];
  return run(["tools", "exec", ...what, "--run-at", runAt]);
}

const inAnHour = () => new Date(Date.now() + HOUR_MS).toISOString().slice(0, 19);

describe("tools exec --run-at", () => {
  test("schedules the run, and a server runs it at its time", async () => {
    const runAt = inAnHour();
    const { code, stdout, stderr } = await send("later than now", runAt);
    const id = /te_\w+/.exec(stdout)?.[0] ?? "";
    expect([code, id.slice(0, 3)]).toEqual([0, "te_"]);
    expect(stderr).toContain(`It runs at ${runAt}Z if a server is running.`);
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
    expect([code, stderr.includes("run_at must be a date and time")]).toEqual([1, true]);
    expect((await run(["scheduled", "list", "-o", "json"])).stdout).toBe(before);
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
