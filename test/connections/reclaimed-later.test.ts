// An order to revoke a grant, and a connection of the user that came without a refresh token before the order was written or
// while it was being sent.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/base";
import { type Deployment, type DeploymentOptions, operator } from "../tools/deployment";
import { query } from "../../src/store";
import { start } from "../authorization/consenting";
import { Person } from "../authorization/person";
import { startTokenEndpoint } from "../support/token-endpoint";
import { known } from "../tools/catalog";
import { call, refusal, until } from "./executing";
import {
  A1,
  A2,
  beforeNextWrite,
  consentAgain,
  givenUp,
  HOUR,
  MINUTE,
  ordersOf,
  reclaiming,
  type Reclaiming,
  remove,
  revocable,
  work,
} from "./reclaiming";

interface Meanwhile {
  /** During the refresh. */
  meanwhile?: (deployment: Deployment) => Promise<void>;
  /** In the answer to the refresh. */
  account?: JsonObject | null;
}

const DUE = query<{ due_at: number }>("SELECT due_at FROM revocations");
const SINGLE: DeploymentOptions = { presets: [{ ...known, id: "single", revokesSingleGrant: true }] };
const KINDS: [string, object, DeploymentOptions][] = [
  ["all grants", { provider_id: "known" }, {}],
  ["single grants", { provider_id: "single" }, SINGLE],
];

/** Alice has consented in a browser, which shows the page of the user check. The grant is of the account A1. */
async function onPage({ deployment: { runtime }, answers }: Reclaiming) {
  const { token } = answers;
  const body = { access_token: "held", refresh_token: "of-held", expires_in: 3600, account: { id: "A1" } };
  answers.token = { body };
  const alice = new Person(runtime);
  const page = await alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" });
  answers.token = token;
  return { decline: () => alice.answer(page, false) };
}

/** Alice's connection is deleted while its revocation is being sent; `answer` ends the request. */
async function beingSent(reclaimed: Reclaiming) {
  const { deployment, answers, revoked } = reclaimed;
  const result = Promise.withResolvers<number>();
  answers.revoke = async () => ({ status: await result.promise, body: {} });
  const removed = givenUp(reclaimed, "first");
  await until(() => revoked().length === 1);
  return {
    answer: async (status: number) => {
      result.resolve(status);
      await removed;
      answers.revoke = { body: {} };
      await until(async () => (await ordersOf(deployment.runtime)) === (status === 200 ? 0 : 1));
    },
  };
}

describe.each(KINDS)("at a provider that revokes %s,", (_kind, record, options) => {
  test("a declined consent leaves its refresh token to a connection that has none", async () => {
    const reclaimed = await reclaiming(record, options);
    const { deployment, revoked, refreshed } = reclaimed;
    await using _ = deployment;
    const { runtime, clock } = deployment;
    const { decline } = await onPage(reclaimed);
    await consentAgain(deployment);
    await decline();
    await until(async () => (await ordersOf(runtime)) === 0);
    clock.move(HOUR);

    expect((await call(runtime, "alice")).success).toBe(true);
    expect([revoked(), refreshed()]).toEqual([[], ["of-held"]]);
  });

  test("a connection that was stored while the revocation was being sent continues the grant if that has failed", async () => {
    const reclaimed = await reclaiming(record, options);
    const { deployment, revoked, refreshed } = reclaimed;
    await using _ = deployment;
    const { runtime, clock } = deployment;
    const { answer } = await beingSent(reclaimed);
    await consentAgain(deployment);
    await answer(503);
    clock.move(MINUTE);
    await work(runtime, async () => (await ordersOf(runtime)) === 0);
    clock.move(HOUR);

    expect((await call(runtime, "alice")).success).toBe(true);
    expect([revoked(), refreshed()]).toEqual([["first"], ["first"]]);
  });

  test("a connection does not take a grant over while it is being revoked", async () => {
    const reclaimed = await reclaiming(record, options);
    const { deployment, refreshed } = reclaimed;
    await using _ = deployment;
    const { runtime, clock } = deployment;
    const { answer } = await beingSent(reclaimed);
    await consentAgain(deployment);
    await answer(200);
    clock.move(HOUR);

    expect((await refusal(call(runtime, "alice"))).status).toBe(403);
    expect(refreshed()).toEqual([]);
  });

  test("an order waits for a consent that is in progress", async () => {
    const reclaimed = await reclaiming(record, options);
    const { deployment, answers, revoked } = reclaimed;
    await using _ = deployment;
    const { runtime, clock } = deployment;
    const other = await deployment.another();
    await givenUp(reclaimed, "first");
    const exchanged = Promise.withResolvers<object>();
    let isExchanging = false;
    answers.token = async () => {
      isExchanging = true;
      return { body: await exchanged.promise };
    };
    const alice = new Person(runtime);
    const consent = alice.consent(await start(runtime));
    await until(() => isExchanging);
    clock.move(MINUTE);
    const due = (await runtime.core.store.get(DUE))?.due_at ?? 0;
    await work(other, async () => ((await runtime.core.store.get(DUE))?.due_at ?? Infinity) > due);
    exchanged.resolve({ access_token: "again", expires_in: 3600, account: { id: "A1" } });

    expect((await consent).kind).toBe("completed");
    expect(revoked()).toEqual(["first"]);
    expect(await ordersOf(runtime)).toBe(0);
  });
});

test.each([
  ["of another account", A2],
  ["of an account that is not known", {}],
])("a declined consent leaves nothing to a connection %s", async (_name, facts) => {
  const reclaimed = await reclaiming({ provider_id: "single" }, SINGLE);
  const { deployment, answers, revoked } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  answers.revoke = { body: {} };
  const { decline } = await onPage(reclaimed);
  await consentAgain(deployment, facts);
  await decline();
  await until(async () => (await ordersOf(runtime)) === 0);
  clock.move(HOUR);

  expect((await refusal(call(runtime, "alice"))).status).toBe(403);
  expect(revoked()).toEqual(["of-held"]);
});

test("a declined consent leaves a connection its own refresh token", async () => {
  const reclaimed = await reclaiming();
  const { deployment, refreshed } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  const { decline } = await onPage(reclaimed);
  await deployment.give("alice", { refresh: "own", facts: A1 });
  await decline();
  await until(async () => (await ordersOf(runtime)) === 0);
  clock.move(HOUR);
  await call(runtime, "alice");

  expect(refreshed()).toEqual(["own"]);
});

test("a consent with a refresh token is not changed by an order that has looked at the connection before", async () => {
  const reclaimed = await reclaiming();
  const { deployment, answers, refreshed } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  const other = await deployment.another();
  const { answer } = await beingSent(reclaimed);
  await consentAgain(deployment);
  await answer(503);
  answers.revoke = { body: {} };
  clock.move(MINUTE);
  beforeNextWrite(other, async () => void (await deployment.give("alice", { refresh: "own", facts: A1 })));
  await work(other, async () => (await ordersOf(runtime)) === 0);
  clock.move(HOUR);
  await call(runtime, "alice");

  expect(refreshed()).toEqual(["own"]);
});

test("an order that a process has begun to send meanwhile is not taken over", async () => {
  const reclaimed = await reclaiming();
  const { deployment, answers, revoked, refreshed } = reclaimed;
  await using _ = deployment;
  const { runtime, clock } = deployment;
  const other = await deployment.another();
  await givenUp(reclaimed, "first");
  const result = Promise.withResolvers<object>();
  answers.revoke = async () => ({ body: await result.promise });
  clock.move(MINUTE);
  const stop = new AbortController();
  let worker = Promise.resolve();
  beforeNextWrite(runtime, async () => {
    worker = other.consent.revokeUnusedGrants(stop.signal);
    await until(() => revoked().length === 2);
  });
  await consentAgain(deployment);
  result.resolve({});
  await until(async () => (await ordersOf(runtime)) === 0);
  stop.abort();
  await worker;
  clock.move(HOUR);

  expect((await refusal(call(runtime, "alice"))).status).toBe(403);
  expect(refreshed()).toEqual([]);
});

describe("tokens of a refresh that arrive after the deletion", () => {
  const deletes = ({ runtime }: Deployment): Promise<void> => remove(runtime);

  /** Alice's grant is refreshed while the connection is deleted and given again; `answer` ends the refresh. */
  async function refreshing(
    facts: JsonObject,
    { meanwhile = deletes, account = { id: "A1" } }: Meanwhile = {},
  ) {
    const reclaimed = await reclaiming();
    const { deployment, answers, refreshed } = reclaimed;
    const { runtime, clock } = deployment;
    const { token } = answers;
    await deployment.give("alice", { refresh: "first", facts: A1 });
    clock.move(HOUR);
    const late = Promise.withResolvers<object>();
    answers.token = async () => ({ body: await late.promise });
    const running = call(runtime, "alice").catch(() => undefined);
    await until(() => refreshed().length === 1);
    answers.token = token;
    await meanwhile(deployment);
    await consentAgain(deployment, facts);
    late.resolve({ access_token: "late", refresh_token: "second", expires_in: 3600, account });
    await running;
    return reclaimed;
  }

  test("continue a consent that has taken over the earlier refresh token", async () => {
    const { deployment, refreshed } = await refreshing(A1);
    await using _ = deployment;
    const { runtime, clock } = deployment;

    expect((await call(runtime, "alice")).success).toBe(true);
    clock.move(HOUR);
    expect((await call(runtime, "alice")).success).toBe(true);
    expect(refreshed()).toEqual(["first", "second"]);
    expect(await ordersOf(runtime)).toBe(0);
  });

  test.each([
    ["", { id: "A1" }],
    [", also if the answer does not name the account", null],
  ])("do not continue a consent of another account%s", async (_name, account) => {
    const { deployment, refreshed, revoked } = await refreshing(A2, { account });
    await using _ = deployment;
    const { runtime, clock, platform } = deployment;
    await call(runtime, "alice");
    await until(() => revoked().includes("second"));
    clock.move(HOUR);

    expect((await refusal(call(runtime, "alice"))).status).toBe(403);
    expect(platform.tokens()).not.toContain("late");
    expect(refreshed()).toEqual(["first"]);
  });

  test("do not continue a consent at other addresses of the provider", async () => {
    await using elsewhere = startTokenEndpoint();
    const { deployment } = await refreshing(A1, {
      meanwhile: async (before) => {
        const oauth2 = { ...revocable(before, elsewhere.url), client_secret: "client-secret" };
        await before.runtime.providers.update(operator(), "idp", { oauth2 });
      },
    });
    await using _ = deployment;
    const { runtime, clock } = deployment;
    clock.move(HOUR);
    const refused = await refusal(call(runtime, "alice"));

    expect(refused.status).toBe(403);
    expect(elsewhere.requests.map(({ params }) => params["refresh_token"])).not.toContain("second");
  });
});
