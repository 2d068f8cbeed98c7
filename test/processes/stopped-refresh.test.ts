// A process that is stopped with new tokens in its memory, for longer than its lease.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { call, connectionOf, refusal, until } from "../connections/executing";
import { startChild } from "../support/child";
import { temporaryFolder } from "../support/temporary";
import { RotatingGrants } from "../support/token-endpoint";
import { deploy } from "../tools/deployment";

test("its tokens replace the refusal that another process got meanwhile", async () => {
  const home = temporaryFolder();
  // The lease is 15 s longer than a request may take.
  const environment = { RUNTIME_DATA_DIR: join(home, "data"), RUNTIME_EGRESS_TIMEOUT: "15", HOME: home };
  await using deployment = await deploy({ environment });
  const { runtime, idp, platform, clock } = deployment;
  const grants = new RotatingGrants({ expiresIn: 3600 });
  await deployment.addProvider();
  await deployment.give("alice", { ...grants.issue("alice"), expiresIn: 1 });
  idp.otherwise(grants.answer);
  await Bun.sleep(1100);
  const child = startChild(
    join(import.meta.dir, "refreshing.ts"),
    JSON.stringify({ ...environment, RUNTIME_EGRESS_ALLOW: "loopback", RUNTIME_CHAT_API_URL: platform.url }),
  );
  const pid = Number((await child.line())?.split(" ")[1]);
  child.go();
  await until(() => idp.requests.length === 1);
  clock.move(60_000);

  const refused = await refusal(call(runtime, "alice"));
  const before = await connectionOf(runtime, "alice");
  process.kill(pid, "SIGCONT");

  expect([refused.status, before?.connection_status]).toEqual([403, "expired"]);
  expect(await child.line()).toBe("true");
  // The tokens are used from memory until they are stored.
  await until(async () => (await connectionOf(runtime, "alice"))?.connection_status === "active");
  expect((await call(runtime, "alice")).success).toBe(true);
  expect(platform.tokens()).toEqual(["access-of-alice-2", "access-of-alice-2"]);
}, 90_000);
