// Tokens of workloads: whose they are, and in which project.
import { describe, expect, test } from "bun:test";
import type { WorkloadCreate } from "../../src/identity";
import { query } from "../../src/store";
import { refusal, until } from "../connections/executing";
import { accessToken } from "../interop/oidc/forge";
import { type JwtParts, signed } from "../interop/oidc/keys";
import { startOpenIdProvider } from "../interop/oidc/provider";
import { operator } from "../tools/deployment";
import { AUDIENCE, type Stage, stage, SUBJECT, token } from "./workload-stage";

describe("a token of a workload", () => {
  test.each<[string, Partial<WorkloadCreate>, object]>([
    ["has the role run for any user", {}, { role: "run", users: null }],
    ["has the role of the workload", { role: "admin" }, { role: "admin", users: null }],
    ["is pinned to the users of the workload", { users: ["alice"] }, { role: "run", users: ["alice"] }],
  ])("%s", async (_name, request, principal) => {
    await using scene = await stage();
    const id = await scene.accept(request);
    const { identity } = scene.deployment.runtime;

    expect(await identity.authenticate(`Bearer ${token(scene.issuer)}`)).toMatchObject({
      kind: "key",
      keyId: id,
      workload: SUBJECT,
      projectId: "default",
      ...principal,
    });
  });

  test.each<[string, JwtParts["claims"], JwtParts["header"]]>([
    ["no type, as of Kubernetes", {}, { typ: undefined }],
    ["the type of access tokens", {}, { typ: "at+jwt" }],
    ["one audience in a list", { aud: [AUDIENCE] }, {}],
    ["a lifetime of 24 hours", { exp: Math.floor(Date.now() / 1000) + 86_390 }, {}],
  ])("may have %s", async (_name, claims, header) => {
    await using scene = await stage();
    await scene.accept();

    expect(
      await scene.deployment.runtime.identity.authenticate(token(scene.issuer, claims, header)),
    ).toMatchObject({ kind: "key", workload: SUBJECT });
  });

  test("is shown to its caller, in the log of changes, and as the last use", async () => {
    await using scene = await stage();
    const id = await scene.accept({ role: "admin" });
    const { runtime } = scene.deployment;
    const principal = await runtime.identity.authenticate(token(scene.issuer));
    await runtime.identity.createKey(principal, { name: "made by a job" });

    expect(await runtime.identity.projects.caller(principal)).toEqual({
      kind: "workload",
      role: "admin",
      project_id: "default",
      org_id: "default",
      workload_id: id,
      subject: SUBJECT,
    });
    const [entry] = (await runtime.trail.audit(operator(), { limit: 1 })).items;
    expect(entry).toMatchObject({
      actor: `workload:${id}`,
      action: "key.create",
      details: { token_subject: SUBJECT },
    });
    await until(
      async () => (await runtime.identity.workloads.get(operator(), id)).last_used_at !== undefined,
    );
  });

  test("is not written to the log, nor to any file", async () => {
    await using scene = await stage();
    await scene.accept();
    const good = token(scene.issuer);
    const { runtime, logLines } = scene.deployment;
    await runtime.identity.authenticate(good);
    await refusal(runtime.identity.authenticate(token(scene.issuer, { sub: "repo:other/app:ref:x" })));

    const signature = good.split(".")[2] ?? "";
    expect(logLines.join("\n")).not.toContain(signature);
  });
});

describe("a workload", () => {
  test.each<[string, Partial<WorkloadCreate>, string]>([
    ["whose issuer is not https", { issuer: "http://ci.example.com" }, "issuer"],
    ["whose issuer has a password", { issuer: "https://me:secret@ci.example.com" }, "issuer"],
    ["for administration and some users", { role: "admin", users: ["alice"] }, "users"],
    ["for metrics and some users", { role: "metrics", users: ["alice"] }, "users"],
    ["for an invalid user", { users: ["a\u0000b"] }, "users.0"],
  ])("%s is refused", async (_name, request, field) => {
    await using scene = await stage();
    const error = await refusal(scene.accept(request));

    expect([error.status, error.fieldErrors?.[0]?.field]).toEqual([400, field]);
  });

  test("with the name of another one is refused", async () => {
    await using scene = await stage();
    await scene.accept();

    expect((await refusal(scene.accept({ subject: "repo:acme/b" }))).name).toBe("already_exists");
  });

  test("that is deleted stops working at once, on every server, and is unknown in other projects", async () => {
    await using scene = await stage();
    const { deployment, issuer } = scene;
    const { identity } = deployment.runtime;
    const other = await deployment.another();
    await identity.createProject(operator(), "second", "second");
    const id = await scene.accept();
    const principal = await other.identity.authenticate(token(issuer));
    const lost = Promise.withResolvers<void>();
    using _watch = { [Symbol.dispose]: other.identity.watch(principal, () => lost.resolve()) };

    expect((await refusal(identity.workloads.delete(operator("second"), id))).status).toBe(404);
    expect((await refusal(identity.workloads.get(operator("second"), id))).status).toBe(404);
    expect((await identity.workloads.list(operator("second"))).items).toEqual([]);
    await identity.workloads.delete(operator(), id);

    for (const each of [identity, other.identity])
      expect((await refusal(each.authenticate(token(issuer)))).status).toBe(401);
    expect((await refusal(other.identity.requireCurrent(principal))).message).toBe(
      "The workload was removed.",
    );
    expect(await identity.actor("default", `workload:${id}`)).toBeUndefined();
    await lost.promise;
  });

  test("acts in scheduled runs with the rights that it has then", async () => {
    await using scene = await stage();
    const id = await scene.accept({ users: ["alice"] });
    const { identity } = scene.deployment.runtime;

    expect(await identity.actor("default", `workload:${id}`)).toMatchObject({
      kind: "key",
      keyId: id,
      users: ["alice"],
    });
    await identity.createProject(operator(), "second", "second");
    expect(await identity.actor("second", `workload:${id}`)).toBeUndefined();
  });

  test("stops with the signing key that its issuer removes, within a minute", async () => {
    await using scene = await stage();
    await scene.accept();
    const { identity } = scene.deployment.runtime;
    const old = token(scene.issuer);
    await identity.authenticate(old);
    scene.issuer.rotate("removed");
    scene.deployment.clock.move(61_000);

    expect((await refusal(identity.authenticate(old))).message).toContain("not among the keys");
  });

  test("whose issuer cannot be reached is refused with the reason", async () => {
    await using scene = await stage();
    await scene.accept();
    scene.issuer.down = true;
    const { identity } = scene.deployment.runtime;

    expect((await refusal(identity.authenticate(token(scene.issuer)))).message).toContain(
      "cannot be reached",
    );
  });
});

describe("the project", () => {
  async function two(scene: Stage): Promise<void> {
    await scene.deployment.runtime.identity.createProject(operator(), "second", "second");
  }

  test("is the only one with a matching workload", async () => {
    await using scene = await stage();
    await two(scene);
    await scene.accept({ subject: "repo:acme/other" });
    await scene.accept({}, "second");
    const { identity } = scene.deployment.runtime;

    expect(await identity.authenticate(token(scene.issuer))).toMatchObject({ projectId: "second" });
    // The path selects, it does not give access.
    expect(await identity.authenticate(token(scene.issuer), "default")).toMatchObject({
      projectId: "second",
    });
  });

  test("is the one in the path if several match; otherwise the token is refused", async () => {
    await using scene = await stage();
    await two(scene);
    await scene.accept();
    await scene.accept({}, "second");
    const { identity } = scene.deployment.runtime;

    expect(await identity.authenticate(token(scene.issuer), "second")).toMatchObject({ projectId: "second" });
    expect(await identity.authenticate(token(scene.issuer), "default")).toMatchObject({
      projectId: "default",
    });
    expect((await refusal(identity.authenticate(token(scene.issuer)))).message).toContain(
      "Several workloads",
    );
  });

  test("has one matching workload; two are refused, because their roles may differ", async () => {
    await using scene = await stage();
    await scene.accept();
    await scene.accept({ name: "wide", subject: "repo:acme/app:ref:refs/heads/*", role: "admin" });
    const { identity } = scene.deployment.runtime;

    expect((await refusal(identity.authenticate(token(scene.issuer), "default"))).message).toContain(
      "Several workloads",
    );
  });
});

describe("users and workloads", () => {
  test("have different issuers: that of users is refused for a workload", async () => {
    await using users = await startOpenIdProvider();
    await using scene = await stage({ RUNTIME_AUTH_URL: users.address });

    for (const issuer of [users.url, `${users.url}/`])
      expect(await refusal(scene.accept({ issuer }))).toMatchObject({
        status: 400,
        fieldErrors: [{ field: "issuer" }],
      });
  });

  test("are told apart: a token of the one is never a token of the other", async () => {
    await using users = await startOpenIdProvider();
    await using scene = await stage({ RUNTIME_AUTH_URL: users.address });
    await scene.accept({ subject: "alice" });
    const { runtime } = scene.deployment;
    const audience = runtime.core.publicUrl();
    const ofUser = signed(accessToken(users, audience), users.key);
    // As a user of the project, and as the workload.
    const asUser = signed(accessToken(scene.issuer, audience), scene.issuer.key);
    const asWorkload = signed(accessToken(users, AUDIENCE), users.key);

    expect(await runtime.identity.authenticate(ofUser)).toMatchObject({ kind: "user", userId: "alice" });
    expect((await refusal(runtime.identity.authenticate(asUser))).status).toBe(401);
    expect((await refusal(runtime.identity.authenticate(asWorkload))).status).toBe(401);
  });

  test("stay apart if the issuer becomes that of users later", async () => {
    await using scene = await stage();
    await scene.accept({ subject: "alice" });
    const { core } = scene.deployment.runtime;
    // As after a restart with another setting.
    Object.assign(core.settings, { "auth.url": scene.issuer.address });
    const { identity } = scene.deployment.runtime;
    const ofUser = signed(accessToken(scene.issuer, core.publicUrl()), scene.issuer.key);

    expect(await identity.authenticate(ofUser)).toMatchObject({ kind: "user", userId: "alice" });
    expect((await refusal(identity.authenticate(token(scene.issuer, { sub: "alice" })))).status).toBe(401);
  });
});

test("an erased user is taken off the workloads that are pinned to the user", async () => {
  await using scene = await stage();
  const id = await scene.accept({ users: ["alice", "bob"] });
  const { runtime } = scene.deployment;
  await runtime.identity.authenticate(token(scene.issuer));
  const { workloads } = await runtime.users.export(operator(), "alice");
  await runtime.users.erase(operator(), "alice");

  expect(workloads).toMatchObject([{ id }]);
  expect(await runtime.identity.authenticate(token(scene.issuer))).toMatchObject({ users: ["bob"] });
});

test("creation and deletion are in the audit trail", async () => {
  await using scene = await stage();
  const id = await scene.accept({ users: ["alice"] });
  const { runtime } = scene.deployment;
  await runtime.identity.workloads.delete(operator(), id);
  const rows = await runtime.core.store.all(
    query<{ action: string; target: string }>(
      "SELECT action, target FROM audit WHERE action LIKE 'workload.%' ORDER BY number",
    ),
  );

  expect(rows).toEqual([
    { action: "workload.create", target: id },
    { action: "workload.delete", target: id },
  ]);
});
