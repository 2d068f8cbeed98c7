// The list of users, and what is stored about them in records of their project.
import { expect, test } from "bun:test";
import { query } from "../../src/store";
import { addWorker } from "../../src/workers/repository";
import { agent, deploy, operator } from "../tools/deployment";

test("the list has every user, whatever the id begins with, in the order of the bytes", async () => {
  await using deployment = await deploy();
  const { runtime } = deployment;
  const users = ["ERASED-X", "Erased-bob", "erased-", "erased-bob", "erased_bob", "zoe", "\uE000x", "😀"];
  for (const user_id of users)
    await runtime.tools.execute(agent(), { tool_name: "Test.Echo", user_id, input: { text: "x" } });
  await deployment.addProvider();
  for (const user of users) await deployment.give(user);

  const { items } = await runtime.users.list(operator(), {});
  expect(items.map(({ user_id }) => user_id)).toEqual(users);
  const { items: rest } = await runtime.users.list(operator(), { after: "erased-bob", limit: 1 });
  expect(rest.map(({ user_id }) => user_id)).toEqual(["erased_bob"]);
});

test("a worker whose record the database cannot read as JSON stops neither an export nor an erasure", async () => {
  await using deployment = await deploy();
  const { runtime, clock } = deployment;
  const now = clock.now();
  const worker = (id: string, user: string) =>
    addWorker({
      project_id: "default",
      id,
      type: "mcp",
      enabled: 0,
      uri: "http://127.0.0.1:1/mcp",
      toolkit: id,
      config: JSON.stringify({ note: "\0", authorization: { provider: "idp", user } }),
      sealed_secrets: null,
      origins: "[]",
      version: 1,
      created_at: now,
      updated_at: now,
    });
  await runtime.core.store.write(() => worker("hers", "alice"));
  await runtime.core.store.write(() => worker("his", "bob"));

  const exported = await runtime.users.export(operator(), "alice");
  await runtime.users.erase(operator(), "alice");
  const rows = await runtime.core.store.all(
    query<{ config: string }>("SELECT config FROM workers ORDER BY id"),
  );

  expect(exported.workers).toEqual([{ id: "hers" }]);
  expect(rows.map((row) => JSON.parse(row.config).authorization)).toEqual([
    { provider: "idp" },
    { provider: "idp", user: "bob" },
  ]);
});

test("what a user has sent under an Idempotency-Key is exported and erased, also without a user in it", async () => {
  await using deployment = await deploy();
  const { runtime } = deployment;
  const sent = (credential: string) =>
    runtime.idempotency.once(
      {
        projectId: "default",
        incarnation: operator().incarnation,
        credential,
        operation: "auth-providers-create",
        key: "k",
        userId: undefined,
        request: "{}",
      },
      async () => ({ made: true }),
      () => ({ made: false }),
    );
  await sent("user:alice");
  await sent("user:bob");
  await sent("key:alice");

  const exported = await runtime.users.export(operator(), "alice");
  await runtime.users.erase(operator(), "alice");
  const rows = await runtime.core.store.all(
    query<{ credential: string }>("SELECT credential FROM idempotency ORDER BY credential"),
  );

  expect(exported.answers).toHaveLength(1);
  expect(rows.map(({ credential }) => credential)).toEqual(["key:alice", "user:bob"]);
});
