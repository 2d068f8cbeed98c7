// A platform refuses the tokens of many users of a client within minutes, as after a change of this server's address: that
// is an error for the operator, and no user has to consent again.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { GrantDead } from "../../src/tools";
import { agent, deploy, type Deployment, operator } from "./deployment";

const MINUTE = 60_000;
const USERS = ["a", "b", "c", "d", "e"];

let deployment: Deployment;
beforeEach(async () => {
  deployment = await deploy();
  await deployment.addProvider();
  for (const user of USERS)
    await deployment.give(user, { facts: { account: "T1" }, expiresIn: null, refresh: null });
  deployment.test.act = async () => {
    throw new GrantDead("invalid_auth", undefined, { isDoubtful: true });
  };
});
afterEach(() => deployment[Symbol.asyncDispose]());

async function refused(user: string, project = "default") {
  const request = { tool_name: "Test.ActFor", user_id: user, input: {} };
  const { output } = await deployment.runtime.tools.execute(agent(null, project), request);
  return output?.error;
}

async function statuses(): Promise<unknown[]> {
  const { items } = await deployment.runtime.connections.list(operator(), {});
  return items
    .toSorted((left, right) => (left.user_id < right.user_id ? -1 : 1))
    .map(({ connection_status }) => connection_status);
}

test("the first ones must consent again, the third is the operator's, and all connections work on", async () => {
  expect(await refused("a")).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
  expect(await refused("b")).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
  expect(await statuses()).toEqual(["expired", "expired", "active", "active", "active"]);
  for (const user of ["c", "d", "e", "a"]) {
    const error = await refused(user);
    expect(error).toMatchObject({ kind: "TOOL_RUNTIME_FATAL", can_retry: false });
    expect(error?.message).toContain("The operator compares the address of this server");
  }
  expect(await statuses()).toEqual(USERS.map(() => "active"));
  expect(deployment.logLines.some((line) => line.includes("refuses the tokens of many users"))).toBe(true);

  deployment.test.act = async () => ({ done: true });
  expect(await refused("b")).toBeUndefined();
});

test("one user again and again is one connection", async () => {
  for (let n = 0; n < 4; n++) {
    expect(await refused("a")).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
    await deployment.give("a", { facts: { account: "T1" }, expiresIn: null, refresh: null });
  }
  expect(await refused("a")).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
});

test("refusals that are far apart are those of single users", async () => {
  for (const user of USERS) {
    expect(await refused(user)).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
    deployment.clock.move(9 * MINUTE);
  }
  expect(await statuses()).toEqual(USERS.map(() => "expired"));
});

test("those of other accounts do not count", async () => {
  for (const [n, user] of USERS.entries()) {
    await deployment.give(user, { facts: { account: `T${n}` }, expiresIn: null, refresh: null });
    expect(await refused(user)).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
  }
});

test("other codes end each connection", async () => {
  deployment.test.act = async () => {
    throw new GrantDead("token_revoked");
  };
  for (const user of USERS)
    expect(await refused(user)).toMatchObject({ kind: "UPSTREAM_RUNTIME_AUTH_ERROR" });
  expect(await statuses()).toEqual(USERS.map(() => "expired"));
});

test("a connection that has ended for another reason since is not restored", async () => {
  const doubtful = deployment.test.act;
  await refused("a");
  await deployment.give("a", { facts: { account: "T1" }, expiresIn: null, refresh: null });
  deployment.test.act = async () => {
    throw new GrantDead("token_revoked");
  };
  await refused("a");
  deployment.test.act = doubtful;
  for (const user of ["b", "c", "d"]) await refused(user);
  expect(await statuses()).toEqual(["expired", "active", "active", "active", "active"]);
});
