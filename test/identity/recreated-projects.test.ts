// A project that is deleted and created again under its id is another one: callers of the earlier project neither write to
// it nor are listed in it.
import { describe, expect, test } from "bun:test";
import { requireIncarnation } from "../../src/audit";
import type { Principal } from "../../src/identity";
import { deleteProject } from "../../src/identity/repository";
import type { Runtime } from "../../src/runtime";
import { query } from "../../src/store";
import { refusal } from "../connections/executing";
import { deploy, type Deployment, idpRecord, operator } from "../tools/deployment";

const ID = "second";
const CALL = { tool_name: "Test.Look", user_id: "alice" };
const HOUR = 3600_000;

async function recreate({ runtime }: Deployment): Promise<void> {
  await runtime.identity.deleteProject(operator(), ID);
  await runtime.identity.createProject(operator(), ID, "Second");
}

/** A deployment with a project, and principals of it. */
async function withProject() {
  const deployment = await deploy();
  const { identity } = deployment.runtime;
  await identity.createProject(operator(), ID, "Second");
  const admin = await identity.operator(ID);
  const { key = "" } = await identity.createKey(admin, { name: "agent", role: "admin" });
  return { deployment, admin, agent: await identity.authenticate(key) };
}

const TABLES = [
  "api_keys",
  "auth_providers",
  "secrets",
  "session_settings",
  "authorizations",
  "idempotency",
  "scheduled_runs",
  "gateways",
  "models",
  "workers",
  "worker_catalogs",
];

async function rowsOf({ runtime }: Deployment): Promise<unknown[]> {
  const { store } = runtime.core;
  const tables = [...TABLES, "audit"].map((table) =>
    store.all(query<object>(`SELECT * FROM ${table} WHERE project_id = ?`), ID),
  );
  return Promise.all(tables);
}

/** Nothing listens there. */
const WORKER = { id: "late", mcp: { uri: "http://127.0.0.1:1/mcp", timeout: 1, retry: 0 } };

type Write = (runtime: Runtime, principal: Principal, deployment: Deployment) => Promise<unknown>;
const WRITES: [string, Write][] = [
  ["a secret", ({ secrets }, by) => secrets.upsert(by, "LATE", { value: "v" })],
  ["an API key", ({ identity }, by) => identity.createKey(by, { name: "late" })],
  ["a name of the project", ({ identity }, by) => identity.projects.update(by, ID, { name: "Late" })],
  ["an auth provider", ({ providers }, by, { idp }) => providers.create(by, idpRecord(idp))],
  ["settings", ({ settings }, by) => settings.update(by, { unsafe_skip_verification: false })],
  ["a gateway", ({ gateways }, by) => gateways.create(by, { name: "Late", auth_type: "arcade_header" })],
  ["a worker", ({ workers }, by) => workers.create(by, WORKER)],
  ["a consent that is not needed", ({ tools }, by) => tools.authorize(by, CALL)],
  ["a scheduled run", ({ tools }, by) => tools.execute(by, { ...CALL, run_at: "2999-01-01T00:00:00" })],
  ["a repeatable call", ({ tools }, by) => tools.execute(by, CALL, { idempotencyKey: "late" })],
];

describe("a caller of the earlier project", () => {
  test.each(WRITES)("stores nothing in the new one: %s", async (_, write) => {
    const { deployment, admin, agent } = await withProject();
    await using _deployment = deployment;
    await recreate(deployment);
    const before = await rowsOf(deployment);

    for (const principal of [admin, agent]) {
      const { name } = await refusal(write(deployment.runtime, principal, deployment));
      expect(name).toBe("invalid_authorization");
    }

    expect(await rowsOf(deployment)).toEqual(before);
    await write(deployment.runtime, await deployment.runtime.identity.operator(ID), deployment);
    expect(await rowsOf(deployment)).not.toEqual(before);
  });

  test("stores nothing behind the deletion in the same commit", async () => {
    const { deployment } = await withProject();
    await using _ = deployment;
    const { store } = deployment.runtime.core;
    const current = () => requireIncarnation({ projectId: ID });
    const written = await Promise.allSettled(
      [current, () => deleteProject(ID), current].map((body) => store.write<unknown>(body)),
    );

    expect(written.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  });

  test("starts no consent in the new one", async () => {
    const { deployment, agent } = await withProject();
    await using _ = deployment;
    await recreate(deployment);
    await deployment.addProvider({}, ID);
    const before = await rowsOf(deployment);
    const auth_requirement = { id: "idp", oauth2: { scopes: ["more"] } };
    const consent = deployment.runtime.authorization.authorize(agent, { auth_requirement, user_id: "alice" });

    expect((await refusal(consent)).name).toBe("invalid_authorization");
    expect(await rowsOf(deployment)).toEqual(before);
  });

  test("does not read the changes and runs of the new one", async () => {
    const { deployment, agent } = await withProject();
    await using _ = deployment;
    const { runtime } = deployment;
    await recreate(deployment);
    await runtime.tools.execute(await runtime.identity.operator(ID), CALL);

    expect((await runtime.trail.audit(agent, {})).items).toEqual([]);
    expect((await runtime.trail.executions(agent, {})).items).toEqual([]);
  });
});

describe("the new project", () => {
  test("does not list a call that was running when it was created", async () => {
    const { deployment, agent } = await withProject();
    await using _ = deployment;
    const { runtime } = deployment;
    const started = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    deployment.test.act = async () => {
      started.resolve();
      await ended.promise;
      return { done: true };
    };
    const running = runtime.tools.execute(agent, CALL);
    await started.promise;
    await recreate(deployment);
    ended.resolve();

    expect((await running).success).toBe(true);
    expect((await runtime.trail.executions(await runtime.identity.operator(ID), {})).items).toEqual([]);
  });

  test("lists its own changes and runs only, also with the clock set back", async () => {
    const { deployment, admin } = await withProject();
    await using _ = deployment;
    const { runtime, clock } = deployment;
    await runtime.secrets.upsert(admin, "FORMER", { value: "v" });
    await runtime.tools.execute(admin, { ...CALL, user_id: "former" });
    clock.move(-HOUR);
    await recreate(deployment);
    const current = await runtime.identity.operator(ID);
    await runtime.tools.execute(current, { ...CALL, user_id: "new" });
    clock.move(-HOUR);
    await runtime.secrets.upsert(current, "NEW", { value: "v" });

    const audit = (await runtime.trail.audit(current, {})).items;
    expect(audit.map(({ target }) => target)).toEqual(["NEW", ID]);
    const executions = (await runtime.trail.executions(current, {})).items;
    expect(executions.map(({ user_id }) => user_id)).toEqual(["new"]);
  });
});
