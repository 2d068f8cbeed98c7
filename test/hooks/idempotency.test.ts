// Calls with an Idempotency-Key that hooks stop: a call that was not run can be repeated with the same key.
import { expect, test } from "bun:test";
import { agent } from "../tools/deployment";
import { hooked } from "./hooked";

test.each<[string, (path: string) => unknown, string]>([
  [
    "at access gives no answer",
    (path) => (path === "access" ? "maybe" : { code: "OK" }),
    "CONTEXT_CHECK_FAILED",
  ],
  ["at pre gives no answer", (path) => (path === "access" ? {} : "maybe"), "CONTEXT_CHECK_FAILED"],
  [
    "says that it is too often",
    (path) => (path === "access" ? {} : { code: "RATE_LIMIT_EXCEEDED" }),
    "CONTEXT_",
  ],
])("a hook that %s does not use up the key", async (_what, trouble, kind) => {
  await using stage = await hooked();
  await stage.plugin({ points: ["access", "pre"] });
  const request = { tool_name: "Test.Call", user_id: "alice", input: {} };
  const call = () => stage.deployment.runtime.tools.execute(agent(), request, { idempotencyKey: "key-1" });
  stage.project.respond = ({ path }) => trouble(path);
  const held = await call();
  const calls = stage.platformCalls();
  stage.project.respond = ({ path }) => (path === "access" ? {} : { code: "OK" });
  const ran = await call();

  expect([held.success, calls]).toEqual([false, 0]);
  expect(held.output?.error?.kind).toStartWith(kind);
  expect([ran.success, stage.platformCalls()]).toEqual([true, 1]);
  expect(await call()).toEqual(ran);
});

test("a withheld result was a run, so its answer is stored under the key", async () => {
  await using stage = await hooked();
  await stage.plugin({ points: ["post"] });
  const request = { tool_name: "Test.Call", user_id: "alice", input: {} };
  const call = () => stage.deployment.runtime.tools.execute(agent(), request, { idempotencyKey: "key-1" });
  stage.project.respond = () => "maybe";
  const held = await call();
  stage.project.respond = () => ({ code: "OK" });

  expect(await call()).toEqual(held);
  expect(stage.platformCalls()).toBe(1);
});

test("a stored answer is returned although the tool is hidden from the user now", async () => {
  await using stage = await hooked();
  const request = { tool_name: "Test.Call", user_id: "alice", input: {} };
  const call = (idempotencyKey: string) =>
    stage.deployment.runtime.tools.execute(agent(), request, { idempotencyKey });
  const ran = await call("key-1");
  await stage.plugin({ points: ["access"] });
  stage.project.respond = () => ({ deny: { Test: { tools: { Call: [] } } } });
  const others = await call("key-2").catch((error: unknown) => error);

  expect(await call("key-1")).toEqual(ran);
  expect(others).toMatchObject({ name: "tool_not_found" });
  expect(stage.platformCalls()).toBe(1);
});
