// The choice of a provider for a requirement, and what is deleted with a provider.
import { describe, expect, test } from "bun:test";
import { query } from "../../src/store";
import { call, connectionOf, refusal } from "../connections/executing";
import { agent, deploy, type Deployment, idpRecord, operator } from "../tools/deployment";

interface Made {
  id: string;
  provider_id?: string;
  status?: "inactive";
}

async function withRecords(records: Made[]): Promise<Deployment> {
  const deployment = await deploy();
  for (const record of records) {
    await deployment.addProvider(record);
    deployment.clock.move(1000);
  }
  return deployment;
}

const KNOWN = { provider_id: "known" };

describe("a requirement selects", () => {
  test.each<[string, Made[], object, string]>([
    ["the record of its id", [{ id: "one" }, { id: "two" }], { id: "two" }, "two"],
    ["the record of a well-known provider", [{ id: "one", ...KNOWN }], { provider_id: "known" }, "one"],
    ["a record by its id in provider_id", [{ id: "one" }], { provider_id: "one" }, "one"],
    [
      "the record of that very id before others of the provider",
      [{ id: "other", ...KNOWN }, { id: "known" }],
      { provider_id: "known" },
      "known",
    ],
    [
      "an active record before an older inactive one",
      [
        { id: "old", ...KNOWN, status: "inactive" },
        { id: "new", ...KNOWN },
      ],
      { provider_id: "known" },
      "new",
    ],
    ["the id, when both are given", [{ id: "one", ...KNOWN }, { id: "two" }], { id: "two", ...KNOWN }, "two"],
  ])("%s", async (_name, records, choice, id) => {
    await using deployment = await withRecords(records);
    const chosen = await deployment.runtime.providers.choose("default", choice);

    expect(chosen.provider?.id).toBe(id);
    expect(chosen).not.toHaveProperty("note");
  });

  test("the oldest active one of several, with a note", async () => {
    await using deployment = await withRecords([
      { id: "z-first", ...KNOWN },
      { id: "a-second", ...KNOWN },
    ]);
    const chosen = await deployment.runtime.providers.choose("default", KNOWN);

    expect(chosen.provider?.id).toBe("z-first");
    expect("note" in chosen && chosen.note).toBe(
      'several providers serve "known"; the oldest active one, "z-first", is used',
    );
  });

  test.each<[string, Made[], object, string]>([
    ["none exists", [], { provider_id: "known" }, 'no auth provider "known" is configured in this project'],
    [
      "the one is inactive",
      [{ id: "one", status: "inactive" }],
      { id: "one" },
      'the auth provider "one" is inactive',
    ],
    [
      "an id is not a well-known provider",
      [{ id: "one", ...KNOWN }],
      { id: "known" },
      'no auth provider "known"',
    ],
    ["the case differs", [{ id: "one" }], { id: "One" }, 'no auth provider "One"'],
  ])("nothing when %s", async (_name, records, choice, reason) => {
    await using deployment = await withRecords(records);
    const chosen = await deployment.runtime.providers.choose("default", choice);

    expect(chosen.provider).toBeUndefined();
    expect("reason" in chosen && chosen.reason).toStartWith(reason);
  });

  test("no record of another project", async () => {
    await using deployment = await withRecords([{ id: "one", ...KNOWN }]);
    await deployment.runtime.identity.createProject(operator(), "second", "second");

    expect((await deployment.runtime.providers.choose("second", KNOWN)).provider).toBeUndefined();
  });
});

describe("a change by another process takes effect at once", () => {
  test.each<[string, (deployment: Deployment) => Promise<unknown>, string | undefined]>([
    [
      "an update",
      ({ runtime }) => runtime.providers.update(operator(), "idp", { oauth2: { client_id: "new" } }),
      "new",
    ],
    ["a deletion", ({ runtime }) => runtime.providers.delete(operator(), "idp"), undefined],
  ])("%s", async (_name, change, clientId) => {
    await using deployment = await deploy();
    await deployment.addProvider();
    const other = await deployment.another();
    const before = await other.providers.find("default", "idp");
    await change(deployment);

    expect(before?.oauth2.clientId).toBe("client");
    expect((await other.providers.find("default", "idp"))?.oauth2.clientId).toBe(clientId as never);
  });

  test("a creation, where there was none", async () => {
    await using deployment = await deploy();
    const other = await deployment.another();
    const before = await other.providers.choose("default", { id: "idp" });
    await deployment.addProvider();

    expect(before.provider).toBeUndefined();
    expect((await other.providers.choose("default", { id: "idp" })).provider?.id).toBe("idp");
  });
});

describe("a deleted provider", () => {
  const COUNTS = query<{ connections: number; pending: number }>(
    "SELECT (SELECT COUNT(*) FROM connections) AS connections, " +
      "(SELECT COUNT(*) FROM authorizations WHERE status = 'pending') AS pending",
  );

  async function inUse(): Promise<Deployment> {
    const deployment = await deploy();
    const { runtime, idp } = deployment;
    await deployment.addProvider();
    await deployment.addProvider({ ...idpRecord(idp), id: "other" });
    await deployment.give("alice");
    await deployment.give("alice", { provider: "other" });
    const auth_requirement = { id: "idp", oauth2: { scopes: ["more"] } };
    await runtime.authorization.authorize(agent(), { auth_requirement, user_id: "alice" });
    return deployment;
  }

  test("loses its connections and pending consents, and only those", async () => {
    await using deployment = await inUse();
    const { runtime } = deployment;
    const deleted = await runtime.providers.delete(operator(), "idp");

    expect(deleted).toMatchObject({ id: "idp", oauth2: { client_id: "client" } });
    expect(await runtime.core.store.get(COUNTS)).toEqual({ connections: 1, pending: 0 });
    expect(await connectionOf(runtime, "alice")).toMatchObject({ provider_id: "other" });
  });

  test("has no old grant when it is created again under its id", async () => {
    await using deployment = await inUse();
    const { runtime, platform } = deployment;
    await runtime.providers.delete(operator(), "idp");
    const gone = await refusal(call(runtime, "alice"));
    await deployment.addProvider();

    expect([gone.status, gone.message]).toEqual([400, expect.stringContaining('no auth provider "idp"')]);
    expect((await refusal(call(runtime, "alice"))).status).toBe(403);
    expect(platform.calls).toEqual([]);
  });

  test("is deleted in one transaction, which a failure rolls back", async () => {
    await using deployment = await inUse();
    const { store } = deployment.runtime.core;
    const write = store.write.bind(store);
    store.write = (body) =>
      write(function* () {
        yield* body();
        throw new Error("the disk is full");
      });

    expect((await refusal(deployment.runtime.providers.delete(operator(), "idp"))).message).toBe(
      "the disk is full",
    );
    expect(await store.get(COUNTS)).toEqual({ connections: 2, pending: 1 });
  });

  test("that does not exist is not found", async () => {
    await using deployment = await deploy();

    expect((await refusal(deployment.runtime.providers.delete(operator(), "idp"))).status).toBe(404);
  });
});
