// Projects: each has its own data key, and is deleted with all its records.
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

/** A project with records of every kind. */
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
  test("default exists from the start, in the organization default", async () => {
    await using deployment = await deploy();
    const { items } = await deployment.runtime.identity.projects.list(operator());

    expect(items).toMatchObject([{ id: "default", org_id: "default", name: "default" }]);
  });

  test("default is created once, even if the runtime starts several times", async () => {
    await using deployment = await deploy();
    await times(3, () => deployment.another());

    expect((await deployment.runtime.identity.projects.list(operator())).items).toHaveLength(1);
    expect(await rowsOf(deployment, "default")).toMatchObject({ data_keys: 1 });
  });

  test("is created with its own data key, and audited", async () => {
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

  test("is created once by ten concurrent requests", async () => {
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

  test("cannot share its audience with another project, neither on creation nor later", async () => {
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
    expect(await deployment.runtime.identity.operator("default")).toEqual({
      ...operator(),
      incarnation: "",
    });
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

  test("is deleted with all its records and its data key; other projects are not affected", async () => {
    const { deployment } = await twoProjects();
    await using _ = deployment;
    const before = await rowsOf(deployment, "second");
    const others = await rowsOf(deployment, "default");
    await deployment.runtime.identity.deleteProject(operator(), "second");

    expect(Object.values(before).every((count) => count > 0)).toBe(true);
    expect(Object.values(await rowsOf(deployment, "second"))).toEqual(TABLES.map(() => 0));
    expect(await rowsOf(deployment, "default")).toEqual(others);
  });

  test("disappears immediately from other processes: keys, providers, grants", async () => {
    const { deployment, key } = await twoProjects();
    await using _ = deployment;
    const other = await deployment.another();
    await other.identity.authenticate(key);
    await other.providers.find("second", "idp");
    await deployment.runtime.identity.deleteProject(operator(), "second");

    expect((await refusal(other.identity.authenticate(key))).status).toBe(401);
    expect(await other.providers.find("second", "idp")).toBeUndefined();
    const request = { tool_name: "Test.Call", user_id: "alice" };
    // A credential that was accepted just before is no longer valid.
    expect((await refusal(other.tools.execute(agent(null, "second"), request))).status).toBe(401);
    expect(deployment.platform.calls).toEqual([]);
  });

  test("stays unreadable if a project with the same id is created: its data key is lost", async () => {
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

  test("loses its data key even if it has no other records", async () => {
    const { deployment } = await twoProjects();
    await using _ = deployment;
    const { store, keyring } = deployment.runtime.core;
    await store.write(() => keyring.destroyDataKeys("second"));

    await expect(deployment.runtime.secrets.value("second", "WORD")).rejects.toThrow("data key");
    expect(await deployment.runtime.secrets.value("default", "WORD")).toBe("open sesame");
  });

  test("wakes requests that wait for one of its consents", async () => {
    const { deployment } = await twoProjects();
    await using _ = deployment;
    const { runtime } = deployment;
    const auth_requirement = { id: "idp", oauth2: { scopes: ["other"] } };
    const { id } = await runtime.authorization.authorize(operator("second"), {
      auth_requirement,
      user_id: "bob",
    });
    // Longer than the timeout of the test, so an answer proves that the deletion ended the wait.
    const waiting = refusal(runtime.authorization.status(operator("second"), id, 59));
    await runtime.identity.deleteProject(operator(), "second");

    expect((await waiting).status).toBe(400);
  });

  test.each([
    ["default", 400],
    ["none", 404],
  ])("cannot be deleted if it is %s", async (id, status) => {
    await using deployment = await deploy();

    expect((await refusal(deployment.runtime.identity.deleteProject(operator(), id))).status).toBe(status);
    expect(await rowsOf(deployment, "default")).toMatchObject({ data_keys: 1 });
  });
});
