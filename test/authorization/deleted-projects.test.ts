// The grants of a deleted project are revoked at their providers.
import { expect, test } from "bun:test";
import { query } from "../../src/store";
import { call, refusal, until } from "../connections/executing";
import type { Answer } from "../support/token-endpoint";
import { deploy, idpRecord, operator } from "../tools/deployment";
import { look, MINUTE } from "./consenting";

const ORDERS = query<{ project_id: string }>("SELECT project_id FROM revocations");
const FORMER = query<{ project_id: string }>("SELECT project_id FROM former_providers");

/** A second project whose provider can revoke, and two users with grants. */
async function second(revoke: Answer = { body: {} }) {
  const deployment = await deploy();
  const { runtime, idp } = deployment;
  const answers = { revoke };
  idp.otherwise((request) =>
    typeof answers.revoke === "function" ? answers.revoke(request) : answers.revoke,
  );
  await runtime.identity.createProject(operator(), "second", "Second");
  const { oauth2 } = idpRecord(idp);
  const revoke_request = {
    endpoint: `${idp.url}/revoke`,
    auth_method: "client_secret_basic",
    params: { token: "{{refresh_token}}" },
  };
  await deployment.addProvider({ oauth2: { ...oauth2, revoke_request } }, "second");
  for (const user of ["alice", "bob"])
    await deployment.give(user, { project: "second", refresh: `of-${user}` });
  const revoked = (): unknown[] => idp.requests.map(({ params }) => params["token"]).toSorted();
  return { deployment, answers, revoked };
}

const orders = async ({ runtime }: Awaited<ReturnType<typeof deploy>>) => runtime.core.store.all(ORDERS);

test("by the command that deletes it, with the client's secret", async () => {
  const { deployment, revoked } = await second();
  await using _ = deployment;
  const { runtime, idp } = deployment;
  await runtime.identity.deleteProject(operator(), "second");
  await until(async () => (await orders(deployment)).length === 0);

  expect(revoked()).toEqual(["of-alice", "of-bob"]);
  const sent = idp.requests.map(({ headers }) => headers.get("authorization")?.slice("Basic ".length) ?? "");
  // RFC 6749, section 2.3.1, encodes both as in a form.
  expect(sent.map((text) => decodeURIComponent(atob(text)))).toEqual(Array(2).fill("client:client-secret"));
});

test("by a server later, if the provider does not answer, also if the project exists again", async () => {
  const { deployment, answers, revoked } = await second({ status: 503 });
  await using _ = deployment;
  const { runtime, clock } = deployment;
  await runtime.identity.deleteProject(operator(), "second");
  await until(() => revoked().length === 2);
  await runtime.identity.createProject(operator(), "second", "Another");
  answers.revoke = { body: {} };
  const other = await deployment.another();
  clock.move(MINUTE);
  const stop = new AbortController();
  const worker = other.consent.revokeUnusedGrants(stop.signal);
  await until(async () => (await orders(deployment)).length === 0);
  stop.abort();
  await worker;
  await look(other);
  clock.move(20 * MINUTE);
  await look(other);

  expect(await runtime.core.store.all(FORMER)).toEqual([]);
  expect(revoked()).toEqual(["of-alice", "of-alice", "of-bob", "of-bob"]);
}, 20_000);

test("but not if another project needs the grant", async () => {
  const { deployment, revoked } = await second();
  await using _ = deployment;
  const { runtime, idp } = deployment;
  await deployment.addProvider({ oauth2: idpRecord(idp).oauth2 });
  await deployment.give("alice", { refresh: "of-the-other" });
  await runtime.identity.deleteProject(operator(), "second");
  await until(async () => (await orders(deployment)).length === 0);

  expect(revoked()).toEqual([]);
  expect((await call(runtime, "alice")).success).toBe(true);
});

test("also a grant that is given while the project is deleted", async () => {
  const { deployment, revoked } = await second();
  await using _ = deployment;
  const { runtime } = deployment;
  const { store } = runtime.core;
  const write = store.write.bind(store);
  let writes = 0;
  store.write = async (body, options) => {
    // After the grants of the project have left.
    if (++writes === 4) await deployment.give("carol", { project: "second", refresh: "of-carol" });
    return write(body, options);
  };
  await runtime.identity.deleteProject(operator(), "second");
  await until(async () => (await orders(deployment)).length === 0);

  expect(revoked()).toEqual(["of-alice", "of-bob", "of-carol"]);
});

test("but not of the project default, which cannot be deleted", async () => {
  await using deployment = await deploy();
  const { runtime, idp } = deployment;
  const { oauth2 } = idpRecord(idp);
  const revoke_request = { endpoint: `${idp.url}/revoke`, params: { token: "{{refresh_token}}" } };
  await deployment.addProvider({ oauth2: { ...oauth2, revoke_request } });
  await deployment.give("alice");

  expect((await refusal(runtime.identity.deleteProject(operator(), "default"))).status).toBe(400);
  expect((await call(runtime, "alice")).success).toBe(true);
  expect(idp.requests).toEqual([]);
});
