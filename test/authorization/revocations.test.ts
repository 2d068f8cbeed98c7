// Grants that no connection holds are revoked at the provider.
import { describe, expect, test } from "bun:test";
import type { Runtime } from "../../src/runtime";
import { query, run } from "../../src/store";
import { call, connectionOf, until } from "../connections/executing";
import type { Answer, TokenRequest } from "../support/token-endpoint";
import {
  deploy,
  type Deployment,
  type DeploymentOptions,
  idpRecord,
  operator,
  pass,
} from "../tools/deployment";
import { ahead, HOUR, look, MINUTE, start } from "./consenting";
import { Person } from "./person";

const USED = query<{ count: number }>(
  "SELECT COUNT(*) AS count FROM authorizations WHERE used_at IS NOT NULL",
);
const FORMER = query<{ count: number }>("SELECT COUNT(*) AS count FROM former_providers");
const COUNT = query<{ count: number }>("SELECT COUNT(*) AS count FROM revocations");

interface Script {
  token?: Answer;
  revoke?: Answer;
}

/** A provider that can revoke. `revoked`: the tokens that were sent to it. */
async function revoking(script: Script = {}, options: DeploymentOptions = {}) {
  const deployment = await deploy(options);
  const { idp } = deployment;
  const { oauth2 } = idpRecord(idp);
  const revoke_request = { endpoint: `${idp.url}/revoke`, params: { token: "{{refresh_token}}" } };
  await deployment.addProvider({ oauth2: { ...oauth2, revoke_request } });
  const granted = { access_token: "granted", refresh_token: "granted-refresh", expires_in: 3600 };
  const answers = { token: { body: granted }, revoke: { body: {} }, ...script };
  idp.otherwise((request) => {
    const answer = isRevocation(request) ? answers.revoke : answers.token;
    return typeof answer === "function" ? answer(request) : answer;
  });
  const revoked = (): unknown[] => idp.requests.filter(isRevocation).map(({ params }) => params["token"]);
  const orders = async (runtime = deployment.runtime): Promise<number | undefined> =>
    (await runtime.core.store.get(COUNT))?.count;
  return { deployment, answers, revoked, orders };
}

function isRevocation({ address }: TokenRequest): boolean {
  return address.startsWith("/revoke");
}

async function remove({ runtime }: Deployment): Promise<void> {
  const connection = await connectionOf(runtime, "alice");
  await runtime.connections.delete(operator(), connection?.id ?? "");
}

async function page(runtime: Runtime) {
  const alice = new Person(runtime);
  const outcome = await alice.comeBack(await alice.toProvider(await start(runtime)), { code: "C" });
  return { alice, outcome };
}

/** Runs the worker of a server until `done`. */
async function work(runtime: Runtime, done: () => boolean | Promise<boolean>): Promise<void> {
  const stop = new AbortController();
  const worker = runtime.consent.revokeUnusedGrants(stop.signal);
  await until(done);
  stop.abort();
  await worker;
}

test("a connection that is deleted during a refresh: the new tokens are revoked", async () => {
  const { deployment, answers, revoked, orders } = await revoking();
  await using _ = deployment;
  const { runtime, idp, clock } = deployment;
  await deployment.give("alice", { refresh: "first" });
  clock.move(HOUR);
  const late = Promise.withResolvers<object>();
  answers.token = async () => ({ body: await late.promise });
  const running = call(runtime, "alice").catch(() => undefined);
  await until(() => idp.requests.length === 1);
  await remove(deployment);
  late.resolve({ access_token: "new", refresh_token: "second", expires_in: 3600 });
  await running;
  await until(async () => (await orders()) === 0);

  expect(revoked()).toEqual(["first", "second"]);
});

test("a record of another project that the database cannot read as JSON stops nothing", async () => {
  const { deployment, revoked, orders } = await revoking();
  await using _ = deployment;
  const { runtime, idp } = deployment;
  await runtime.identity.createProject(operator(), "other", "Other");
  await runtime.providers.create(await runtime.identity.operator("other"), idpRecord(idp));
  const nul = query("UPDATE auth_providers SET oauth2 = REPLACE(oauth2, ?, ?) WHERE project_id = 'other'");
  await runtime.core.store.write(() => run(nul, '"client_id":"', String.raw`"client_id":"\u0000`));
  await deployment.give("alice", { refresh: "first" });
  await remove(deployment);
  await until(async () => (await orders()) === 0);

  expect(revoked()).toEqual(["first"]);
});

test("a user check that is answered with no: the grant is revoked", async () => {
  const { deployment, revoked, orders } = await revoking();
  await using _ = deployment;
  const { alice, outcome } = await page(deployment.runtime);
  if (outcome.kind !== "confirm") throw new Error("no page of the user check");
  await alice.answer(outcome, false);
  await until(async () => (await orders()) === 0);

  expect(revoked()).toEqual(["granted-refresh"]);
});

test("a provider that changes during the exchange: no user check, and the grant is revoked", async () => {
  const { deployment, answers, revoked, orders } = await revoking();
  await using _ = deployment;
  const { runtime } = deployment;
  const before = answers.token;
  answers.token = async (request) => {
    await runtime.providers.update(operator(), "idp", { oauth2: { client_id: "new" } });
    return typeof before === "function" ? before(request) : (before ?? {});
  };
  const { outcome } = await page(runtime);
  await until(async () => (await orders()) === 0);

  expect(outcome).toMatchObject({ kind: "failed" });
  expect(revoked()).toEqual(["granted-refresh"]);
});

test("a grant that cannot be stored for good is revoked", async () => {
  const environment = { RUNTIME_UNSAFE_SKIP_VERIFICATION_ALLOWED: "true" };
  const { deployment, revoked, orders } = await revoking({}, { environment });
  await using _ = deployment;
  const { runtime } = deployment;
  await runtime.settings.update(operator(), { unsafe_skip_verification: true });
  runtime.connections.store = () => Promise.reject(new Error("broken"));

  await expect(page(runtime)).rejects.toThrow("broken");
  await until(async () => revoked().length === 1 && (await orders()) === 0);

  expect(revoked()).toEqual(["granted-refresh"]);
}, 20_000);

test("a consent that expires before the user check: the grant is revoked", async () => {
  const { deployment, revoked } = await revoking();
  await using _ = deployment;
  await page(deployment.runtime);
  deployment.clock.move(11 * MINUTE);
  await work(deployment.runtime, () => revoked().length === 1);

  expect(revoked()).toEqual(["granted-refresh"]);
});

test("a consent of another account: the grant of the earlier account is revoked", async () => {
  const { deployment, revoked, orders } = await revoking();
  await using _ = deployment;
  const { oauth2 } = idpRecord(deployment.idp);
  const revoke_request = {
    endpoint: `${deployment.idp.url}/revoke`,
    params: { token: "{{refresh_token}}" },
  };
  const record = { id: "known", provider_id: "known", oauth2: { ...oauth2, revoke_request } };
  await deployment.addProvider(record);
  for (const account_id of ["A1", "A2"])
    await deployment.give("alice", {
      provider: "known",
      refresh: `refresh-${account_id}`,
      facts: { account_id },
    });
  await until(async () => revoked().length === 1 && (await orders()) === 0);

  expect(revoked()).toEqual(["refresh-A1"]);
});

test("a refresh that returns another account: that grant is revoked", async () => {
  const { deployment, answers, revoked, orders } = await revoking();
  await using _ = deployment;
  const { runtime, clock, idp } = deployment;
  const { oauth2 } = idpRecord(idp);
  const revoke_request = { endpoint: `${idp.url}/revoke`, params: { token: "{{refresh_token}}" } };
  const record = { provider_id: "known", oauth2: { ...oauth2, revoke_request } };
  await runtime.providers.delete(operator(), "idp");
  await deployment.addProvider(record);
  await deployment.give("alice", { facts: { account_id: "A1" } });
  answers.token = {
    body: { access_token: "other", refresh_token: "other-refresh", account: { id: "A2" } },
  };
  clock.move(HOUR);
  await call(runtime, "alice").catch(() => undefined);
  await until(async () => (await orders()) === 0);

  expect(revoked()).toEqual(["other-refresh"]);
});

test("a slow revocation: a new code is not exchanged before it is done", async () => {
  const { deployment, answers } = await revoking();
  await using _ = deployment;
  const { runtime, idp } = deployment;
  await deployment.give("alice");
  const events: string[] = [];
  answers.revoke = async () => {
    await Bun.sleep(300);
    events.push("revoked");
    return { body: {} };
  };
  const before = answers.token;
  answers.token = (request) => {
    events.push("exchanged");
    return typeof before === "function" ? before(request) : (before ?? {});
  };
  const removed = remove(deployment);
  await until(() => idp.requests.length === 1);
  await Promise.all([removed, page(runtime)]);

  expect(events).toEqual(["revoked", "exchanged"]);
});

test("a slow revocation: a process whose clock runs ahead does not exchange a new code before it is done", async () => {
  const { deployment, answers } = await revoking();
  await using _ = deployment;
  const { runtime, idp, clock } = deployment;
  const other = await deployment.another();
  await deployment.give("alice");
  const events: string[] = [];
  const { promise: isAnswered, resolve: answer } = Promise.withResolvers<void>();
  answers.revoke = async () => {
    await isAnswered;
    events.push("revoked");
    return { body: {} };
  };
  const before = answers.token;
  answers.token = (request) => {
    events.push("exchanged");
    return typeof before === "function" ? before(request) : (before ?? {});
  };
  const removed = remove(deployment);
  await until(() => idp.requests.length === 1);
  clock.jump(100 * 24 * HOUR);
  const consent = page(other);
  await until(async () => (await runtime.core.store.get(USED))?.count === 1);
  await Bun.sleep(200);
  answer();
  await Promise.all([removed, consent]);

  expect(events).toEqual(["revoked", "exchanged"]);
});

test("a revocation that was held up is not sent after a consent has stopped waiting for it", async () => {
  const { promise: isThawed, resolve: thaw } = Promise.withResolvers<void>();
  let isHeld = false;
  const { deployment, revoked, orders } = await revoking();
  await using _ = deployment;
  const { runtime, clock } = deployment;
  await deployment.give("alice");
  const { egress } = runtime.core;
  const fetch = egress.fetch.bind(egress);
  // The process is frozen just before the request.
  egress.fetch = async (url, request) => {
    if (!String(url).includes("/revoke")) return fetch(url, request);
    isHeld = true;
    await isThawed;
    return fetch(url, request);
  };
  const removed = remove(deployment);
  await until(() => isHeld);
  const other = await deployment.another();
  const consent = page(other);
  let isOver = false;
  void consent.finally(() => (isOver = true));
  // The heartbeats take real seconds.
  while (!isOver) await pass(clock, 4000);
  thaw();
  await removed;

  expect((await consent).outcome.kind).toBe("confirm");
  expect(revoked()).toEqual([]);
  expect(await orders()).toBe(1);
});

test.each([
  ["100 days", 100 * 24 * HOUR],
  ["11 minutes", 11 * MINUTE],
])("an order of a process whose clock runs %s ahead is sent by another one", async (_ahead, ahead) => {
  const { deployment, answers, revoked, orders } = await revoking({ revoke: { status: 503 } });
  await using _ = deployment;
  const { clock } = deployment;
  await deployment.give("alice", { refresh: "first" });
  clock.jump(ahead);
  await remove(deployment);
  clock.jump(-ahead);
  answers.revoke = { body: {} };
  const other = await deployment.another();
  await work(other, async () => (await orders(other)) === 0);

  expect(revoked()).toEqual(["first", "first"]);
});

test("a failed revocation is sent again later, also by another process", async () => {
  const { deployment, answers, revoked, orders } = await revoking({ revoke: { status: 503 } });
  await using _ = deployment;
  await deployment.give("alice", { refresh: "first" });
  await remove(deployment);
  const failed = await orders();
  answers.revoke = { body: {} };
  const other = await deployment.another();
  deployment.clock.move(MINUTE);
  await work(other, async () => (await orders(other)) === 0);

  expect(failed).toBe(1);
  expect(revoked()).toEqual(["first", "first"]);
});

test("a failed revocation is not sent again after 20 attempts", async () => {
  const { deployment, revoked, orders } = await revoking({ revoke: { status: 503 } });
  await using _ = deployment;
  const { runtime, clock, logLines } = deployment;
  await deployment.give("alice", { refresh: "first" });
  await remove(deployment);
  for (let count = 0; count < 30; count++) {
    clock.move(3 * HOUR);
    const stop = AbortSignal.timeout(30);
    await runtime.consent.revokeUnusedGrants(stop);
  }

  expect(revoked()).toHaveLength(20);
  expect(await orders()).toBe(0);
  expect(logLines.join("\n")).toContain("there are no more attempts");
});

test("a connection that may use the grant of a pending revocation keeps it", async () => {
  const { deployment, answers, revoked, orders } = await revoking({ revoke: { status: 503 } });
  await using _ = deployment;
  const { runtime, clock } = deployment;
  await deployment.give("alice", { refresh: "first" });
  await remove(deployment);
  answers.revoke = { body: {} };
  await deployment.give("alice", { refresh: "second" });
  clock.move(MINUTE);
  await work(runtime, async () => (await orders()) === 0);

  expect(revoked()).toEqual(["first"]);
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
});

test("a connection of the same account that has expired does not keep a grant from being revoked", async () => {
  const { deployment, answers, revoked, orders } = await revoking();
  await using _ = deployment;
  const { runtime, idp } = deployment;
  const tokens = { body: { access_token: "granted", refresh_token: "granted-refresh", expires_in: 3600 } };
  answers.token = (request) => (request.address.startsWith("/me") ? { body: { sub: "account" } } : tokens);
  const triggers = { on_token_grant: true, on_token_refresh: false };
  await runtime.providers.update(operator(), "idp", {
    oauth2: { user_info_request: { endpoint: `${idp.url}/me`, triggers } },
  });
  const first = await page(runtime);
  if (first.outcome.kind !== "confirm") throw new Error("no page of the user check");
  await first.alice.answer(first.outcome, true);
  const connectionId = (await connectionOf(runtime, "alice"))?.id ?? "";
  await runtime.connections.markDead("default", { connectionId, version: 1 }, "refused");

  const second = await page(runtime);
  if (second.outcome.kind !== "confirm") throw new Error("no page of the user check");
  await second.alice.answer(second.outcome, false);
  await until(async () => (await orders()) === 0);

  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "expired" });
  expect(revoked()).toEqual(["granted-refresh"]);
});

describe("the grants of a deleted provider", () => {
  test("are revoked at the addresses that it had, also those of pending consents", async () => {
    const { deployment, revoked, orders } = await revoking();
    await using _ = deployment;
    const { runtime } = deployment;
    await deployment.give("bob", { refresh: "bobs" });
    expect((await page(runtime)).outcome.kind).toBe("confirm");
    await runtime.providers.delete(operator(), "idp");
    await until(async () => (await orders()) === 0);

    expect(revoked().toSorted()).toEqual(["bobs", "granted-refresh"]);
  });

  test("are revoked by a server when the first attempt fails, and not at a provider that was created again", async () => {
    const { deployment, answers, revoked, orders } = await revoking({ revoke: { status: 503 } });
    await using _ = deployment;
    const { runtime, idp, clock } = deployment;
    await deployment.give("alice", { refresh: "first" });
    await runtime.providers.delete(operator(), "idp");
    await until(() => revoked().length === 1);
    const { oauth2 } = idpRecord(idp);
    const revoke_request = { endpoint: `${idp.url}/revoke/elsewhere`, params: { token: "elsewhere" } };
    await deployment.addProvider({ oauth2: { ...oauth2, revoke_request } });
    answers.revoke = { body: {} };
    const other = await deployment.another();
    clock.move(MINUTE);
    await work(other, async () => (await orders(other)) === 0);

    expect(revoked()).toEqual(["first", "first"]);
  }, 20_000);

  test.each([
    ["", undefined],
    [", also while a process has a clock that runs ahead", ahead],
  ])("that arrive after the deletion are revoked too%s", async (_while, another) => {
    const { deployment, answers, revoked, orders } = await revoking();
    await using _ = deployment;
    const { runtime, idp, clock } = deployment;
    const other = await another?.(deployment);
    const late = Promise.withResolvers<object>();
    answers.token = async () => ({ body: await late.promise });
    await deployment.give("alice", { refresh: "first" });
    clock.move(HOUR);
    const pending = call(runtime, "alice").catch(() => undefined);
    await until(() => idp.requests.length === 1);
    await runtime.providers.delete(operator(), "idp");
    if (other !== undefined) {
      await until(async () => (await orders()) === 0);
      await look(other);
    }
    late.resolve({ access_token: "late", refresh_token: "late-refresh", expires_in: 3600 });
    await pending;
    await until(async () => (await orders()) === 0);

    expect(revoked()).toContain("late-refresh");
  });

  test("leave no record of it behind", async () => {
    const { deployment, orders } = await revoking();
    await using _ = deployment;
    const { runtime, clock } = deployment;
    await deployment.give("alice");
    await runtime.providers.delete(operator(), "idp");
    await until(async () => (await orders()) === 0);
    await look(runtime);
    clock.move(HOUR);
    await work(runtime, async () => (await runtime.core.store.get(FORMER))?.count === 0);

    expect(await runtime.core.store.get(FORMER)).toEqual({ count: 0 });
  }, 20_000);

  test("are only forgotten if it cannot revoke", async () => {
    await using deployment = await deploy();
    const { runtime } = deployment;
    await deployment.addProvider();
    await deployment.give("alice");
    await runtime.providers.delete(operator(), "idp");

    expect(await runtime.core.store.get(COUNT)).toEqual({ count: 0 });
    expect(await runtime.core.store.get(FORMER)).toEqual({ count: 0 });
  });
});
