// Tokens of a refresh that are stored late, or while the row changes.
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonObject } from "../../src/base";
import { unavailable } from "../../src/errors";
import type { Runtime } from "../../src/runtime";
import { openSqlite } from "../../src/store";
import { RotatingGrants, tokens } from "../support/token-endpoint";
import { temporaryFolder } from "../support/temporary";
import { deploy, type Deployment, type DeploymentOptions, give, pass } from "../tools/deployment";
import { call, connectionOf, succeeded, times, until } from "./executing";

const HOUR = 3600_000;
const MINUTE = 60_000;

/** Alice with an access token that expired or is due, and a refresh token of single use. */
async function deployed(age: number, options: DeploymentOptions = {}, facts: JsonObject = {}) {
  const deployment = await deploy(options);
  const grants = new RotatingGrants();
  await deployment.addProvider({ provider_id: "known" });
  await deployment.give("alice", { ...grants.issue("alice"), facts });
  deployment.idp.otherwise(grants.answer);
  deployment.clock.move(age);
  return { deployment, grants };
}

/** The refresh of the first runtime is in progress and waits for `answer`. */
async function inProgress(facts: JsonObject = {}) {
  const { deployment, grants } = await deployed(HOUR, {}, facts);
  const other = await deployment.another();
  const late = Promise.withResolvers<object>();
  deployment.idp.queue(async () => ({ body: await late.promise }));
  const first = call(deployment.runtime, "alice");
  await until(() => deployment.idp.requests.length === 1);
  return { deployment, grants, other, first, answer: late.resolve };
}

function sentRefreshTokens({ idp }: Deployment): unknown[] {
  return idp.requests.map(({ params }) => params["refresh_token"]);
}

describe("tokens that cannot be stored, because another process holds the write lock,", () => {
  const data = (folder: string): string => join(folder, "data");
  /** The lock is taken while the token endpoint is working. */
  async function locked() {
    const folder = temporaryFolder();
    const { deployment, grants } = await deployed(HOUR, {
      environment: { RUNTIME_DATA_DIR: data(folder) },
      parts: { openStore: (store) => openSqlite({ ...store, durability: "normal", lockTimeoutMs: 50 }) },
    });
    const lock = new Database(join(data(folder), "runtime.db"));
    deployment.idp.queue((request) => {
      lock.run("BEGIN IMMEDIATE");
      return grants.answer(request);
    });
    return { deployment, release: () => lock.run("ROLLBACK") };
  }

  test("are used at once by every call of this process", async () => {
    const { deployment, release } = await locked();
    await using _ = deployment;
    const { runtime, platform, idp } = deployment;

    expect(succeeded(await times(5, () => call(runtime, "alice")))).toBe(5);
    await Bun.sleep(300);
    expect((await call(runtime, "alice")).success).toBe(true);
    expect(new Set(platform.tokens())).toEqual(new Set(["access-of-alice-2"]));
    expect(idp.requests).toHaveLength(1);
    release();
  });

  test("are stored once it is released, also before the process stops", async () => {
    const { deployment, release } = await locked();
    await using _ = deployment;
    const { runtime, idp, platform } = deployment;
    await call(runtime, "alice");
    await Bun.sleep(200);
    release();
    await runtime.connections.close();
    const other = await deployment.another();

    expect((await call(other, "alice")).success).toBe(true);
    expect(platform.tokens()).toEqual(["access-of-alice-2", "access-of-alice-2"]);
    expect(idp.requests).toHaveLength(1);
  });
});

describe("without room on the disk", () => {
  const noRoom = (isFull: () => boolean): DeploymentOptions => ({
    parts: {
      openStore: (options) => {
        const store = openSqlite({ ...options, durability: "normal" });
        const reserve = store.reserve.bind(store);
        store.reserve = () => (isFull() ? Promise.reject(unavailable("no room")) : reserve());
        return store;
      },
    },
  });

  test("a token that has not expired is used, and nothing is sent", async () => {
    const { deployment } = await deployed(
      56 * MINUTE,
      noRoom(() => true),
    );
    await using _ = deployment;

    expect((await call(deployment.runtime, "alice")).success).toBe(true);
    await Bun.sleep(50);
    expect(deployment.idp.requests).toEqual([]);
  });

  test("an expired token is a temporary failure, nothing is sent, and the grant survives", async () => {
    let full = true;
    const { deployment } = await deployed(
      HOUR,
      noRoom(() => full),
    );
    await using _ = deployment;
    const { runtime, idp } = deployment;

    expect((await call(runtime, "alice")).output?.error).toMatchObject({ can_retry: true });
    expect(idp.requests).toEqual([]);
    full = false;
    expect((await call(runtime, "alice")).success).toBe(true);
  });
});

test("late tokens replace the refusal that another process got for the earlier ones", async () => {
  const { deployment, grants, other, first, answer } = await inProgress();
  await using _ = deployment;
  const { runtime, idp, clock } = deployment;
  idp.queue({ status: 400, body: { error: "invalid_grant" } });
  const refused = call(other, "alice").catch(() => undefined);
  await pass(clock, 24_000);
  await refused;
  const before = await connectionOf(runtime, "alice");
  answer(tokens(grants.issue("alice"), 3600));

  expect(before).toMatchObject({ connection_status: "expired" });
  expect((await first).success).toBe(true);
  expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
  expect((await call(other, "alice")).success).toBe(true);
  clock.move(HOUR);
  expect((await call(other, "alice")).success).toBe(true);
});

test.each([
  ["keeps the refresh token that is being exchanged", {}],
  ["has none, because the grant was refused", { isRefused: true, facts: { account_id: "A1" } }],
])(
  "late tokens continue a consent that came without a refresh token and %s",
  async (_name, { isRefused = false, facts = {} }: { isRefused?: boolean; facts?: JsonObject }) => {
    const { deployment, grants, other, first, answer } = await inProgress(facts);
    await using _ = deployment;
    const { runtime, idp, platform, clock } = deployment;
    if (isRefused) {
      idp.queue({ status: 400, body: { error: "invalid_grant" } });
      const refused = call(other, "alice").catch(() => undefined);
      await pass(clock, 24_000);
      await refused;
    }
    const consent = give(other, "alice", { access: "consented", refresh: null, facts });
    await pass(clock, 24_000);
    await consent;
    answer(tokens(grants.issue("alice"), 3600));
    expect((await first).success).toBe(true);
    expect((await call(other, "alice")).success).toBe(true);
    clock.move(HOUR);

    expect(platform.tokens()).toContain("consented");
    expect((await call(other, "alice")).success).toBe(true);
    expect(sentRefreshTokens(deployment).at(-1)).toBe("refresh-of-alice-2");
    expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
  },
);

test.each([
  ["of another account", { account_id: "A1" }, { account_id: "A2" }],
  ["of an account that the provider does not name", {}, {}],
])(
  "late tokens are dropped after a consent %s that came without a refresh token",
  async (_name, first, second) => {
    const { deployment, grants, other, first: pending, answer } = await inProgress(first);
    await using _ = deployment;
    const { idp, platform, clock } = deployment;
    idp.queue({ status: 400, body: { error: "invalid_grant" } });
    const refused = call(other, "alice").catch(() => undefined);
    await pass(clock, 24_000);
    await refused;
    await give(other, "alice", { access: "consented", refresh: null, facts: second });
    answer(tokens(grants.issue("alice"), 3600));
    await pending.catch(() => undefined);

    expect((await call(other, "alice")).success).toBe(true);
    expect(platform.tokens().at(-1)).toBe("consented");
    clock.move(HOUR);
    await call(other, "alice").catch(() => undefined);
    expect(sentRefreshTokens(deployment)).toEqual(["refresh-of-alice-1", "refresh-of-alice-1"]);
  },
);

describe("during a refresh", () => {
  const lose = async (runtime: Runtime, lost: string[]): Promise<void> => {
    const connection = await connectionOf(runtime, "alice");
    const used = { connectionId: connection?.id ?? "", version: 1 };
    // Only these two fields are read.
    await runtime.connections.narrow("default", used as never, lost);
  };

  test.each([
    ["with scopes in the answer", { scope: "a b" }],
    ["without", {}],
  ])("a scope that is lost stays lost (%s)", async (_name, more) => {
    const { deployment, first, answer } = await inProgress();
    await using _ = deployment;
    await lose(deployment.runtime, ["b"]);
    answer({ ...tokens({ access: "new", refresh: "newer" }, 3600), ...more });
    await first.catch(() => undefined);

    expect(await connectionOf(deployment.runtime, "alice")).toMatchObject({ scopes: ["a"] });
  });

  test("a consent without a refresh token waits, and keeps the new one", async () => {
    const { deployment, grants, first, answer } = await inProgress();
    await using _ = deployment;
    const { runtime, clock } = deployment;
    const consent = deployment.give("alice", { access: "consented", refresh: null });
    let isStored = false;
    void consent.then(() => (isStored = true));
    await Bun.sleep(50);
    expect(isStored).toBe(false);
    answer(tokens(grants.issue("alice"), 3600));
    await Promise.all([first, consent]);
    clock.move(HOUR);

    expect((await call(runtime, "alice")).success).toBe(true);
    expect(sentRefreshTokens(deployment)).toEqual(["refresh-of-alice-1", "refresh-of-alice-2"]);
  });

  test("a new consent is not affected by a refusal of the earlier tokens", async () => {
    const { deployment, grants, first, answer } = await inProgress();
    await using _ = deployment;
    const { runtime, platform } = deployment;
    const pair = grants.issue("alice");
    await deployment.give("alice", pair);
    platform.refuse(pair.access);
    const second = call(runtime, "alice");
    await Bun.sleep(50);
    answer({ error: "invalid_grant" });
    await first.catch(() => undefined);

    expect((await second).success).toBe(true);
    expect(await connectionOf(runtime, "alice")).toMatchObject({ connection_status: "active" });
    expect(sentRefreshTokens(deployment)).toEqual(["refresh-of-alice-1", "refresh-of-alice-2"]);
  });
});

describe("while the token endpoint hangs", () => {
  const options = { environment: { RUNTIME_EGRESS_TIMEOUT: "1" } };

  test("a token that has not expired is used at once, with one request in the background", async () => {
    const { deployment } = await deployed(56 * MINUTE, options);
    await using _ = deployment;
    const { runtime, idp, platform } = deployment;
    const other = await deployment.another();
    let answered = false;
    idp.otherwise(async () => {
      await Bun.sleep(1500);
      answered = true;
      return {};
    });

    const executions = await times(10, (index) => call(index % 2 === 0 ? runtime : other, "alice"));

    expect([succeeded(executions), answered]).toEqual([10, false]);
    await until(() => idp.requests.length === 1);
    await runtime.connections.close();
    await call(runtime, "alice");
    await Bun.sleep(50);
    // The second server may try after the first one; the first one waits for a while.
    expect(idp.requests.length).toBeLessThanOrEqual(2);
    expect(new Set(platform.tokens())).toEqual(new Set(["access-of-alice-1"]));
  });

  test("an expired token is a temporary failure of the provider", async () => {
    const { deployment } = await deployed(HOUR, options);
    await using _ = deployment;
    deployment.idp.otherwise({ delayMs: 1500, body: {} });

    expect((await call(deployment.runtime, "alice")).output?.error).toMatchObject({
      kind: "UPSTREAM_RUNTIME_SERVER_ERROR",
      can_retry: true,
    });
  });
});
