// Who does not get the stored answer of an Idempotency-Key: it is returned only to those who may still act for the user.
import { expect, test } from "bun:test";
import type { Principal } from "../../src/identity";
import { refusal } from "../connections/executing";
import { agent, deploy, type Deployment, operator } from "./deployment";

const request = (user_id: string) => ({ tool_name: "Test.Act", user_id, input: { text: "x" } });

async function ran(): Promise<{ deployment: Deployment; again(by?: Principal): Promise<unknown> }> {
  const deployment = await deploy();
  deployment.test.act = async () => "done for alice";
  const again = (by: Principal = agent()) =>
    deployment.runtime.tools.execute(by, request("alice"), { idempotencyKey: "key-1" });
  expect((await again()).success).toBe(true);
  return { deployment, again };
}

test("a suspended user is refused, and gets the answer after the end of the suspension", async () => {
  const { deployment, again } = await ran();
  await using _ = deployment;
  const { users } = deployment.runtime;
  await users.suspend(operator(), "alice");
  const refused = await refusal(again());
  await users.resume(operator(), "alice");

  expect(refused.status).toBe(403);
  expect(await again()).toMatchObject({ output: { value: "done for alice" } });
  expect(deployment.test.runs).toBe(1);
});

test("a key that was restricted to other users meanwhile is refused", async () => {
  const { deployment, again } = await ran();
  await using _ = deployment;

  expect((await refusal(again(agent(["bob"])))).status).toBe(403);
});

test("a key of a project that was deleted meanwhile is refused", async () => {
  await using deployment = await deploy();
  const { identity, tools } = deployment.runtime;
  const { id } = await identity.createProject(operator(), "second", "second");
  const record = await identity.createKey(await identity.operator(id), { name: "key", role: "run" });
  const principal = await identity.authenticate(`Bearer ${record.key}`);
  const again = () => tools.execute(principal, request("alice"), { idempotencyKey: "key-1" });
  await again();
  await identity.deleteProject(operator(), id);
  await identity.createProject(operator(), "second", "second");

  expect((await refusal(again())).status).toBeLessThan(500);
  expect(deployment.test.runs).toBe(1);
});
