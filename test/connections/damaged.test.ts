// Stored tokens that cannot be opened: the user must consent again, and no other user is affected.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { damageSealed } from "../support/damage";
import { agent, deploy, type Deployment, operator } from "../tools/deployment";

let deployment: Deployment;
let connection: string;
beforeEach(async () => {
  deployment = await deploy();
  await deployment.addProvider();
  connection = await deployment.give("alice", { facts: { team: "T1" } });
  await deployment.give("bob");
});
afterEach(() => deployment[Symbol.asyncDispose]());

const damage = (sealed: "sealed_tokens" | "sealed_facts") => {
  const column = { table: "connections", sealed, key: "id", kind: "connections" } as const;
  return damageSealed(deployment.runtime.core.store, column, connection);
};
const execute = (user_id: string) =>
  deployment.runtime.tools.execute(agent(), { tool_name: "Test.Call", user_id });
const listed = async () => (await deployment.runtime.connections.list(operator(), {})).items;

test.each(["sealed_tokens", "sealed_facts"] as const)(
  "damaged %s: the call asks for consent, and a new consent repairs it",
  async (sealed) => {
    await damage(sealed);

    await expect(execute("alice")).rejects.toMatchObject({ name: "tool_requirements_not_met", status: 403 });
    await execute("alice").catch(() => undefined);
    expect((await execute("bob")).success).toBe(true);
    const authorization = await deployment.runtime.tools.authorize(agent(), {
      tool_name: "Test.Call",
      user_id: "alice",
    });
    expect(authorization.status).toBe("pending");
    const alice = (await listed()).find(({ user_id }) => user_id === "alice");
    expect(alice).toMatchObject({ connection_status: "expired" });
    expect(deployment.logLines.join("\n")).toContain(connection);

    await deployment.give("alice");
    expect((await execute("alice")).success).toBe(true);
    expect(deployment.logLines.join("\n")).not.toContain("access-of-alice");
  },
);

test("a damaged token that is due is not refreshed", async () => {
  await deployment.give("alice", { expiresIn: 60 });
  deployment.clock.move(120_000);
  await damage("sealed_tokens");
  await expect(execute("alice")).rejects.toMatchObject({ name: "tool_requirements_not_met" });
  await execute("alice").catch(() => undefined);
  expect(deployment.idp.requests.length).toBe(0);
});

test("a consent that started before the damage is stored", async () => {
  await damage("sealed_tokens");
  await deployment.give("alice", { access: "new" });
  expect((await execute("alice")).success).toBe(true);
});

test("it can be deleted, and the list shows the other connections", async () => {
  await damage("sealed_tokens");
  await damage("sealed_facts");
  expect((await listed()).length).toBe(2);
  await deployment.runtime.connections.delete(operator(), connection);
  expect((await listed()).map(({ user_id }) => user_id)).toEqual(["bob"]);
});

test("a damaged client secret of the provider does not affect the user's grant", async () => {
  await deployment.give("alice", { expiresIn: 60 });
  deployment.clock.move(120_000);
  const column = {
    table: "auth_providers",
    sealed: "sealed_client_secret",
    key: "id",
    kind: "providers",
  } as const;
  await damageSealed(deployment.runtime.core.store, column, "idp");
  await execute("alice").catch(() => undefined);
  const alice = (await listed()).find(({ user_id }) => user_id === "alice");
  expect(alice?.connection_status).toBe("active");
});
