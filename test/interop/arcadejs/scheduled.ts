// Scheduled runs with the public client.
import { BadRequestError } from "@arcadeai/arcadejs";
import { describe, expect, test } from "bun:test";
import { clientOf, refusal } from "./client";
import type { World } from "./world";

const MOST_TRIES = 200;

export function scheduledRuns(world: () => World): void {
  describe("the public client schedules", () => {
    test("a run that is due, follows it to its end, and finds it in the list", async () => {
      await world().connect("planner");
      const client = clientOf(world().site.url, world().keys.run);
      const accepted = await client.tools.execute({
        tool_name: "Chat.WhoAmI",
        user_id: "planner",
        run_at: "2020-01-01T00:00:00",
      });
      expect(accepted).toMatchObject({ execution_type: "scheduled", status: "pending", success: true });

      const id = accepted.id ?? "";
      let run = await client.tools.scheduled.get(id);
      for (let tries = 0; run.execution_status !== "completed" && tries < MOST_TRIES; tries++) {
        await Bun.sleep(50);
        run = await client.tools.scheduled.get(id);
      }
      expect(run).toMatchObject({
        id,
        tool_name: "WhoAmI",
        toolkit_name: "Chat",
        execution_status: "completed",
      });
      expect(run.attempts).toHaveLength(1);
      expect(run.attempts?.[0]).toMatchObject({ success: true, output: { value: { username: "alice" } } });
    });

    test("many runs, and pages through their list, newest first", async () => {
      await world().connect("planner");
      const client = clientOf(world().site.url, world().keys.run);
      const accepted: string[] = [];
      for (let count = 0; count < 7; count++) {
        const request = { tool_name: "Chat.WhoAmI", user_id: "planner", run_at: "2999-01-01T00:00:00Z" };
        accepted.unshift((await client.tools.execute(request)).id ?? "");
      }

      const listed: string[] = [];
      for await (const { id } of client.tools.scheduled.list({ limit: 3 })) listed.push(id ?? "");
      expect(listed.slice(0, 7)).toEqual(accepted);
      expect(new Set(listed).size).toBe(listed.length);
    });

    test("but gets an error for an unknown id", async () => {
      const client = clientOf(world().site.url, world().keys.run);
      expect(await refusal(client.tools.scheduled.get("te_unknown"))).toBeInstanceOf(BadRequestError);
    });
  });
}
