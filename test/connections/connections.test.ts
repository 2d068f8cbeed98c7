// Connections for administrators: lists, totals, deletion and visibility.
import { describe, expect, test } from "bun:test";
import type { Principal } from "../../src/identity";
import { query } from "../../src/store";
import { deploy, type Deployment, idpRecord, operator } from "../tools/deployment";
import { call, connectionOf, refusal } from "./executing";

const AUDITED = query<{ action: string; actor: string; target: string }>(
  "SELECT action, actor, target FROM audit WHERE action = 'connection.delete'",
);

/** alice and bob at `idp` and `other`, carol at `idp`; alice once more in project `second`. */
async function connected(): Promise<Deployment & { ids: Record<string, string> }> {
  const deployment = await deploy();
  const { runtime, idp, clock } = deployment;
  await runtime.identity.createProject(operator(), "second", "second");
  await deployment.addProvider({ description: "The first" });
  await deployment.addProvider({ ...idpRecord(idp), id: "other" });
  await deployment.addProvider({}, "second");
  const ids: Record<string, string> = {};
  for (const [user, provider] of [
    ["alice", "idp"],
    ["bob", "idp"],
    ["alice", "other"],
    ["carol", "idp"],
    ["bob", "other"],
  ] as const) {
    ids[`${user}@${provider}`] = await deployment.give(user, { provider });
    clock.move(1000);
  }
  ids["second"] = await deployment.give("alice", { project: "second" });
  return { ...deployment, ids };
}

function key(users: string[] | null, projectId = "default"): Principal {
  return { kind: "key", keyId: "key_test", projectId, role: "admin", users };
}

async function listed(
  { runtime, ids }: Awaited<ReturnType<typeof connected>>,
  filter: object,
  who = operator(),
) {
  const page = await runtime.connections.list(who, filter);
  const names = page.items.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id));
  return { names, total: page.total_count };
}

describe("a list", () => {
  test.each<[string, object, string[], number]>([
    ["of all, oldest first", {}, ["alice@idp", "bob@idp", "alice@other", "carol@idp", "bob@other"], 5],
    ["of a page", { limit: 2, offset: 1 }, ["bob@idp", "alice@other"], 5],
    ["past the end", { offset: 5 }, [], 5],
    ["of a user", { user_id: "alice" }, ["alice@idp", "alice@other"], 2],
    ["of a user, on a page", { user_id: "alice", limit: 1, offset: 1 }, ["alice@other"], 2],
    ["of a provider", { provider_id: "other" }, ["alice@other", "bob@other"], 2],
    ["of both", { user_id: "bob", provider_id: "idp" }, ["bob@idp"], 1],
    ["of both, past the end", { user_id: "bob", provider_id: "idp", offset: 1 }, [], 1],
    ["of a stranger", { user_id: "mallory" }, [], 0],
    ["of an unknown provider", { provider_id: "none" }, [], 0],
    ["of both unknown", { user_id: "alice", provider_id: "none" }, [], 0],
  ])("%s", async (_name, filter, names, total) => {
    await using deployment = await connected();

    expect(await listed(deployment, filter)).toEqual({ names, total });
  });

  test("of another project contains nothing of this one", async () => {
    await using deployment = await connected();

    expect(await listed(deployment, {}, operator("second"))).toEqual({ names: ["second"], total: 1 });
  });

  test("shows user, provider and scopes, and no token", async () => {
    await using deployment = await connected();
    const { runtime, ids } = deployment;

    expect(await connectionOf(runtime, "carol")).toEqual({
      id: ids["carol@idp"] ?? "",
      connection_id: ids["carol@idp"] ?? "",
      connection_status: "active",
      provider_id: "idp",
      provider_type: "oauth2",
      provider_description: "The first",
      scopes: ["a", "b"],
      user_id: "carol",
    });
  });

  test("counts correctly after deletions and after the deletion of a provider", async () => {
    await using deployment = await connected();
    const { runtime, ids } = deployment;
    await runtime.connections.delete(operator(), ids["carol@idp"] ?? "");
    const before = await listed(deployment, { provider_id: "idp" });
    await runtime.providers.delete(operator(), "idp");

    expect(before.total).toBe(2);
    expect(await listed(deployment, {})).toEqual({ names: ["alice@other", "bob@other"], total: 2 });
    expect(await listed(deployment, { provider_id: "idp" })).toEqual({ names: [], total: 0 });
  });

  test("counts a second consent once", async () => {
    await using deployment = await connected();
    await deployment.give("carol");

    expect((await listed(deployment, {})).total).toBe(5);
  });
});

describe("a key that is bound to users", () => {
  test.each<[string, string[], object, string[]]>([
    ["to one, lists that user", ["bob"], {}, ["bob@idp", "bob@other"]],
    ["to one, lists that user with user_id", ["bob"], { user_id: "bob" }, ["bob@idp", "bob@other"]],
    ["to two, lists the one in user_id", ["bob", "carol"], { user_id: "carol" }, ["carol@idp"]],
  ])("%s", async (_name, users, filter, names) => {
    await using deployment = await connected();

    expect(await listed(deployment, filter, key(users))).toEqual({ names, total: names.length });
  });

  test.each<[string, string[], object]>([
    ["to one, is refused another user", ["bob"], { user_id: "alice" }],
    ["to one, is refused another user at a provider", ["bob"], { user_id: "alice", provider_id: "idp" }],
    ["to two, needs user_id", ["bob", "carol"], {}],
    ["to no user, is refused", [], {}],
  ])("%s", async (_name, users, filter) => {
    await using deployment = await connected();

    expect((await refusal(listed(deployment, filter, key(users)))).status).toBe(403);
  });
});

describe("a deleted connection", () => {
  test("needs consent again, and its deletion is audited", async () => {
    await using deployment = await connected();
    const { runtime, ids, platform } = deployment;
    const id = ids["alice@idp"] ?? "";
    await runtime.connections.delete(operator(), id);

    expect((await refusal(call(runtime, "alice"))).status).toBe(403);
    expect(platform.calls).toEqual([]);
    expect(await runtime.core.store.all(AUDITED)).toEqual([
      { action: "connection.delete", actor: "operator", target: id },
    ]);
  });

  test.each<[string, string, Principal]>([
    ["an unknown id", "ac_unknown", operator()],
    ["an id of another project", "second", operator()],
    ["an id of this project, with a key of another", "alice@idp", key(null, "second")],
    ["the id of a user that the key is not bound to", "alice@idp", key(["bob"])],
  ])("by %s is not found, with the same message, and nothing is deleted", async (_name, name, principal) => {
    await using deployment = await connected();
    const { runtime, ids } = deployment;

    const refused = await refusal(runtime.connections.delete(principal, ids[name] ?? name));

    expect([refused.status, refused.message]).toEqual([404, "This project has no connection with this id."]);
    expect((await listed(deployment, {})).total).toBe(5);
    expect((await listed(deployment, {}, operator("second"))).total).toBe(1);
  });

  test("is deleted by a key that is bound to its user", async () => {
    await using deployment = await connected();
    await deployment.runtime.connections.delete(key(["bob"]), deployment.ids["bob@idp"] ?? "");

    expect(await listed(deployment, { user_id: "bob" })).toEqual({ names: ["bob@other"], total: 1 });
  });
});
