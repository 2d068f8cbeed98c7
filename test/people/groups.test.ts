// Groups of people at the OpenID provider: roles, how long they count, and what happens when they cannot be read.
import { describe, expect, test } from "bun:test";
import { type OpenIdSite, type OpenIdSiteOptions, startSignInSite } from "../interop/oidc/site";
import { tokensOf } from "../interop/oidc/sign-in";
import { api } from "../support/api";
import { Browser } from "../support/browser";
import { createRuntime } from "../../src/runtime";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { silentLog } from "../../src/base";
import { query, run } from "../../src/store";
import { signIn } from "./signing-in";

const ROLES = JSON.stringify([
  { group: "ops", role: "admin" },
  { group: "leads", role: "approver" },
  { group: "audit", role: "auditor" },
]);
const FIVE_MINUTES = 5 * 60_000;

/** A deployment in which groups have roles, and alice, who is in some and has signed in. */
async function withAlice(groups: string[], options: Partial<OpenIdSiteOptions> = {}) {
  const alice: { groups?: string[] } = { groups };
  const deployment = await startSignInSite({
    accounts: { alice },
    ...options,
    environment: { RUNTIME_AUTH_ROLES: ROLES, ...options.environment },
  });
  await signIn(deployment, new Browser(), "alice");
  const { people } = deployment.site.runtime;
  return {
    deployment,
    alice,
    role: () => people.roleOf("default", "alice"),
    groups: () => people.groupsOf("default", "alice"),
  };
}

function requestsTo({ provider }: OpenIdSite, path: string): number {
  return provider.requests.filter((each) => each === path).length;
}

describe("the role of a person", () => {
  test.each([
    [["ops", "leads", "audit"], "admin"],
    [["audit", "leads"], "approver"],
    [["audit"], "auditor"],
    [["others"], "member"],
    [[], "member"],
  ])("in %p is %s", async (groups, role) => {
    const given = await withAlice(groups);
    await using _deployment = given.deployment;

    expect(await given.role()).toBe(role as never);
  });

  test("is that of the invitation, whatever the groups", async () => {
    const { deployment, role } = await withAlice(["ops"]);
    await using _deployment = deployment;
    const { store } = deployment.site.runtime.core;
    const add = query(
      "INSERT INTO people (project_id, user_id, role, created_at, created_by) VALUES (?, ?, ?, 0, '')",
    );
    await store.write(function* () {
      yield* run(add, "default", "alice", "auditor");
      yield* run(query("UPDATE generations SET value = value + 1 WHERE kind = ?"), "people");
    });

    expect(await role()).toBe("auditor");
  });

  test("counts for user tokens of the provider, in the project of the person only", async () => {
    const { deployment } = await withAlice(["ops"]);
    await using _deployment = deployment;
    const { site, provider, audience } = deployment;
    const { access_token: own } = await tokensOf(provider, "alice", audience);
    const { access_token: other } = await tokensOf(provider, "bob", audience);

    expect((await api(site.url, own).get("/v1/admin/projects")).status).toBe(200);
    expect((await api(site.url, other).get("/v1/admin/projects")).status).toBe(403);
    const operator = await site.runtime.identity.operator("default");
    await site.runtime.identity.createProject(operator, "other", "Other", undefined, "https://other.example");
    const elsewhere = await tokensOf(provider, "alice", "https://other.example");
    expect((await api(site.url, elsewhere.access_token).get("/v1/admin/projects")).status).toBe(403);
  });

  test("is nothing where people do not sign in at this provider", async () => {
    const { deployment } = await withAlice(["ops"]);
    await using _deployment = deployment;
    const { site, provider, audience } = deployment;
    const { identity } = site.runtime;
    await identity.projects.update(await identity.operator("default"), "default", { sign_in: "none" });
    const { access_token } = await tokensOf(provider, "alice", audience);

    expect((await api(site.url, access_token).get("/v1/admin/projects")).status).toBe(403);
  });
});

describe.each<[string, Partial<OpenIdSiteOptions>, string]>([
  ["read from user info", {}, "/me"],
  ["read with a refreshed ID token", { isGenerous: true }, "/token"],
])("groups that are %s", (_how, options, path) => {
  test("count for five minutes, and are read again then", async () => {
    const { deployment, alice, role } = await withAlice(["ops"], options);
    await using _deployment = deployment;
    const before = requestsTo(deployment, path);
    alice.groups = ["audit"];
    deployment.clock.move(FIVE_MINUTES - 60_000);
    expect([await role(), requestsTo(deployment, path)]).toEqual(["admin", before]);

    deployment.clock.move(60_000);
    expect([await role(), requestsTo(deployment, path)]).toEqual(["auditor", before + 1]);
    // And again, with the tokens of that time.
    alice.groups = ["ops"];
    deployment.clock.move(FIVE_MINUTES);
    expect(await role()).toBe("admin");
  });

  test("are none if they cannot be read, until they can", async () => {
    const { deployment, groups, role } = await withAlice(["ops"], options);
    await using _deployment = deployment;
    deployment.clock.move(FIVE_MINUTES);
    deployment.provider.down = true;
    expect([await groups(), await role()]).toEqual([[], "member"]);

    deployment.provider.down = false;
    // The provider is not asked again with every request.
    expect(await groups()).toEqual([]);
    deployment.clock.move(30_000);
    expect([await groups(), await role()]).toEqual([["ops"], "admin"]);
  });

  test("are read once for many requests at the same time", async () => {
    const { deployment, groups } = await withAlice(["ops"], options);
    await using _deployment = deployment;
    const before = requestsTo(deployment, path);
    deployment.clock.move(FIVE_MINUTES);
    const all = await Promise.all(Array.from({ length: 50 }, groups));

    expect(all.every((each) => each.join() === "ops")).toBe(true);
    expect(requestsTo(deployment, path)).toBe(before + 1);
  });

  test("are read once by several servers", async () => {
    const { deployment, groups } = await withAlice(["ops"], options);
    await using _deployment = deployment;
    const { site, clock } = deployment;
    const config = loadConfig({ environment: { ...site.environment, RUNTIME_AUTH_CLIENT_ID: "runtime" } });
    const other = await createRuntime(config, NO_EXTENSIONS, { clock, log: silentLog });
    try {
      clock.move(FIVE_MINUTES);
      const before = requestsTo(deployment, path);
      const both = await Promise.all([groups(), other.people.groupsOf("default", "alice")]);

      expect(both).toEqual([["ops"], ["ops"]]);
      expect(requestsTo(deployment, path)).toBe(before + 1);
    } finally {
      await other.close();
    }
  });
});

describe("what is stored", () => {
  test("has no token in clear, and nothing at all if no group is used", async () => {
    await using deployment = await startSignInSite({ accounts: { alice: { groups: ["ops"] } } });
    await signIn(deployment, new Browser(), "alice");
    const { store } = deployment.site.runtime.core;
    expect(await store.all(query("SELECT user_id FROM identities"))).toEqual([]);

    const used = await withAlice(["ops"], { isGenerous: true });
    await using _deployment = used.deployment;
    const rows = await used.deployment.site.runtime.core.store.all<{ sealed_tokens: string }>(
      query("SELECT sealed_tokens FROM identities"),
    );
    expect(rows).toEqual([{ sealed_tokens: expect.stringMatching(/^v1\./) }]);
  });

  test("survives a rotation of the data key", async () => {
    const { deployment, groups } = await withAlice(["ops"], { isGenerous: true });
    await using _deployment = deployment;
    const { runtime } = deployment.site;
    await runtime.rotation.rotateDataKey(await runtime.identity.operator("default"));
    deployment.clock.move(FIVE_MINUTES);

    expect(await groups()).toEqual(["ops"]);
  });
});
