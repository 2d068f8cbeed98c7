// The cache of connections: a change by any process takes effect.
import { describe, expect, test } from "bun:test";
import { query, run, touch } from "../../src/store";
import { deploy, type Deployment, idpRecord, operator } from "../tools/deployment";
import { call, refusal } from "./executing";

const BREAK_TOKENS = query<never>("UPDATE connections SET sealed_tokens = 'v1.gone.x'");

/** alice has a grant that the runtime has used. A second runtime represents another process. */
async function used(): Promise<Deployment & { id: string }> {
  const deployment = await deploy();
  await deployment.addProvider();
  const id = await deployment.give("alice", { access: "first" });
  expect((await call(deployment.runtime, "alice")).success).toBe(true);
  return Object.assign(deployment, { id });
}

describe("a cached connection", () => {
  test("that another process deletes is not used by the next call", async () => {
    await using deployment = await used();
    const other = await deployment.another();
    await other.connections.delete(operator(), deployment.id);

    expect(await refusal(call(deployment.runtime, "alice"))).toMatchObject({ status: 403 });
  });

  test("whose user consents again in another process gives the new token", async () => {
    await using deployment = await used();
    const other = await deployment.another();
    await other.connections.delete(operator(), deployment.id);
    await deployment.give("alice", { access: "second" });
    await call(deployment.runtime, "alice");

    expect(deployment.platform.tokens()).toEqual(["first", "second"]);
  });

  test("of a provider that is deleted and created again with the same id is not used", async () => {
    await using deployment = await used();
    const other = await deployment.another();
    await other.providers.delete(operator(), "idp");
    await other.providers.create(operator(), idpRecord(deployment.idp) as never);

    expect(await refusal(call(deployment.runtime, "alice"))).toMatchObject({ status: 403 });
  });

  test("of a project that is deleted and created again with the same id is not used", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await runtime.identity.createProject(operator(), "second", "Second");
    await deployment.addProvider({}, "second");
    await deployment.give("alice", { project: "second" });
    expect((await call(runtime, "alice", "Test.Call", "second")).success).toBe(true);
    const other = await deployment.another();
    await other.identity.deleteProject(operator(), "second");
    await other.identity.createProject(operator(), "second", "Second");
    await deployment.addProvider({}, "second");

    expect(await refusal(call(runtime, "alice", "Test.Call", "second"))).toMatchObject({ status: 403 });
  });

  test("is not used for another user, provider or project", async () => {
    await using deployment = await used();
    await deployment.addProvider({ id: "other" });
    await deployment.runtime.identity.createProject(operator(), "second", "Second");
    await deployment.addProvider({}, "second");

    for (const [user, tool, project] of [
      ["bob", "Test.Call", "default"],
      ["alice idp", "Test.Call", "default"],
      ["alice", "Test.Other", "default"],
      ["alice", "Test.Call", "second"],
    ] as const)
      expect(await refusal(call(deployment.runtime, user, tool, project))).toMatchObject({ status: 403 });
  });

  test("has a state that needs no opened token", async () => {
    await using deployment = await used();
    const { runtime } = deployment;
    await runtime.core.store.write(function* () {
      yield* run(BREAK_TOKENS);
      yield* touch("connections");
    });

    expect(await runtime.connections.userInfo("default", deployment.id)).toBeUndefined();
    expect(await runtime.authorization.status(operator(), deployment.id)).toMatchObject({
      status: "completed",
    });
    // A call that needs the token itself finds it damaged, and asks the user to consent.
    expect(await refusal(call(runtime, "alice"))).toMatchObject({ status: 403 });
  });

  test("cannot be changed by a tool for the next call", async () => {
    await using deployment = await used();
    const provider = await deployment.runtime.providers.find("default", "idp");
    const grant =
      provider === undefined
        ? undefined
        : await deployment.runtime.connections.grant("default", "alice", provider);

    expect([Object.isFrozen(grant), Object.isFrozen(grant?.scopes), Object.isFrozen(grant?.facts)]).toEqual([
      true,
      true,
      true,
    ]);
  });
});
