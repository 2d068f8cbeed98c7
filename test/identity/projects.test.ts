// Projects: each with its data key; deleted with all that is in it.
import { describe, expect, test } from "bun:test";
import { query } from "../../src/store";
import { refusal, times } from "../connections/executing";
import { agent, deploy, type Deployment, operator } from "../tools/deployment";

const TABLES = [
  "data_keys",
  "api_keys",
  "auth_providers",
  "secrets",
  "connections",
  "authorizations",
  "idempotency",
  "counters",
];

async function rowsOf({ runtime }: Deployment, project: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const count = query<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table} WHERE project_id = ?`);
    counts[table] = (await runtime.core.store.get(count, project))?.count ?? -1;
  }
  return counts;
}

/** A project in which everything that a project can hold is there. */
async function fill(deployment: Deployment, project: string): Promise<{ key: string }> {
  const { runtime } = deployment;
  const principal = operator(project);
  await deployment.addProvider({}, project);
  await deployment.give("alice", { project });
  await runtime.secrets.upsert(principal, "WORD", { value: "open sesame" });
  const auth_requirement = { id: "idp", oauth2: { scopes: ["more"] } };
  await runtime.authorization.authorize(principal, { auth_requirement, user_id: "alice" });
  const request = { tool_name: "Test.Echo", user_id: "alice" };
  await runtime.tools.execute(principal, request, { idempotencyKey: "key-1" });
  const { key = "" } = await runtime.identity.createKey(principal, { name: "agent" });
  return { key };
}

describe("a project", () => {
  test("default is there from the start, in organization default", async () => {
    await using deployment = await deploy();
    const { items } = await deployment.runtime.identity.projects.list(operator());

    expect(items).toMatchObject([{ id: "default", org_id: "default", name: "default" }]);
  });

  test("default is made once, however often the runtime starts", async () => {
    await using deployment = await deploy();
    await times(3, () => deployment.another());

    expect((await deployment.runtime.identity.projects.list(operator())).items).toHaveLength(1);
    expect(await rowsOf(deployment, "default")).toMatchObject({ data_keys: 1 });
  });

  test("is made with a data key of its own, and audited", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const project = await runtime.identity.createProject(operator(), "second", "The second");
    const audited = query<{ action: string; project_id: string }>(
      "SELECT action, project_id FROM audit WHERE action LIKE 'project.%'",
    );

    expect(project).toMatchObject({ id: "second", org_id: "default", name: "The second" });
    expect(await rowsOf(deployment, "second")).toMatchObject({ data_keys: 1 });
    expect(await runtime.core.store.all(audited)).toEqual([
      { action: "project.create", project_id: "second" },
    ]);
  });

  test("is made once when ten ask at a time", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    const outcomes = await times(10, () =>
      runtime.identity.createProject(operator(), "second", "second").then(
        () => "created",
        ({ name }) => name,
      ),
    );

    expect(outcomes.toSorted()).toEqual([...Array<string>(9).fill("already_exists"), "created"]);
  });

  test("does not share its audience with another, neither when it is made nor later", async () => {
    await using deployment = await deploy();
    const { identity } = deployment.runtime;
    await identity.createProject(operator(), "second", "Second", undefined, "https://second.example");
    const make = (id: string, audience: string) =>
      identity.createProject(operator(), id, id, undefined, audience);

    expect((await refusal(make("third", "https://second.example"))).name).toBe("already_exists");
    await make("third", "https://third.example");
    const taking = identity.projects.update(operator(), "third", { audience: "https://second.example" });
    expect((await refusal(taking)).name).toBe("already_exists");
    const keeping = { name: "Third", audience: "https://third.example" };
    expect(await identity.projects.update(operator(), "third", keeping)).toMatchObject(keeping);
  });

  test("that does not exist has no principal", async () => {
    await using deployment = await deploy();

    expect((await refusal(deployment.runtime.identity.operator("none"))).status).toBe(404);
    expect(await deployment.runtime.identity.operator("default")).toEqual(operator());
  });
});

describe("a deleted project", () => {
  async function twoProjects() {
    const deployment = await deploy();
    await deployment.runtime.identity.createProject(operator(), "second", "second");
    const { key } = await fill(deployment, "second");
    await fill(deployment, "default");
    return { deployment, key };
  }

  test("takes everything along, its data key too, and nothing of the others", async () => {
    const { deployment } = await twoProjects();
    await using _ = deployment;
    const before = await rowsOf(deployment, "second");
    const others = await rowsOf(deployment, "default");
    await deployment.runtime.identity.deleteProject(operator(), "second");

    expect(Object.values(before).every((count) => count > 0)).toBe(true);
    expect(Object.values(await rowsOf(deployment, "second"))).toEqual(TABLES.map(() => 0));
    expect(await rowsOf(deployment, "default")).toEqual(others);
  });

  test("is gone at once for other processes: keys, providers, grants", async () => {
    const { deployment, key } = await twoProjects();
    await using _ = deployment;
    const other = await deployment.another();
    await other.identity.authenticate(key);
    await other.providers.find("second", "idp");
    await deployment.runtime.identity.deleteProject(operator(), "second");

    expect((await refusal(other.identity.authenticate(key))).status).toBe(401);
    expect(await other.providers.find("second", "idp")).toBeUndefined();
    const request = { tool_name: "Test.Call", user_id: "alice" };
    // Whoever was let in a moment before holds a credential that is none any more.
    expect((await refusal(other.tools.execute(agent(null, "second"), request))).status).toBe(401);
    expect(deployment.platform.calls).toEqual([]);
  });

  test("cannot be read again when it is made anew: what its key sealed is lost", async () => {
    const { deployment } = await twoProjects();
    await using _ = deployment;
    const { keyring } = deployment.runtime.core;
    const place = { table: "secrets", row: "word", field: "value" };
    const sealed = await keyring.seal("second", place, "open sesame");
    await deployment.runtime.identity.deleteProject(operator(), "second");
    await deployment.runtime.identity.createProject(operator(), "second", "second");

    await expect(keyring.open("second", place, sealed)).rejects.toThrow("data key");
    expect(await deployment.runtime.secrets.value("second", "WORD")).toBeUndefined();
  });

  test("has its data key destroyed even when nothing else is left of it", async () => {
    const { deployment } = await twoProjects();
    await using _ = deployment;
    const { store, keyring } = deployment.runtime.core;
    await store.write(() => keyring.destroyDataKeys("second"));

    await expect(deployment.runtime.secrets.value("second", "WORD")).rejects.toThrow("data key");
    expect(await deployment.runtime.secrets.value("default", "WORD")).toBe("open sesame");
  });

  test("wakes who waits for one of its consents", async () => {
    const { deployment } = await twoProjects();
    await using _ = deployment;
    const { runtime } = deployment;
    const auth_requirement = { id: "idp", oauth2: { scopes: ["other"] } };
    const { id } = await runtime.authorization.authorize(operator("second"), {
      auth_requirement,
      user_id: "bob",
    });
    // Longer than a test may take: an answer shows that the deletion ended the wait.
    const waiting = refusal(runtime.authorization.status(operator("second"), id, 59));
    await runtime.identity.deleteProject(operator(), "second");

    expect((await waiting).status).toBe(400);
  });

  test.each([
    ["default", 400],
    ["none", 404],
  ])("is not %s", async (id, status) => {
    await using deployment = await deploy();

    expect((await refusal(deployment.runtime.identity.deleteProject(operator(), id))).status).toBe(status);
    expect(await rowsOf(deployment, "default")).toMatchObject({ data_keys: 1 });
  });
});
