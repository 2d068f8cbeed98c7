// Refresh tokens that work once: each is sent once, and what a provider returns is kept until it is stored.
import { describe, expect, test } from "bun:test";
import { createRuntime, type Runtime } from "../../src/runtime";
import { type Clock, silentLog } from "../../src/base";
import { query, run } from "../../src/store";
import { type OpenIdSite, type OpenIdSiteOptions, startSignInSite } from "../interop/oidc/site";
import { Browser } from "../support/browser";
import { loadConfig } from "../support/config";
import { NO_EXTENSIONS } from "../support/extensions";
import { Failing } from "../support/failing-store";
import { testOnSqlite } from "../support/on-sqlite";
import { signIn } from "./signing-in";

const ROLES = JSON.stringify([{ group: "ops", role: "admin" }]);
const FIVE_MINUTES = 5 * 60_000;

/** Alice is in the group `ops` and has signed in at a provider whose refresh tokens work once. Her groups are to be read again. */
async function withAlice(options: Partial<OpenIdSiteOptions> = {}) {
  const deployment = await startSignInSite({
    accounts: { alice: { groups: ["ops"] } },
    isGenerous: true,
    ...options,
    environment: { RUNTIME_AUTH_ROLES: ROLES },
  });
  await signIn(deployment, new Browser(), "alice");
  deployment.clock.move(FIVE_MINUTES);
  const before = requests(deployment);
  return {
    deployment,
    groups: () => groupsAt(deployment.site.runtime),
    requests: () => requests(deployment) - before,
  };
}

function groupsAt({ people }: Runtime): Promise<readonly string[]> {
  return people.groupsOf("default", "alice");
}

/** Of tokens. */
function requests({ provider }: OpenIdSite): number {
  return provider.requests.filter((path) => path === "/token").length;
}

async function anotherServer({ site }: OpenIdSite, clock: Clock): Promise<Runtime & AsyncDisposable> {
  const environment = { ...site.environment, RUNTIME_AUTH_CLIENT_ID: "runtime" };
  const runtime = await createRuntime(loadConfig({ environment }), NO_EXTENSIONS, { clock, log: silentLog });
  return { ...runtime, [Symbol.asyncDispose]: () => runtime.close() };
}

async function until(isTrue: () => boolean, turns = 2000): Promise<void> {
  for (let turn = 0; turn < turns && !isTrue(); turn++) await Bun.sleep(1);
}

describe("a refresh token", () => {
  test.each([-60_000, -100, 100])(
    "is sent by one of two servers whose clocks differ by %p ms",
    async (by) => {
      const { deployment, groups, requests } = await withAlice();
      await using _deployment = deployment;
      const { clock, provider } = deployment;
      const { monotonic, sleep } = clock;
      await using other = await anotherServer(deployment, { now: () => clock.now() + by, monotonic, sleep });
      clock.move(60_000);
      const answers = Promise.withResolvers<void>();
      provider.slow = answers.promise;
      const first = groups();
      await until(() => requests() > 0);
      const second = groupsAt(other);
      await until(() => requests() > 1, 200);
      answers.resolve();

      expect(await Promise.all([first, second])).toEqual([["ops"], ["ops"]]);
      expect(requests()).toBe(1);
    },
  );

  test("is not sent by another server while its answer is late", async () => {
    const { deployment, groups, requests } = await withAlice();
    await using _deployment = deployment;
    const { clock, provider } = deployment;
    await using other = await anotherServer(deployment, clock);
    const answers = Promise.withResolvers<void>();
    provider.slow = answers.promise;
    const first = groups();
    await until(() => requests() > 0);
    clock.move(31_000);
    let isDone = false;
    const second = groupsAt(other).finally(() => (isDone = true));
    await until(() => (clock.move(100), isDone || requests() > 1));
    answers.resolve();

    expect([await first, await second, requests()]).toEqual([["ops"], [], 1]);
    expect(await groupsAt(other)).toEqual(["ops"]);
    clock.move(FIVE_MINUTES);
    expect(await groupsAt(other)).toEqual(["ops"]);
  });

  test("is not sent by a server that was frozen while another one took over", async () => {
    const { deployment, groups, requests } = await withAlice();
    await using _deployment = deployment;
    const { clock, provider, site } = deployment;
    // The metadata of the provider is read after the lease is taken.
    clock.move(2 * FIVE_MINUTES);
    const metadata = Promise.withResolvers<void>();
    provider.slow = metadata.promise;
    const [before, isDone] = [provider.requests.length, { now: false }];
    const reading = groups().finally(() => (isDone.now = true));
    await until(() => provider.requests.length > before);
    const takeOver = query("UPDATE leases SET holder = 'another server' WHERE name LIKE 'groups of %'");
    await site.runtime.core.store.write(() => run(takeOver));
    clock.move(11_000);
    metadata.resolve();
    await until(() => (clock.move(100), isDone.now));

    expect([await reading, requests()]).toEqual([[], 0]);
  });
});

describe("what a provider returns", () => {
  // An ID token lives for an hour, and the clock moves with each question.
  for (const first of [1, 9, 17])
    testOnSqlite(`survives a failure of any question to the database, from number ${first} on`, async () => {
      const failing = new Failing();
      const { deployment, groups } = await withAlice({ openStore: failing.openStore });
      await using _deployment = deployment;
      for (let number = first; number < first + 8; number++) {
        failing.from(number, true);
        await groups().catch(() => undefined);
        failing.end();
        deployment.clock.move(31_000);
        expect([number, await groups()]).toEqual([number, ["ops"]]);

        deployment.clock.move(FIVE_MINUTES);
      }
    });

  testOnSqlite("is used from memory until the database works again", async () => {
    const failing = new Failing();
    const { deployment, groups, requests } = await withAlice({ openStore: failing.openStore });
    await using _deployment = deployment;
    const answers = Promise.withResolvers<void>();
    deployment.provider.slow = answers.promise;
    const reading = groups();
    await until(() => requests() > 0);
    failing.from(1);
    answers.resolve();
    expect(await reading).toEqual(["ops"]);

    failing.end();
    expect(await groups()).toEqual(["ops"]);
    await deployment.site.runtime.people.close();
    deployment.clock.move(FIVE_MINUTES);
    expect(await groups()).toEqual(["ops"]);
  });

  test("is kept if the keys of the provider cannot be loaded", async () => {
    const { deployment, groups } = await withAlice();
    await using _deployment = deployment;
    const { broken } = deployment.provider;
    broken.add("/jwks");
    expect(await groups()).toEqual([]);

    broken.clear();
    deployment.clock.move(31_000);
    expect(await groups()).toEqual(["ops"]);
  });

  test("is kept after a rotation of the data key meanwhile", async () => {
    const { deployment, groups, requests } = await withAlice();
    await using _deployment = deployment;
    const { runtime } = deployment.site;
    const answers = Promise.withResolvers<void>();
    deployment.provider.slow = answers.promise;
    const reading = groups();
    await until(() => requests() > 0);
    await runtime.rotation.rotateDataKey(await runtime.identity.operator("default"));
    answers.resolve();
    expect(await reading).toEqual(["ops"]);

    deployment.clock.move(FIVE_MINUTES);
    expect(await groups()).toEqual(["ops"]);
  });

  test("is dropped if the person has signed in again meanwhile", async () => {
    const { deployment, groups, requests } = await withAlice();
    await using _deployment = deployment;
    const answers = Promise.withResolvers<void>();
    deployment.provider.slow = answers.promise;
    const reading = groups();
    await until(() => requests() > 0);
    deployment.provider.slow = undefined;
    await signIn(deployment, new Browser(), "alice");
    const tokens = query<{ sealed_tokens: string }>("SELECT sealed_tokens FROM identities");
    const { store } = deployment.site.runtime.core;
    const stored = await store.all(tokens);
    answers.resolve();
    expect(await reading).toEqual(["ops"]);

    expect(await store.all(tokens)).toEqual(stored);
  });

  test("is dropped if the person was removed meanwhile", async () => {
    const { deployment, groups, requests } = await withAlice();
    await using _deployment = deployment;
    const { runtime } = deployment.site;
    const answers = Promise.withResolvers<void>();
    deployment.provider.slow = answers.promise;
    const reading = groups();
    await until(() => requests() > 0);
    await runtime.core.store.write(() => run(query("DELETE FROM identities")));
    answers.resolve();

    expect(await reading).toEqual([]);
    expect(await runtime.core.store.all(query("SELECT user_id FROM identities"))).toEqual([]);
  });
});
