// What is kept of connections between calls: it counts only while nothing has changed, whoever changed it.
import { describe, expect, test } from "bun:test";
import { query, run, touch } from "../../src/store";
import { deploy, type Deployment, idpRecord, operator } from "../tools/deployment";
import { call, refusal } from "./executing";

const BREAK_TOKENS = query<never>("UPDATE connections SET sealed_tokens = 'v1.gone.x'");

/** alice has a grant, and the runtime has used it. A second runtime stands for another process. */
async function used(): Promise<Deployment & { id: string }> {
  const deployment = await deploy();
  await deployment.addProvider();
  const id = await deployment.give("alice", { access: "first" });
  expect((await call(deployment.runtime, "alice")).success).toBe(true);
  return Object.assign(deployment, { id });
}

describe("a connection that was used before", () => {
  test("and is deleted by another process is gone for the next call", async () => {
    await using deployment = await used();
    const other = await deployment.another();
    await other.connections.delete(operator(), deployment.id);

    expect(await refusal(call(deployment.runtime, "alice"))).toMatchObject({ status: 403 });
  });

  test("and whose user consents anew elsewhere is called with the new token", async () => {
    await using deployment = await used();
    const other = await deployment.another();
    await other.connections.delete(operator(), deployment.id);
    await deployment.give("alice", { access: "second" });
    await call(deployment.runtime, "alice");

    expect(deployment.platform.tokens()).toEqual(["first", "second"]);
  });

  test("of a provider that is deleted and made again under its id is gone", async () => {
    await using deployment = await used();
    const other = await deployment.another();
    await other.providers.delete(operator(), "idp");
    await other.providers.create(operator(), idpRecord(deployment.idp) as never);

    expect(await refusal(call(deployment.runtime, "alice"))).toMatchObject({ status: 403 });
  });

  test("of a project that is deleted and made again under its id is gone", async () => {
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

  test("is nobody else's: not of another user, provider or project", async () => {
    await using deployment = await used();
    await deployment.addProvider({ id: "other" });
    await deployment.runtime.identity.createProject(operator(), "second", "Second");
    await deployment.addProvider({}, "second");

    for (const [user, tool, project] of [
      ["bob", "Test.Call", "default"],
      ["alice\nidp", "Test.Call", "default"],
      ["alice", "Test.Other", "default"],
      ["alice", "Test.Call", "second"],
    ] as const)
      expect(await refusal(call(deployment.runtime, user, tool, project))).toMatchObject({ status: 403 });
  });

  test("is told of without its token being opened", async () => {
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
    // Whoever needs the token itself finds that it is gone, and sends the user to consent.
    expect(await refusal(call(runtime, "alice"))).toMatchObject({ status: 403 });
  });

  test("gives a tool nothing that it could change for the next call", async () => {
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
