// A plugin whose credentials cannot be opened fails like a webhook that does not answer: the failure mode applies, and other
// plugins are not affected.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { at } from "../support/api";
import { damageSealed } from "../support/damage";
import { operator } from "../tools/deployment";
import { execute, type Hooked, hooked } from "./hooked";
import { json } from "./webhook-peer";

const CREDENTIALS = { table: "plugins", sealed: "sealed_credentials", key: "id", kind: "hooks" } as const;
const AUTH = { auth: { type: "bearer" as const, token: "webhook-CANARY" } };

let stage: Hooked;
beforeAll(async () => {
  stage = await hooked();
  stage.project.respond = ({ path }, response) =>
    json(response, 200, path === "health" ? { status: "healthy" } : { code: "OK" });
});
afterAll(() => stage[Symbol.asyncDispose]());

const plugins = () => stage.deployment.runtime.plugins;
const damage = (id: string) => damageSealed(stage.deployment.runtime.core.store, CREDENTIALS, id);
const retire = (id: string) => plugins().update(operator(), id, { status: "inactive" });
let priority = 0;
const broken = async (mode: "fail_open" | "fail_closed", more: object = {}): Promise<string> => {
  const webhook = { ...AUTH, ...more };
  const { id } = await stage.plugin({ points: ["pre"], failure_mode: mode, webhook, priority: ++priority });
  await damage(id);
  return id;
};

describe("a plugin whose credentials are damaged", () => {
  test("lets calls pass if its failure mode is fail_open, and logs the reason", async () => {
    const id = await broken("fail_open");
    stage.platformCalls();
    stage.project.asked.length = 0;
    const { status, success } = await execute(stage);
    expect([status, success, stage.platformCalls(), stage.project.asked.length]).toEqual([200, true, 1, 0]);
    const lines = stage.deployment.logLines.filter((line) => line.includes(id));
    expect(lines.join("\n")).toContain("its credentials cannot be opened; fail_open");
    await retire(id);
  });

  test("stops calls if its failure mode is fail_closed, like one that does not answer", async () => {
    const id = await broken("fail_closed");
    stage.platformCalls();
    const { status, success, kind } = await execute(stage);
    expect([status, success, kind]).toEqual([200, false, "CONTEXT_CHECK_FAILED"]);
    expect(stage.platformCalls()).toBe(0);
    await retire(id);
    expect((await execute(stage)).success).toBe(true);
  });

  test("can be deactivated, and works again with new credentials", async () => {
    const id = await broken("fail_closed");
    await retire(id);
    expect((await execute(stage)).success).toBe(true);
    await plugins().update(operator(), id, {
      status: "active",
      webhook_config: { auth: { token: "webhook-CANARY-2" } },
    });
    stage.project.asked.length = 0;
    expect((await execute(stage)).success).toBe(true);
    expect(stage.project.asked.map(({ headers }) => headers["authorization"])).toEqual([
      "Bearer webhook-CANARY-2",
    ]);
    await retire(id);
  });

  test("does not affect the health check of others; a plugin test reports it", async () => {
    const bad = await broken("fail_open", { health_check_path: "/health" });
    const { id: good } = await stage.plugin({
      points: ["pre"],
      webhook: { ...AUTH, health_check_path: "/health" },
      priority: ++priority,
    });
    await stage.deployment.runtime.pluginHealth.poll();
    const health = async (id: string) => (await plugins().get(operator(), id)).health_status;
    expect([await health(bad), await health(good)]).toEqual(["unhealthy", "healthy"]);
    const { body } = await stage.admin.post(`/v1/plugins/${bad}/test`, {});
    expect([at(body, "ok"), at(body, "results.0.reason")]).toEqual([
      false,
      "its credentials cannot be opened",
    ]);
    for (const id of [bad, good]) await retire(id);
  });
});
