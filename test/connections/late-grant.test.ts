// A grant that could not be stored for a while, and a newer consent that another process has stored meanwhile.
import { expect, test } from "bun:test";
import { deploy, give } from "../tools/deployment";
import { breakWrites, call, succeeded, until } from "./executing";

test.each([
  ["the first grant of a user", undefined],
  ["a grant of a user who had one before", "earlier"],
])("%s does not replace the newer one", async (_which, before) => {
  await using deployment = await deploy();
  const { runtime, platform } = deployment;
  const other = await deployment.another();
  await deployment.addProvider();
  if (before !== undefined) await deployment.give("alice", { access: before });
  const broken = breakWrites(runtime);
  const late = give(runtime, "alice", { access: "late" });
  await until(() => broken.attempts() > 0);

  await give(other, "alice", { access: "newer" });
  broken.repair();
  await late;

  expect(succeeded([await call(runtime, "alice"), await call(other, "alice")])).toBe(2);
  expect(platform.tokens()).toEqual(["newer", "newer"]);
});

test("the refresh token of a late grant continues a newer one that came without", async () => {
  await using deployment = await deploy();
  const { runtime, platform, idp, clock } = deployment;
  const other = await deployment.another();
  await deployment.addProvider();
  const broken = breakWrites(runtime);
  const late = give(runtime, "alice", { access: "late", refresh: "late-refresh" });
  await until(() => broken.attempts() > 0);
  await give(other, "alice", { access: "newer", refresh: null });
  broken.repair();
  await late;
  idp.otherwise({ body: { access_token: "refreshed", expires_in: 3600 } });

  expect((await call(other, "alice")).success).toBe(true);
  clock.move(2 * 3600_000);
  expect((await call(other, "alice")).success).toBe(true);
  expect(platform.tokens()).toEqual(["newer", "refreshed"]);
  expect(idp.requests.map(({ params }) => params["refresh_token"])).toEqual(["late-refresh"]);
});

test("a grant that was stored late is used if the user has not consented again", async () => {
  await using deployment = await deploy();
  const { runtime, platform } = deployment;
  await deployment.addProvider();
  await deployment.give("alice", { access: "earlier" });
  const broken = breakWrites(runtime);
  const late = give(runtime, "alice", { access: "late" });
  await until(() => broken.attempts() > 1);
  broken.repair();
  await late;

  expect((await call(runtime, "alice")).success).toBe(true);
  expect(platform.tokens()).toEqual(["late"]);
});
