// A consent without a refresh token, after the user has deleted a connection whose grant is still to be revoked: the provider
// has returned another access token of that grant.
import { expect, test } from "bun:test";
import { query } from "../../src/store";
import { openOrder } from "../../src/connections/reclaimed";
import { replaceTokens, type RevocationRow } from "../../src/connections/revocation-rows";
import { sealTokens } from "../../src/connections/tokens";
import { Redacted } from "../../src/base";
import { operator } from "../tools/deployment";
import { startTokenEndpoint } from "../support/token-endpoint";
import { Person } from "../authorization/person";
import { start, status } from "../authorization/consenting";
import { call, refusal, until } from "./executing";
import {
  A1,
  A2,
  beforeNextWrite,
  consentAgain,
  givenUp,
  HOUR,
  ordersOf,
  reclaiming,
  type Reclaiming,
  remove,
  revocable,
} from "./reclaiming";

const SENDING = query("SELECT id FROM revocations WHERE sending_until IS NOT NULL");
const ORDER = query<RevocationRow>("SELECT * FROM revocations");

/** An hour after the consent, the user must consent again, and no refresh token was sent. */
async function expectNotContinued({ deployment, refreshed }: Reclaiming): Promise<void> {
  expect((await call(deployment.runtime, "alice")).success).toBe(true);
  deployment.clock.move(HOUR);
  expect((await refusal(call(deployment.runtime, "alice"))).status).toBe(403);
  expect(refreshed()).toEqual([]);
}

/** The revocation has failed, and no process is sending it. */
async function failedToRevoke({ deployment, revoked }: Reclaiming, token: string): Promise<void> {
  const { store } = deployment.runtime.core;
  await until(async () => revoked().includes(token) && (await store.get(SENDING)) === undefined);
}

test("continues the grant, which is not revoked any more", async () => {
  const reclaimed = await reclaiming();
  const { deployment, answers, revoked, refreshed } = reclaimed;
  await using _ = deployment;
  const { runtime, clock, platform } = deployment;
  await givenUp(reclaimed, "first");
  await consentAgain(deployment);
  answers.revoke = { body: {} };

  expect(await ordersOf(runtime)).toBe(0);
  expect((await call(runtime, "alice")).success).toBe(true);
  clock.move(HOUR);
  expect((await call(runtime, "alice")).success).toBe(true);
  expect(platform.tokens()).toEqual(["again", "newer"]);
  expect(refreshed()).toEqual(["first"]);
  expect(revoked()).toEqual(["first"]);
});

test("in a browser, is told nothing about a grant that cannot be renewed", async () => {
  const reclaimed = await reclaiming();
  const { deployment } = reclaimed;
  await using _ = deployment;
  const { runtime } = deployment;
  await givenUp(reclaimed, "first");
  const authorization = await start(runtime);
  const outcome = await new Person(runtime).consent(authorization);

  expect(outcome.kind).toBe("completed");
  expect((await status(runtime, authorization)).status_reason).toBeUndefined();
});

test("is revoked with the refresh token when it is deleted again", async () => {
  const reclaimed = await reclaiming();
  const { deployment, answers, revoked } = reclaimed;
  await using _ = deployment;
  await givenUp(reclaimed, "first");
  await consentAgain(deployment);
  answers.revoke = { body: {} };
  await remove(deployment.runtime);

  expect(revoked()).toEqual(["first", "first"]);
  expect(await ordersOf(deployment.runtime)).toBe(0);
});

test("continues the newest of several grants", async () => {
  const reclaimed = await reclaiming();
  const { deployment, refreshed } = reclaimed;
  await using _ = deployment;
  await givenUp(reclaimed, "first");
  await givenUp(reclaimed, "second");
  await consentAgain(deployment);
  deployment.clock.move(HOUR);
  await call(deployment.runtime, "alice");

  expect(refreshed()).toEqual(["second"]);
});

test("continues a grant that a connection has used before one whose consent was declined", async () => {
  const reclaimed = await reclaiming();
  const { deployment, answers, refreshed } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  await givenUp(reclaimed, "first");
  const { token } = answers;
  answers.token = { body: { access_token: "declined", refresh_token: "of-declined", account: { id: "A1" } } };
  const alice = new Person(runtime);
  await alice.answer(
    await alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" }),
    false,
  );
  await failedToRevoke(reclaimed, "of-declined");
  answers.token = token;
  await consentAgain(deployment);
  clock.move(HOUR);
  await call(runtime, "alice");

  expect(refreshed()).toEqual(["first"]);
});

test.each([
  ["of another account", A1, A2],
  ["of an account that is not known", A1, {}],
  ["after a grant of an account that was not known", {}, A1],
  ["if both accounts are not known", {}, {}],
])("%s, does not continue the grant", async (_name, first, second) => {
  const reclaimed = await reclaiming();
  await using _ = reclaimed.deployment;
  await givenUp(reclaimed, "first", { facts: first });
  await consentAgain(reclaimed.deployment, second);

  await expectNotContinued(reclaimed);
});

test("does not continue the grant of another user of the same account", async () => {
  const reclaimed = await reclaiming();
  await using _ = reclaimed.deployment;
  await givenUp(reclaimed, "bobs", { user: "bob" });
  await consentAgain(reclaimed.deployment);

  await expectNotContinued(reclaimed);
});

test("does not continue the grant of a user of the same name in a deleted project", async () => {
  const reclaimed = await reclaiming();
  const { deployment } = reclaimed;
  await using _ = deployment;
  const { runtime } = deployment;
  await runtime.identity.createProject(operator(), "second", "Second");
  await deployment.addProvider({ provider_id: "known", oauth2: revocable(deployment) }, "second");
  await givenUp(reclaimed, "of-second", { project: "second" });
  await runtime.identity.deleteProject(operator(), "second");
  expect(await ordersOf(runtime)).toBe(1);
  await consentAgain(deployment);

  await expectNotContinued(reclaimed);
});

test("does not continue a grant at other addresses of the provider", async () => {
  const reclaimed = await reclaiming();
  const { deployment } = reclaimed;
  await using _ = deployment;
  await using elsewhere = startTokenEndpoint();
  await givenUp(reclaimed, "first");
  await deployment.runtime.providers.update(operator(), "idp", {
    oauth2: { ...revocable(deployment, elsewhere.url), client_secret: "client-secret" },
  });
  await consentAgain(deployment);
  deployment.clock.move(HOUR);

  expect((await refusal(call(deployment.runtime, "alice"))).status).toBe(403);
  expect(elsewhere.requests.map(({ params }) => params["refresh_token"])).not.toContain("first");
});

test("does not continue a dead grant", async () => {
  const reclaimed = await reclaiming();
  const { deployment } = reclaimed;
  await using _ = deployment;
  const { runtime } = deployment;
  const connectionId = await deployment.give("alice", { refresh: "dead", facts: A1 });
  await runtime.connections.markDead("default", { connectionId, version: 1 }, "refused");
  await remove(runtime);
  await consentAgain(deployment);

  await expectNotContinued(reclaimed);
});

test("does not continue a grant that was refused", async () => {
  const reclaimed = await reclaiming();
  const { deployment, answers } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  await deployment.give("alice", { refresh: "of-A2", facts: A2 });
  answers.token = {
    body: { access_token: "other", refresh_token: "of-A1", expires_in: 3600, account: { id: "A1" } },
  };
  clock.move(HOUR);
  await refusal(call(runtime, "alice"));
  await failedToRevoke(reclaimed, "of-A1");
  await consentAgain(deployment);
  clock.move(HOUR);

  expect((await refusal(call(runtime, "alice"))).status).toBe(403);
});

test("continues the grant with a refresh token that the revocation has renewed meanwhile", async () => {
  const reclaimed = await reclaiming();
  const { deployment, refreshed } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  const other = await deployment.another();
  await givenUp(reclaimed, "first");
  beforeNextWrite(runtime, async () => {
    const { keyring, store } = other.core;
    const order = await store.get(ORDER);
    if (order === undefined) throw new Error("no order");
    const grant = await openOrder(keyring, order);
    const renewed = { ...grant, refreshToken: new Redacted("renewed") };
    const sealed = await sealTokens(keyring, order, renewed, { facts: grant.facts });
    await store.write(() => replaceTokens({ id: order.id, ...sealed }));
  });
  await consentAgain(deployment);
  clock.move(HOUR);
  await call(runtime, "alice");

  expect(refreshed()).toEqual(["renewed"]);
});

test("continues the grant while the data keys are rotated", async () => {
  const reclaimed = await reclaiming();
  const { deployment, refreshed } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  const other = await deployment.another();
  await givenUp(reclaimed, "first");
  beforeNextWrite(runtime, async () => void (await other.rotation.rotateDataKey(operator())));
  await consentAgain(deployment);
  clock.move(HOUR);

  expect((await call(other, "alice")).success).toBe(true);
  expect(refreshed()).toEqual(["first"]);
});

test("is stored without a grant that a rotation cannot open", async () => {
  const reclaimed = await reclaiming();
  const { deployment } = reclaimed;
  await using _ = deployment;
  const { store } = deployment.runtime.core;
  await givenUp(reclaimed, "first");
  const order = await store.get(ORDER);
  await store.write(() =>
    replaceTokens({ id: order?.id ?? "", sealed_tokens: "damaged", sealed_facts: null }),
  );
  await consentAgain(deployment);

  await expectNotContinued(reclaimed);
});
